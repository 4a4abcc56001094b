#include "core/energy/finite_element_energy.hpp"

#include "core/base/parallel.hpp"
#include "core/energy/finite_element_group.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace resilin {

double evaluate_group(const FiniteElementData& d, Index group, const StepContext& step, Group& g,
                      Mat3Pack* stress) {
  Pack total = splat(0.0);
  if (stress != nullptr)
    for (int p = 0; p < kG; ++p) stress[p] = zero_mat3();
  for_each_material(d, group, step, g, [&](const MaterialSlot& m, const SampleBatch& batch) {
    Pack psi[kG];
    Mat3Pack sigma[kG];
    for (int p = 0; p < kG; ++p) psi[p] = splat(0.0);
    if (stress == nullptr) {
      m.material->add_energy(batch, psi);
    } else {
      for (int p = 0; p < kG; ++p) sigma[p] = zero_mat3();
      m.material->add_stress(batch, psi, sigma);
    }
    for (int p = 0; p < kG; ++p) {
      const Pack w = weight(d, m, group, p);
      // Where the material does not act its value must not leak in, not even as NaN.
      total += w != 0.0 ? w * psi[p] : splat(0.0);
      if (stress == nullptr) continue;
      for (int k = 0; k < 9; ++k) stress[p].m[k] += w != 0.0 ? w * sigma[p].m[k] : splat(0.0);
    }
  });
  return sum(total);
}

void scatter_stress(const FiniteElementData& d, Index group, const Mat3Pack* stress, Pack* force) {
  for (int b = 0; b < d.group_batches; ++b) {
    const Index batch = group * d.group_batches + b;
    Pack* out = force + batch * d.nodes * 3;
    for (int k = 0; k < d.nodes * 3; ++k) out[k] = splat(0.0);
    for (int s = 0; s < d.samples; ++s) {
      const Mat3Pack& p = stress[b * d.samples + s];
      const Pack* g = d.gradients(batch, s);
      for (int c = 0; c < d.nodes; ++c)
        for (int i = 0; i < 3; ++i)
          out[3 * c + i] += p(i, 0) * g[3 * c] + p(i, 1) * g[3 * c + 1] + p(i, 2) * g[3 * c + 2];
    }
  }
}

void gather_nodes(const FiniteElementData& d, const std::vector<Pack>& force, double* out) {
  const auto* scattered = reinterpret_cast<const double*>(force.data());
  parallel_for(d.num_body_nodes, 512, [&](Index begin, Index end) {
    for (Index n = begin; n < end; ++n) {
      double f[3] = {0, 0, 0};
      for (Index k = d.gather_start[static_cast<std::size_t>(n)];
           k < d.gather_start[static_cast<std::size_t>(n) + 1]; ++k) {
        const double* p = scattered + d.gather[static_cast<std::size_t>(k)];
        f[0] += p[0], f[1] += p[kLanes], f[2] += p[2 * kLanes];
      }
      for (int i = 0; i < 3; ++i) out[3 * n + i] += f[i];
    }
  });
}

double FiniteElementEnergy::value(const StepContext& c, ConstVec x, Workspace& ws) const {
  const FiniteElementData& d = *data_;
  auto& scratch = ws.slot<FiniteElementScratch>(this);
  scratch.partial.resize(static_cast<std::size_t>(d.num_groups));
  parallel_for(d.num_groups, kGrain, [&](Index begin, Index end) {
    Group g;
    for (Index group = begin; group < end; ++group) {
      load_group(d, group, x.data(), g);
      scratch.partial[static_cast<std::size_t>(group)] = evaluate_group(d, group, c, g, nullptr);
    }
  });
  double sum = 0;
  for (const double e : scratch.partial) sum += e;
  return sum;
}

