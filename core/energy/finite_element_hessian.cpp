// Hessian and quadratic form of FiniteElementEnergy.
#include "core/base/parallel.hpp"
#include "core/energy/finite_element_group.hpp"

#include <Eigen/Eigenvalues>

#include <algorithm>

namespace resilin {
namespace {

/// Symmetric 9 x 9 blocks of one sample pack replaced by their nearest positive semidefinite ones, lane by
/// lane.
void project_to_psd(TangentPack& c) {
  using Mat9 = Eigen::Matrix<double, 9, 9>;
  for (int l = 0; l < kLanes; ++l) {
    Mat9 a;
    for (int i = 0; i < 9; ++i)
      for (int j = 0; j < 9; ++j) a(i, j) = c(i, j)[l];
    const Eigen::SelfAdjointEigenSolver<Mat9> eigen(a);
    if (eigen.eigenvalues()[0] >= 0) continue;
    const Mat9 p = eigen.eigenvectors() * eigen.eigenvalues().cwiseMax(0).asDiagonal() *
                   eigen.eigenvectors().transpose();
    for (int i = 0; i < 9; ++i)
      for (int j = i; j < 9; ++j) c(i, j)[l] = p(i, j);
  }
}

}  // namespace

void tangent_group(const FiniteElementData& d, Index group, Index step, Group& g, bool project_psd,
                   TangentPack* total) {
  for (int p = 0; p < kG; ++p)
    for (auto& e : total[p].c) e = splat(0.0);
  for_each_material(d, group, step, g, [&](const MaterialSlot& m, const SampleBatch& batch) {
    TangentPack c[kG];
    for (auto& t : c)
      for (auto& e : t.c) e = splat(0.0);
    m.material->add_tangent(batch, c);
    for (int p = 0; p < kG; ++p) {
      const Pack w = weight(d, m, group, p);
      for (int k = 0; k < 45; ++k) total[p].c[k] += w != 0.0 ? w * c[p].c[k] : splat(0.0);
    }
  });
  if (project_psd)
    for (int p = 0; p < kG; ++p) project_to_psd(total[p]);
}

namespace {

/// K_ab += g_a^T C g_b for all pairs a <= b of one sample pack.
void add_stiffness(const TangentPack& c, const Pack* g, int nodes, Pack* k) {
  for (int a = 0; a < nodes; ++a) {
    Pack t[3][9];  // t[i][kl] = sum_j g_a[j] C_(ij)(kl)
    for (int i = 0; i < 3; ++i)
      for (int kl = 0; kl < 9; ++kl)
        t[i][kl] = g[3 * a] * c(i, kl) + g[3 * a + 1] * c(3 + i, kl) + g[3 * a + 2] * c(6 + i, kl);
    for (int b = a; b < nodes; ++b, k += 9)
      for (int col = 0; col < 3; ++col)
        for (int i = 0; i < 3; ++i)
          k[3 * col + i] +=
              t[i][col] * g[3 * b] + t[i][3 + col] * g[3 * b + 1] + t[i][6 + col] * g[3 * b + 2];
  }
}

}  // namespace

void FiniteElementEnergy::add_pattern(BlockPattern& pattern) const {
  const FiniteElementData& d = *data_;
  std::vector<int> nodes(static_cast<std::size_t>(d.nodes));
  for (Index e = 0; e < d.num_elements; ++e) {
    for (int c = 0; c < d.nodes; ++c)
      nodes[static_cast<std::size_t>(c)] =
          d.node[static_cast<std::size_t>(((e / kLanes) * d.nodes + c) * kLanes + e % kLanes)];
    pattern.add_clique(nodes.data(), d.nodes);
  }
}

namespace {

/// Lists, for every block of the matrix, the element blocks that are summed into it, in the order of
/// elements.
void build_gather(const FiniteElementData& d, const BlockMatrix& h, FiniteElementScratch& s) {
  struct Entry {
    Index upper, lower;
    std::int64_t source;
  };
  std::vector<Entry> entries;
  entries.reserve(static_cast<std::size_t>(d.num_elements * d.num_pairs));
  for (Index e = 0; e < d.num_elements; ++e) {
    const Index batch = e / kLanes, lane = e % kLanes;
    Index pair = 0;
    for (int a = 0; a < d.nodes; ++a)
      for (int b = a; b < d.nodes; ++b, ++pair) {
        const Index i = d.node[static_cast<std::size_t>((batch * d.nodes + a) * kLanes + lane)];
        const Index j = d.node[static_cast<std::size_t>((batch * d.nodes + b) * kLanes + lane)];
        const Index offset = (e * d.num_pairs + pair) * 9;
        entries.push_back({h.slot(std::min(i, j), std::max(i, j)), h.slot(std::max(i, j), std::min(i, j)),
                           2 * static_cast<std::int64_t>(offset) + (i > j ? 1 : 0)});
      }
  }
  std::stable_sort(entries.begin(), entries.end(),
                   [](const Entry& a, const Entry& b) { return a.upper < b.upper; });
  s.target.clear();
  s.source.clear();
  for (const Entry& e : entries) {
    if (s.target.empty() || s.target.back().upper != e.upper) {
      const Index at = static_cast<Index>(s.source.size());
      s.target.push_back({e.upper, e.lower, at, at});
    }
    s.source.push_back(e.source);
    s.target.back().end = static_cast<Index>(s.source.size());
  }
  s.pattern_id = h.pattern_id();
}

/// Sums the element blocks into the matrix; every target is owned by one chunk.
void gather_blocks(const FiniteElementScratch& s, BlockMatrix& h) {
  const double* k = s.stiffness.data();
  parallel_for(static_cast<Index>(s.target.size()), 512, [&](Index begin, Index end) {
    for (Index t = begin; t < end; ++t) {
      const auto& target = s.target[static_cast<std::size_t>(t)];
      Mat3 sum = Mat3::Zero();
      for (Index i = target.begin; i < target.end; ++i) {
        const std::int64_t source = s.source[static_cast<std::size_t>(i)];
        const Eigen::Map<const Mat3> b(k + (source >> 1));
        if ((source & 1) != 0)
          sum += b.transpose();
        else
          sum += b;
      }
      Eigen::Map<Mat3>(h.block(target.upper)) += sum;
      if (target.lower != target.upper) Eigen::Map<Mat3>(h.block(target.lower)) += sum.transpose();
    }
  });
}

}  // namespace

void FiniteElementEnergy::add_hessian(const StepContext& c, ConstVec x, BlockMatrix& h, bool project_psd,
                                      Workspace& ws) const {
  const FiniteElementData& d = *data_;
  auto& s = ws.slot<FiniteElementScratch>(this);
  if (s.pattern_id != h.pattern_id()) build_gather(d, h, s);
  s.stiffness.resize(static_cast<std::size_t>(d.num_batches * kLanes * d.num_pairs * 9));
  parallel_for(d.num_groups, kGrain, [&](Index begin, Index end) {
    Group g;
    TangentPack tangent[kG];
    for (Index group = begin; group < end; ++group) {
      load_group(d, group, x.data(), g);
      tangent_group(d, group, c.step, g, project_psd, tangent);
      for (int b = 0; b < d.group_batches; ++b) {
        const Index batch = group * d.group_batches + b;
        Pack k[36 * 9];
        std::fill(k, k + d.num_pairs * 9, splat(0.0));
        for (int q = 0; q < d.samples; ++q)
          add_stiffness(tangent[b * d.samples + q], d.gradients(batch, q), d.nodes, k);
        double* out = s.stiffness.data() + batch * kLanes * d.num_pairs * 9;
        for (int l = 0; l < kLanes; ++l, out += d.num_pairs * 9)
          for (Index e = 0; e < d.num_pairs * 9; ++e) out[e] = k[e][l];
      }
    }
  });
  gather_blocks(s, h);
}

void FiniteElementEnergy::add_quadratic_form(Triplets& out) const {
  const FiniteElementData& d = *data_;
  for (const MaterialSlot& m : d.materials) {
    std::vector<double> params(static_cast<std::size_t>(m.num_components)), last;
    Mat3 q = Mat3::Zero();
    bool first = true;
    for (Index e = 0; e < d.num_elements; ++e) {
      const int item = m.item.empty() ? static_cast<int>(e) : m.item[static_cast<std::size_t>(e)];
      if (item < 0) continue;
      for (const FieldUse& use : m.fields)
        for (Index k = 0; k < use.field->components; ++k)
          params[static_cast<std::size_t>(use.component + k)] =
              use.field->at(use.item(static_cast<int>(e)), 0, k);
      if (first || params != last) q = m.material->quadratic_form(params.data());
      last = params;
      first = false;
      const Index batch = e / kLanes;
      const auto lane = static_cast<int>(e % kLanes);
      for (int a = 0; a < d.nodes; ++a)
        for (int b = 0; b < d.nodes; ++b) {
          double entry = 0;
          for (int s = 0; s < d.samples; ++s) {
            const Pack* g = d.gradients(batch, s);
            Vec3 ga, gb;
            for (int j = 0; j < 3; ++j) ga[j] = g[3 * a + j][lane], gb[j] = g[3 * b + j][lane];
            entry += d.cross_measure * d.volume[static_cast<std::size_t>(batch * d.samples + s)][lane] *
                     ga.dot(q * gb);
          }
          out.emplace_back(d.node[static_cast<std::size_t>((batch * d.nodes + a) * kLanes + lane)],
                           d.node[static_cast<std::size_t>((batch * d.nodes + b) * kLanes + lane)], entry);
        }
    }
  }
}

}  // namespace resilin
