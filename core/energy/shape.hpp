// Shape functions and quadrature of the elements of bodies: volumes, surfaces, curves.
#pragma once

#include "core/mesh/mesh.hpp"

namespace resilin {

/// Tet4, Tri3, Segment2: one sample, constant gradients. Hex8: trilinear, 2 x 2 x 2 Gauss points. On surfaces
/// and curves dN_c/dX is tangent to the rest element (the rows of the pseudo-inverse of its edges), so that F
/// maps tangents as it should and normals to zero: rank 2 or 1.
struct RESILIN_API ElementQuadrature {
  static constexpr int kMaxSamples = 8, kMaxNodes = 8;
  int samples = 1, nodes = 4;
  double volume[kMaxSamples] = {};                  ///< weight times det(dX/dxi) [m^3]; area, length
  double shape[kMaxSamples][kMaxNodes] = {};        ///< N_c at the sample
  double gradient[kMaxSamples][kMaxNodes][3] = {};  ///< dN_c/dX [1/m], so that F = sum_c x_c (dN_c/dX)^T
};
RESILIN_API int num_samples(ElementType type);
/// Throws Error(Input) naming the element if its Jacobian is not positive at a sample, or if it has no area
/// or length.
RESILIN_API ElementQuadrature element_quadrature(const Mesh& mesh, Index element);

/// Row-sum lumped integral of `density` (1 value or one per element) at each vertex: [kg] of a volume; of
/// surfaces and curves per thickness or cross-section.
RESILIN_API VecX lumped_mass(const Mesh& mesh, const VecX& density);
/// out[e] (or the only entry) += sum_i w_i dm_i/d(density): the transpose of lumped_mass.
RESILIN_API void add_lumped_mass_vjp(const Mesh& mesh, ConstVec w, MutVec out);
/// out[3 i + k] += sum_j w_j dm_j/dX_i[k] [unit of w times kg/m], X the vertices: with N fixed at a sample
/// of volume V, dV = V sum_i dX_i . dN_i/dX.
RESILIN_API void add_lumped_mass_rest_vjp(const Mesh& mesh, const VecX& density, ConstVec w, MutVec out);

}  // namespace resilin
