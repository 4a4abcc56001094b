// The numeric types that every interface speaks in, and the layout of a vector over nodes.
#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <Eigen/LU>
#include <Eigen/SparseCore>

/// Visible outside libresilin_core although the library hides its symbols by default.
#define RESILIN_API __attribute__((visibility("default")))

namespace resilin {

using Index = Eigen::Index;
using Vec3 = Eigen::Vector3d;
using Mat3 = Eigen::Matrix3d;
using VecX = Eigen::VectorXd;
using MatX = Eigen::MatrixXd;
using Mat3X = Eigen::Matrix3Xd;
using SpMat = Eigen::SparseMatrix<double>;

/// Vectors over nodes have 3n entries, vertex-major: x0 y0 z0 x1 y1 z1 ...
using ConstVec = Eigen::Ref<const VecX>;
using MutVec = Eigen::Ref<VecX>;

/// The same 3n numbers seen as a 3 x n matrix, one column a node.
inline Eigen::Map<const Mat3X> as_columns(const VecX& v) {
  return {v.data(), 3, v.size() / 3};
}
inline Eigen::Map<Mat3X> as_columns(VecX& v) {
  return {v.data(), 3, v.size() / 3};
}
inline Eigen::Map<const Mat3X> as_columns(const ConstVec& v) {
  return {v.data(), 3, v.size() / 3};
}

}  // namespace resilin