double FiniteElementEnergy::add_gradient(const StepContext& c, ConstVec x, MutVec grad, Workspace& ws) const {
  const FiniteElementData& d = *data_;
  auto& scratch = ws.slot<FiniteElementScratch>(this);
  scratch.partial.resize(static_cast<std::size_t>(d.num_groups));
  scratch.force.resize(static_cast<std::size_t>(d.num_batches * d.nodes * 3));
  parallel_for(d.num_groups, kGrain, [&](Index begin, Index end) {
    Group g;
    Mat3Pack stress[kG];
    for (Index group = begin; group < end; ++group) {
      load_group(d, group, x.data(), g);
      scratch.partial[static_cast<std::size_t>(group)] = evaluate_group(d, group, c, g, stress);
      scatter_stress(d, group, stress, scratch.force.data());
    }
  });
  gather_nodes(d, scratch.force, grad.data() + 3 * d.first_node);
  double sum = 0;
  for (const double e : scratch.partial) sum += e;
  return sum;
}

namespace {

/// Adds what a group contributes to the parameters of a material. A field with one value for all elements
/// gets its sum over the group in `sums` (one per component); an item of one element is written at once: an
/// element belongs to one group, so no two threads meet. Items that elements share are left to sum_shared().
void reduce_group(const FiniteElementData& d, const MaterialSlot& m, Index group, Index step, const Pack* vjp,
                  double* sums, double* shared, MutVec out) {
  for (const FieldUse& use : m.fields)
    for (Index c = 0; c < use.field->components; ++c) {
      const Index component = use.component + c;
      Pack total = splat(0.0);
      for (int p = 0; p < kG; ++p) {
        const Pack w = weight(d, m, group, p);
        const Pack part = w != 0.0 ? w * vjp[component * kG + p] : splat(0.0);
        total += part;
        if (use.entry.empty()) continue;
        const Index batch = group * d.group_batches + p / d.samples;
        for (int l = 0; l < kLanes; ++l) {
          const int e = d.lane_element(batch, l), item = use.item(e);
          if (item < 0) continue;
          if (use.shared >= 0)
            shared[(use.shared + c) * d.num_elements + e] += part[l];
          else
            out[use.offset + use.field->index(item, step, c)] += part[l];
        }
      }
      sums[component] = sum(total);
    }
}

/// Adds the gradients at the elements to the items that they share, in the order of elements.
void sum_shared(const FiniteElementData& d, const FieldUse& use, Index step, const double* shared,
                MutVec out) {
  for (Index c = 0; use.shared >= 0 && c < use.field->components; ++c)
    for (Index e = 0; e < d.num_elements; ++e)
      if (const int item = use.item(static_cast<int>(e)); item >= 0)
        out[use.offset + use.field->index(item, step, c)] += shared[(use.shared + c) * d.num_elements + e];
}

}  // namespace

void FiniteElementEnergy::add_param_vjp(const StepContext& c, ConstVec x, ConstVec z, MutVec out,
                                        Workspace& ws) const {
  const FiniteElementData& d = *data_;
  if (d.num_parameters == 0) return;
  auto& scratch = ws.slot<FiniteElementScratch>(this);
  if (d.cross_measure_is_parameter) out[0] += cross_measure_vjp(d, c, x, z, scratch.partial);
  if (d.rest_is_parameter)
    add_rest_vjp(c, x, z, out.segment(d.cross_measure_is_parameter ? 1 : 0, 3 * d.num_body_nodes), ws);
  Index columns = 0;
  for (const MaterialSlot& m : d.materials) columns += m.num_components;
  scratch.partial.assign(static_cast<std::size_t>(d.num_groups * columns), 0.0);
  scratch.shared.assign(static_cast<std::size_t>(d.num_shared * d.num_elements), 0.0);
  parallel_for(d.num_groups, kGrain, [&](Index begin, Index end) {
    Group g;
    Mat3Pack dz[kG];
    for (Index group = begin; group < end; ++group) {
      load_group(d, group, x.data(), g);
      load_deformation(d, group, z.data(), dz);
      double* sums = scratch.partial.data() + group * columns;
      for (const MaterialSlot& m : d.materials) {
        if (m.everywhere || m.group_active[static_cast<std::size_t>(group)]) {
          Pack vjp[Material::kMaxComponents * kG];
          std::fill(vjp, vjp + m.num_components * kG, splat(0.0));
          m.material->add_param_vjp(load_material(d, m, group, c, g), dz, vjp);
          reduce_group(d, m, group, c.step, vjp, sums, scratch.shared.data(), out);
        }
        sums += m.num_components;
      }
    }
  });
  Index first = 0;
  for (const MaterialSlot& m : d.materials) {
    for (const FieldUse& use : m.fields) {
      sum_shared(d, use, c.step, scratch.shared.data(), out);
      for (Index k = 0; use.entry.empty() && k < use.field->components; ++k) {
        double total = 0;
        for (Index group = 0; group < d.num_groups; ++group)
          total += scratch.partial[static_cast<std::size_t>(group * columns + first + use.component + k)];
        out[use.offset + use.field->index(0, c.step, k)] += total;
      }
    }
    first += m.num_components;
  }
}

