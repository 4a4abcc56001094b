// The rest shape and the thickness or cross-section as parameters of FiniteElementEnergy.
#include "core/base/parallel.hpp"
#include "core/energy/finite_element_group.hpp"

#include <utility>

namespace resilin {
namespace {

/// C : w
Mat3Pack& multiply(const TangentPack& c, const Mat3Pack& w, Mat3Pack& out) {
  for (int a = 0; a < 9; ++a) {
    out.m[a] = c(a, 0) * w.m[0];
    for (int b = 1; b < 9; ++b) out.m[a] += c(a, b) * w.m[b];
  }
  return out;
}

/// S = (P:W) I - F^T T - W^T P, P and T = C:W times the volume: dX(k, j) -> S(k, j) is the change of P:W when
/// the vertices move by the gradient dX of a field, since then dF = -F dX, dW = -W dX and dV = V tr(dX). On
/// surfaces and curves dX lies in the tangents and turns the normals, dF = -F dX + F dX^T N: see
/// add_turning().
void energy_momentum(const Mat3Pack& f, const Mat3Pack& w, const Mat3Pack& p, const Mat3Pack& t,
                     Mat3Pack& s) {
  const Mat3Pack ft = transposed_times(f, t), wp = transposed_times(w, p);
  const Pack work = dot(p, w);
  for (int k = 0; k < 9; ++k) s.m[k] = -ft.m[k] - wp.m[k];
  for (int k = 0; k < 3; ++k) s(k, k) += work;
}

/// N = I - (projection on the tangents) of an element by the gradients of its shape functions. Those of a
/// triangle are combinations of two of them, those of a segment multiples of one.
void normal_projection(const FiniteElementData& d, const Pack* g, Mat3Pack& n) {
  const Pack *a = g + 3, *b = g + 6;
  Pack axis[3] = {a[0], a[1], a[2]};
  if (d.nodes == 3)
    for (int i = 0; i < 3; ++i) {
      const int j = (i + 1) % 3, k = (i + 2) % 3;
      axis[i] = a[j] * b[k] - a[k] * b[j];
    }
  const Pack square = axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2];
  for (int j = 0; j < 3; ++j)
    for (int i = 0; i < 3; ++i) {
      const Pack along = axis[i] * axis[j] / square;
      n(i, j) = d.nodes == 3 ? along : (i == j ? 1.0 : 0.0) - along;
    }
}

/// S += N (T^T F + P^T W)
void add_turning(const Mat3Pack& n, const Mat3Pack& f, const Mat3Pack& w, const Mat3Pack& p,
                 const Mat3Pack& t, Mat3Pack& s) {
  const Mat3Pack tf = transposed_times(t, f), pw = transposed_times(p, w);
  for (int j = 0; j < 3; ++j)
    for (int i = 0; i < 3; ++i)
      for (int k = 0; k < 3; ++k) s(i, j) += n(i, k) * (tf(k, j) + pw(k, j));
}

}  // namespace

void FiniteElementEnergy::add_rest_vjp(const StepContext& c, ConstVec x, ConstVec z, MutVec out,
                                       Workspace& ws) const {
  const FiniteElementData& d = *data_;
  auto& scratch = ws.slot<FiniteElementScratch>(this);
  scratch.force.resize(static_cast<std::size_t>(d.num_batches * d.nodes * 3));
  parallel_for(d.num_groups, kGrain, [&](Index begin, Index end) {
    Group g;
    Mat3Pack w[kG], stress[kG], tangent_w, momentum[kG];
    TangentPack tangent[kG];
    for (Index group = begin; group < end; ++group) {
      load_group(d, group, x.data(), g);
      load_deformation(d, group, z.data(), w);
      evaluate_group(d, group, c, g, stress);
      tangent_group(d, group, c, g, false, tangent);
      for (int p = 0; p < kG; ++p) {
        multiply(tangent[p], w[p], tangent_w);
        energy_momentum(g.f[p], w[p], stress[p], tangent_w, momentum[p]);
        if (is_volume(d.type)) continue;
        Mat3Pack normals;
        normal_projection(d, d.gradients(group * d.group_batches + p, 0), normals);
        add_turning(normals, g.f[p], w[p], stress[p], tangent_w, momentum[p]);
      }
      scatter_stress(d, group, momentum, scratch.force.data());
    }
  });
  gather_nodes(d, scratch.force, out.data());
}

double cross_measure_vjp(const FiniteElementData& d, const StepContext& step, ConstVec x, ConstVec z,
                         std::vector<double>& partial) {
  partial.resize(static_cast<std::size_t>(d.num_groups));
  parallel_for(d.num_groups, kGrain, [&](Index begin, Index end) {
    Group g;
    Mat3Pack w[kG], stress[kG];
    for (Index group = begin; group < end; ++group) {
      load_group(d, group, x.data(), g);
      load_deformation(d, group, z.data(), w);
      evaluate_group(d, group, step, g, stress);
      Pack work = splat(0.0);
      for (int p = 0; p < kG; ++p) work += dot(stress[p], w[p]);
      partial[static_cast<std::size_t>(group)] = sum(work);
    }
  });
  double total = 0;
  for (const double e : partial) total += e;
  return total / d.cross_measure;
}

void FiniteElementEnergy::set_cross_measure(double thickness_or_cross_section) {
  data_->cross_measure = thickness_or_cross_section;
}

void FiniteElementEnergy::set_rest_shape(const Mesh& mesh) {
  FiniteElementData& d = *data_;
  FiniteElementData next;
  next.type = d.type;
  next.samples = d.samples;
  next.nodes = d.nodes;
  next.num_elements = d.num_elements;
  next.num_batches = d.num_batches;
  next.first_node = d.first_node;
  fill_batches(next, mesh);
  d.gradient = std::move(next.gradient);
  d.volume = std::move(next.volume);
}

}  // namespace resilin
