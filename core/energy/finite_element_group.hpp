// Private to FiniteElementEnergy: evaluation of a group of sample packs, shared by energy, Hessian and
// gradients.
#pragma once

#include "core/energy/finite_element_data.hpp"

#include <algorithm>

namespace resilin {

inline constexpr int kG = FiniteElementData::kGroupPacks;
constexpr Index kGrain = 4;  // groups per chunk of a parallel loop

/// Samples of a group of batches, evaluated once and shared by its materials.
struct Group {
  Mat3Pack f[kG];
  Svd3Pack svd[kG];
  Pack params[Material::kMaxComponents * kG];
};

/// F of all samples of a group from the node positions.
inline void load_deformation(const FiniteElementData& d, Index group, const double* x, Mat3Pack* f) {
  for (int b = 0; b < d.group_batches; ++b) {
    const Index batch = group * d.group_batches + b;
    Pack xc[8][3];
    for (int c = 0; c < d.nodes; ++c) {
      const int* node = d.node.data() + (batch * d.nodes + c) * kLanes;
      for (int l = 0; l < kLanes; ++l)
        for (int i = 0; i < 3; ++i) xc[c][i][l] = x[3 * static_cast<Index>(node[l]) + i];
    }
    for (int s = 0; s < d.samples; ++s) {
      const Pack* g = d.gradients(batch, s);
      Mat3Pack r = zero_mat3();
      for (int c = 0; c < d.nodes; ++c)
        for (int j = 0; j < 3; ++j)
          for (int i = 0; i < 3; ++i) r(i, j) += xc[c][i] * g[3 * c + j];
      f[b * d.samples + s] = r;
    }
  }
}

/// Parameter values of one material at the samples of a group.
inline SampleBatch load_material(const FiniteElementData& d, const MaterialSlot& m, Index group,
                                 const StepContext& step, Group& g) {
  for (const FieldUse& use : m.fields)
    for (Index c = 0; c < use.field->components; ++c) {
      Pack* out = g.params + (use.component + c) * kG;
      if (use.entry.empty()) {
        std::fill(out, out + kG, splat(use.value(0, step, c)));
        continue;
      }
      for (int p = 0; p < kG; ++p) {
        const Index batch = group * d.group_batches + p / d.samples;
        for (int l = 0; l < kLanes; ++l)  // any value will do where the material does not act
          out[p][l] = use.value(std::max(0, use.item(d.lane_element(batch, l))), step, c);
      }
    }
  return {kG, g.f, d.needs_svd ? g.svd : nullptr, g.params};
}

/// Volume of each sample where the material acts, zero elsewhere.
inline Pack weight(const FiniteElementData& d, const MaterialSlot& m, Index group, int p) {
  const Index batch = group * d.group_batches + p / d.samples;
  Pack w = d.cross_measure * d.volume[static_cast<std::size_t>(batch * d.samples + p % d.samples)];
  if (!m.everywhere)
    for (int l = 0; l < kLanes; ++l)
      if (m.item[static_cast<std::size_t>(d.lane_element(batch, l))] < 0) w[l] = 0;
  return w;
}

inline void load_group(const FiniteElementData& d, Index group, const double* x, Group& g) {
  load_deformation(d, group, x, g.f);
  if (d.needs_svd) batched_svd(g.f, g.svd, kG);
}

/// Calls visit(material, batch of samples) for the materials that act in the group.
template <class Visit>
void for_each_material(const FiniteElementData& d, Index group, const StepContext& step, Group& g,
                       const Visit& visit) {
  for (const MaterialSlot& m : d.materials)
    if (m.everywhere || m.group_active[static_cast<std::size_t>(group)])
      visit(m, load_material(d, m, group, step, g));
}

/// Energy of a group, summed over samples and lanes; where `stress` is given it gets V P.
double evaluate_group(const FiniteElementData& d, Index group, const StepContext& step, Group& g,
                      Mat3Pack* stress);
/// z . (d grad E / d cross_measure): grad E is proportional to it. `partial` is scratch.
double cross_measure_vjp(const FiniteElementData& d, const StepContext& step, ConstVec x, ConstVec z,
                         std::vector<double>& partial);
/// V dP/dF of all samples of a group.
void tangent_group(const FiniteElementData& d, Index group, const StepContext& step, Group& g,
                   bool project_psd, TangentPack* total);
/// Sums of T dN_c/dX over the samples of each of the group's elements into the scratch, T given per sample:
/// with T = V P the elements' forces.
void scatter_stress(const FiniteElementData& d, Index group, const Mat3Pack* stress, Pack* force);
/// Adds what scatter_stress() left to the body's nodes (3 numbers each), in the order of elements.
void gather_nodes(const FiniteElementData& d, const std::vector<Pack>& force, double* out);
/// Node numbers, gradients and volumes of the elements of `mesh`, which has the topology that `d` was made
/// for.
void fill_batches(FiniteElementData& d, const Mesh& mesh);

}  // namespace resilin
