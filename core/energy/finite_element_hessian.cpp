// Hessian and quadratic form of FiniteElementEnergy.
#include "core/base/parallel.hpp"
#include "core/energy/finite_element_group.hpp"

#include <Eigen/Eigenvalues>

#include <algorithm>
#include <cstring>

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

void tangent_group(const FiniteElementData& d, Index group, const StepContext& step, Group& g,
                   bool project_psd, TangentPack* total) {
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

/// t[3 k + l][i] = sum_j g_j C_(ij)(kl), C with both of its triangles.
RESILIN_INLINE void contract(const TangentPack& c, const Pack* g, Pack (&t)[27]) {
#pragma GCC unroll 9
  for (int kl = 0; kl < 9; ++kl)
#pragma GCC unroll 3
    for (int i = 0; i < 3; ++i) t[3 * kl + i] = g[0] * c(i, kl) + g[1] * c(3 + i, kl) + g[2] * c(6 + i, kl);
}

/// Lanes of eight packs become packs: out[l][k] = a[k][l].
RESILIN_INLINE void transpose(const Pack* a, Pack (&out)[kLanes]) {
  using Order = long long __attribute__((vector_size(64)));
  Pack b[8], c[8];
  for (int k = 0; k < 8; k += 2) {
    b[k] = __builtin_shuffle(a[k], a[k + 1], Order{0, 8, 2, 10, 4, 12, 6, 14});
    b[k + 1] = __builtin_shuffle(a[k], a[k + 1], Order{1, 9, 3, 11, 5, 13, 7, 15});
  }
  for (const int k : {0, 1, 4, 5}) {
    c[k] = __builtin_shuffle(b[k], b[k + 2], Order{0, 1, 8, 9, 4, 5, 12, 13});
    c[k + 2] = __builtin_shuffle(b[k], b[k + 2], Order{2, 3, 10, 11, 6, 7, 14, 15});
  }
  for (int k = 0; k < 4; ++k) {
    out[k] = __builtin_shuffle(c[k], c[k + 4], Order{0, 1, 2, 3, 8, 9, 10, 11});
    out[k + 4] = __builtin_shuffle(c[k], c[k + 4], Order{4, 5, 6, 7, 12, 13, 14, 15});
  }
}

/// K_ab = sum over samples of g_a^T C g_b for all pairs a <= b of a batch of elements, to out[lane][pair][9].
void write_stiffness(const FiniteElementData& d, const TangentPack* tangent, Index batch, double* out) {
  Pack t[ElementQuadrature::kMaxSamples][27];
  const Index element = d.num_pairs * 9;
  for (int a = 0; a < d.nodes; ++a) {
    for (int s = 0; s < d.samples; ++s) contract(tangent[s], d.gradients(batch, s) + 3 * a, t[s]);
    for (int b = a; b < d.nodes; ++b, out += 9) {
      Pack k[9] = {};
      for (int s = 0; s < d.samples; ++s) {
        const Pack* g = d.gradients(batch, s) + 3 * b;
#pragma GCC unroll 9
        for (int e = 0; e < 9; ++e) {
          k[e] += g[0] * t[s][e];
          k[e] += g[1] * t[s][9 + e];
          k[e] += g[2] * t[s][18 + e];
        }
      }
      Pack lanes[kLanes];
      transpose(k, lanes);
      for (int l = 0; l < kLanes; ++l) {
        std::memcpy(out + l * element, &lanes[l], sizeof(Pack));
        out[l * element + 8] = k[8][l];
      }
    }
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
    Index upper, lower, source;
    bool transposed;
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
        entries.push_back(
            {h.slot(std::min(i, j), std::max(i, j)), h.slot(std::max(i, j), std::min(i, j)), offset, i > j});
      }
  }
  std::stable_sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return a.upper != b.upper ? a.upper < b.upper : a.transposed < b.transposed;
  });
  s.target.clear();
  s.source.clear();
  for (const Entry& e : entries) {
    const Index at = static_cast<Index>(s.source.size());
    if (s.target.empty() || s.target.back().upper != e.upper)
      s.target.push_back({e.upper, e.lower, at, at, at});
    s.source.push_back(e.source);
    s.target.back().end = at + 1;
    if (!e.transposed) s.target.back().transposed = at + 1;
  }
  s.pattern_id = h.pattern_id();
  Index blocks = 0;
  for (const auto& t : s.target) blocks += t.upper == t.lower ? 1 : 2;
  s.sets_all = blocks == h.num_blocks();
}