bool FiniteElementEnergy::is_projective() const {
  return std::all_of(data_->materials.begin(), data_->materials.end(),
                     [](const MaterialSlot& m) { return m.material->is_projective(); });
}
Index FiniteElementEnergy::num_parameters() const {
  return data_->num_parameters;
}
Index FiniteElementEnergy::num_materials() const {
  return static_cast<Index>(data_->materials.size());
}
Material& FiniteElementEnergy::material(Index i) {
  return *data_->materials[static_cast<std::size_t>(i)].material;
}

void FiniteElementEnergy::parameters_changed() {
  for (const MaterialSlot& m : data_->materials) m.material->parameters_changed();
}

namespace {

/// det F of volumes; of surfaces and curves by how much the area or length has grown.
Pack growth(const FiniteElementData& d, const Mat3Pack& f) {
  if (is_volume(d.type)) return det(f);
  const Mat3Pack c = cofactor(f);
  return sqrt(d.type == ElementType::Tri3 ? dot(c, c) : dot(f, f));
}

}  // namespace

std::string FiniteElementEnergy::diagnose(const StepContext& c, ConstVec x) const {
  const FiniteElementData& d = *data_;
  Group g;
  double smallest = std::numeric_limits<double>::infinity();
  Index flattest = -1;
  for (Index group = 0; group < d.num_groups; ++group) {
    load_group(d, group, x.data(), g);
    for (int p = 0; p < kG; ++p) {
      const Index batch = group * d.group_batches + p / d.samples;
      const Pack volume = growth(d, g.f[p]);
      Pack psi = splat(0.0);
      for_each_material(d, group, c, g, [&](const MaterialSlot& m, const SampleBatch& b) {
        Pack all[kG];
        for (auto& e : all) e = splat(0.0);
        m.material->add_energy(b, all);
        psi += all[p];
      });
      for (int l = 0; l < kLanes; ++l) {
        const int e = d.lane_element(batch, l);
        if (e >= d.num_elements) continue;
        if (!std::isfinite(volume[l])) return fmt::format("element {}: positions are not finite", e);
        if (volume[l] <= 0 && is_volume(d.type))
          return fmt::format("element {} is inverted (det F = {:.3g})", e, volume[l]);
        if (volume[l] <= 0) return fmt::format("element {} has shrunk to nothing", e);
        if (!std::isfinite(psi[l])) return fmt::format("element {}: its energy is not a number", e);
        if (volume[l] >= smallest) continue;
        smallest = volume[l];
        flattest = e;
      }
    }
  }
  constexpr double kAlmostFlat = 0.1;  // a tenth of the volume is left
  if (smallest < kAlmostFlat && is_volume(d.type))
    return fmt::format("element {} is almost inverted (det F = {:.3g})", flattest, smallest);
  if (smallest < kAlmostFlat)
    return fmt::format("element {} has shrunk to {:.3g} of its {}", flattest, smallest,
                       d.type == ElementType::Tri3 ? "area" : "length");
  return {};
}

}  // namespace resilin
