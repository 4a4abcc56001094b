// The rest shape as a parameter of FiniteElementEnergy.
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
/// the vertices move by the gradient dX of a field, since then dF = -F dX, dW = -W dX and dV = V tr(dX).
void energy_momentum(const Mat3Pack& f, const Mat3Pack& w, const Mat3Pack& p, const Mat3Pack& t,
                     Mat3Pack& s) {
  const Mat3Pack ft = transposed_times(f, t), wp = transposed_times(w, p);
  const Pack work = dot(p, w);
  for (int k = 0; k < 9; ++k) s.m[k] = -ft.m[k] - wp.m[k];
  for (int k = 0; k < 3; ++k) s(k, k) += work;
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
      evaluate_group(d, group, c.step, g, stress);
      tangent_group(d, group, c.step, g, false, tangent);
      for (int p = 0; p < kG; ++p)
        energy_momentum(g.f[p], w[p], stress[p], multiply(tangent[p], w[p], tangent_w), momentum[p]);
      scatter_stress(d, group, momentum, scratch.force.data());
    }
  });
  gather_nodes(d, scratch.force, out.data());
}

void FiniteElementEnergy::set_rest_shape(const Mesh& mesh) {
  FiniteElementData& d = *data_;
  FiniteElementData next;
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
