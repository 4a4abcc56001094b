// A BlockMatrix in single precision, for products that need not be exact.
#pragma once

#include "core/energy/block_matrix.hpp"

namespace resilin {

/// Half the memory traffic of a BlockMatrix, which is what a product costs. Products are computed in double
/// precision from the rounded values, so that they are those of one symmetric matrix.
class RESILIN_API RoundedMatrix {
 public:
  /// Takes the values of h, whose pattern it goes on to use. False if single precision cannot hold them.
  bool take(const BlockMatrix& h);
  /// As BlockMatrix::multiply().
  void multiply(ConstVec x, MutVec y, const std::vector<char>& fixed) const;

 private:
  const BlockMatrix* pattern_ = nullptr;
  std::vector<float> values_;  ///< 9 per block and a few more, so that four can be loaded from any entry
};

}  // namespace resilin
