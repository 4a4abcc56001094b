// The closest points of two features of surfaces as a contact, with derivatives.
#pragma once

#include "core/contact/pair_law.hpp"

namespace resilin {

/// Which features: the first nodes are those of the first one.
enum class FeaturePair { VertexVertex, VertexEdge, VertexFace, EdgeEdge };
inline constexpr std::array<std::size_t, 4> kFeatureNodes{2, 3, 4, 4};

/// With y = sum w_i x_i from the closest point of the second feature to that of the first, extended to the
/// line or plane that it lies on: weights w, normal y/|y|, gap |y| - distance. nodes: numbers in x, as many
/// as the features have, -1 behind them. Throws Error(Numerics) if the features are closer than rounding.
/// Edges must not be parallel.
ContactPair closest_pair(FeaturePair form, const std::array<Index, 4>& nodes, const VecX& x, double distance);

/// dx += (d (weights, normal, gap)/dx)^T z. By the equations G^T y = 0 that make the points closest, G the
/// derivative of y by the free weights beta: (G^T G) d beta = -(dG^T y + G^T dy).
void add_closest_pair_vjp(const ContactPair& pair, const ContactPairCotangent& z, const VecX& x, MutVec dx);

}  // namespace resilin
