// A ParaView time series: one .vtu per frame and body, and a .pvd that lists them.
#pragma once

#include "core/base/state.hpp"
#include "core/mesh/mesh.hpp"

#include <string>
#include <utility>
#include <vector>

namespace resilin {

/// Files NAME/BODY_000012.vtu with point data velocity and displacement, beside NAME.pvd, which is rewritten
/// (atomically) at every frame so that a killed run can be opened.
class RESILIN_API VtuSeries {
 public:
  VtuSeries(const std::string& folder, const std::string& name);
  void append(double time, Index frame, const std::string& body, const Mesh& rest,
              const Eigen::Ref<const Mat3X>& x, const Eigen::Ref<const Mat3X>& v);

 private:
  void write_collection() const;

  std::string folder_, name_;
  std::vector<std::pair<double, std::pair<std::string, std::string>>> frames_;  ///< time, (body, file)
};

}  // namespace resilin