/// Sum of 3 x 3 blocks: its first eight entries and the ninth.
struct BlockSum {
  Pack first = splat(0.0);
  double last = 0;
  RESILIN_INLINE void add(const double* block) {
    Pack b;
    std::memcpy(&b, block, sizeof b);
    first += b;
    last += block[8];
  }
  RESILIN_INLINE Mat3 matrix() const {
    Mat3 m;
    std::memcpy(m.data(), &first, sizeof first);
    m.data()[8] = last;
    return m;
  }
};

/// Sums the element blocks into the matrix; every target is owned by one chunk.
void gather_blocks(const FiniteElementScratch& s, BlockMatrix& h) {
  const double* k = s.stiffness.data();
  const bool assign = h.begin_sum(s.sets_all);
  parallel_for(static_cast<Index>(s.target.size()), 512, [&](Index begin, Index end) {
    for (Index t = begin; t < end; ++t) {
      const auto& target = s.target[static_cast<std::size_t>(t)];
      BlockSum upright, transposed;
      for (Index i = target.begin; i < target.transposed; ++i)
        upright.add(k + s.source[static_cast<std::size_t>(i)]);
      for (Index i = target.transposed; i < target.end; ++i)
        transposed.add(k + s.source[static_cast<std::size_t>(i)]);
      Mat3 sum = upright.matrix();
      if (target.transposed < target.end) sum += transposed.matrix().transpose();
      Eigen::Map<Mat3> upper(h.block(target.upper)), lower(h.block(target.lower));
      if (assign)
        upper = sum;
      else
        upper += sum;
      if (target.lower == target.upper) continue;
      if (assign)
        lower = sum.transpose();
      else
        lower += sum.transpose();
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
      tangent_group(d, group, c, g, project_psd, tangent);
      for (int b = 0; b < d.group_batches; ++b) {
        const Index batch = group * d.group_batches + b;
        write_stiffness(d, tangent + b * d.samples, batch,
                        s.stiffness.data() + batch * kLanes * d.num_pairs * 9);
      }
    }
  });
  gather_blocks(s, h);
}

namespace {

/// Sum of the materials' quadratic forms per element; evaluated anew only where the parameters change.
std::vector<Mat3> element_forms(const FiniteElementData& d) {
  std::vector<Mat3> sum(static_cast<std::size_t>(d.num_elements), Mat3::Zero());
  for (const MaterialSlot& m : d.materials) {
    std::vector<double> params(static_cast<std::size_t>(m.num_components)), last;
    Mat3 q = Mat3::Zero();
    bool first = true;
    for (std::size_t e = 0; e < sum.size(); ++e) {
      if (!m.item.empty() && m.item[e] < 0) continue;
      for (const FieldUse& use : m.fields)
        for (Index k = 0; k < use.field->components; ++k)
          params[static_cast<std::size_t>(use.component + k)] =
              use.field->at(use.item(static_cast<int>(e)), 0, k);
      if (first || params != last) q = m.material->quadratic_form(params.data());
      last = params;
      first = false;
      sum[e] += q;
    }
  }
  return sum;
}

}  // namespace

void FiniteElementEnergy::add_quadratic_form(Triplets& out) const {
  const FiniteElementData& d = *data_;
  const std::vector<Mat3> form = element_forms(d);
  out.reserve(out.size() + static_cast<std::size_t>(d.num_elements * d.nodes * d.nodes));
  for (Index e = 0; e < d.num_elements; ++e) {
    const Index batch = e / kLanes;
    const auto lane = static_cast<int>(e % kLanes);
    double entry[8][8] = {};
    for (int s = 0; s < d.samples; ++s) {
      const Pack* g = d.gradients(batch, s);
      Vec3 gradient[8];
      for (int a = 0; a < d.nodes; ++a)
        gradient[a] = {g[3 * a][lane], g[3 * a + 1][lane], g[3 * a + 2][lane]};
      const double v = d.cross_measure * d.volume[static_cast<std::size_t>(batch * d.samples + s)][lane];
      for (int b = 0; b < d.nodes; ++b) {
        const Vec3 qb = v * (form[static_cast<std::size_t>(e)] * gradient[b]);
        for (int a = 0; a <= b; ++a) entry[a][b] += gradient[a].dot(qb);
      }
    }
    const int* node = d.node.data() + batch * d.nodes * kLanes + lane;
    for (int a = 0; a < d.nodes; ++a)
      for (int b = 0; b < d.nodes; ++b)
        out.emplace_back(node[a * kLanes], node[b * kLanes], entry[std::min(a, b)][std::max(a, b)]);
  }
}

}  // namespace resilin
