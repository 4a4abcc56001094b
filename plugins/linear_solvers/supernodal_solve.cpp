#include "plugins/linear_solvers/supernodal_solve.hpp"

#include "core/base/parallel.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

namespace resilin {
namespace {

#if defined(__AVX512F__)
constexpr int kWide = 8;
#else
constexpr int kWide = 4;
#endif
constexpr Index kRows = 1 << 11;  // per chunk of a loop over all rows
using Wide = double __attribute__((vector_size(8 * kWide)));

using Narrow = float __attribute__((vector_size(4 * kWide)));

[[gnu::always_inline]] inline Wide load(const double* p) {
  Wide a;
  std::memcpy(&a, p, sizeof a);
  return a;
}
[[gnu::always_inline]] inline Wide load(const float* p) {
  Narrow a;
  std::memcpy(&a, p, sizeof a);
  return __builtin_convertvector(a, Wide);
}
[[gnu::always_inline]] inline void store(double* p, Wide a) {
  std::memcpy(p, &a, sizeof a);
}
[[gnu::always_inline]] inline double sum(Wide a) {
  double r = a[0];
  for (int i = 1; i < kWide; ++i) r += a[i];
  return r;
}

/// t_k[i] -= sum_c l[c * stride + i] v[c][k] for i in [0, count): kDepth columns of L, kColumns of t.
template <int kDepth, int kColumns, class T>
void subtract_product(const T* l, Index stride, const double (&v)[4][kColumns], double* t, Index t_stride,
                      Index count) {
  Index i = 0;
  for (; i + kWide <= count; i += kWide) {
    Wide column[kDepth];
    for (int c = 0; c < kDepth; ++c) column[c] = load(l + c * stride + i);
    for (int k = 0; k < kColumns; ++k) {
      Wide a = load(t + k * t_stride + i);
      for (int c = 0; c < kDepth; ++c) a -= column[c] * v[c][k];
      store(t + k * t_stride + i, a);
    }
  }
  for (; i < count; ++i)
    for (int k = 0; k < kColumns; ++k) {
      double a = t[k * t_stride + i];
      for (int c = 0; c < kDepth; ++c) a -= l[c * stride + i] * v[c][k];
      t[k * t_stride + i] = a;
    }
}

/// s[c][k] = sum_i l[c * stride + i] t_k[i].
template <int kDepth, int kColumns, class T>
void transposed_product(const T* l, Index stride, const double* t, Index t_stride, Index count,
                        double (&s)[4][kColumns]) {
  Wide total[kDepth][kColumns] = {};
  Index i = 0;
  for (; i + kWide <= count; i += kWide) {
    Wide x[kColumns];
    for (int k = 0; k < kColumns; ++k) x[k] = load(t + k * t_stride + i);
    for (int c = 0; c < kDepth; ++c) {
      const Wide column = load(l + c * stride + i);
      for (int k = 0; k < kColumns; ++k) total[c][k] += column * x[k];
    }
  }
  for (int c = 0; c < kDepth; ++c)
    for (int k = 0; k < kColumns; ++k) {
      double r = sum(total[c][k]);
      for (Index rest = i; rest < count; ++rest) r += l[c * stride + rest] * t[k * t_stride + rest];
      s[c][k] = r;
    }
}

/// kDepth columns of a panel, l their first diagonal entry: t <- L^-1 t there, and t below loses their part.
template <int kDepth, int kColumns, class T>
void forward_columns(const T* l, Index stride, Index rows, double* t, Index t_stride) {
  double v[4][kColumns];
  for (int c = 0; c < kDepth; ++c) {
    const double inverse = 1 / static_cast<double>(l[c * stride + c]);
    for (int k = 0; k < kColumns; ++k) {
      double a = t[k * t_stride + c];
      for (int e = 0; e < c; ++e) a -= l[e * stride + c] * v[e][k];
      v[c][k] = a * inverse;
      t[k * t_stride + c] = v[c][k];
    }
  }
  subtract_product<kDepth, kColumns>(l + kDepth, stride, v, t + kDepth, t_stride, rows - kDepth);
}

/// The same columns of L^T: t is known below them and becomes so at them.
template <int kDepth, int kColumns, class T>
void backward_columns(const T* l, Index stride, Index rows, double* t, Index t_stride) {
  double s[4][kColumns];
  transposed_product<kDepth, kColumns>(l + kDepth, stride, t + kDepth, t_stride, rows - kDepth, s);
  for (int c = kDepth - 1; c >= 0; --c) {
    const double inverse = 1 / static_cast<double>(l[c * stride + c]);
    for (int k = 0; k < kColumns; ++k) {
      double a = t[k * t_stride + c] - s[c][k];
      for (int e = c + 1; e < kDepth; ++e) a -= l[c * stride + e] * t[k * t_stride + e];
      t[k * t_stride + c] = a * inverse;
    }
  }
}

/// Calls visit<depth>(j) for runs of up to four columns.
template <class Visit>
void for_runs(Index columns, bool backwards, const Visit& visit) {
  const Index whole = columns - columns % 4;
  const auto rest = [&] {
    switch (columns % 4) {
      case 1:
        visit(std::integral_constant<int, 1>{}, whole);
        break;
      case 2:
        visit(std::integral_constant<int, 2>{}, whole);
        break;
      case 3:
        visit(std::integral_constant<int, 3>{}, whole);
        break;
      default:
        break;
    }
  };
  if (backwards) {
    rest();
    for (Index j = whole - 4; j >= 0; j -= 4) visit(std::integral_constant<int, 4>{}, j);
  } else {
    for (Index j = 0; j < whole; j += 4) visit(std::integral_constant<int, 4>{}, j);
    rest();
  }
}

}  // namespace

bool SupernodalSolve::keep_single(const SupernodalFactor& f) {
  packed_start_.resize(static_cast<std::size_t>(f.num_supernodes));
  Index size = 0;
  for (Index s = 0; s < f.num_supernodes; ++s) {
    packed_start_[static_cast<std::size_t>(s)] = size;
    for (Index j = 0; j < f.num_columns(s); j += 4)
      size += std::min<Index>(4, f.num_columns(s) - j) * (f.num_rows(s) - j);
  }
  packed_.resize(static_cast<std::size_t>(size));
  float* out = packed_.data();
  for (Index s = 0; s < f.num_supernodes; ++s) {
    const Index rows = f.num_rows(s), columns = f.num_columns(s);
    const double* l = f.values + f.value_start[s];
    for (Index j = 0; j < columns; ++j) {
      if (!(l[j * rows + j] > std::numeric_limits<float>::min())) return false;
      for (Index i = j - j % 4; i < rows; ++i) {
        *out = i < j ? 0 : static_cast<float>(l[j * rows + i]);
        if (!std::isfinite(*out++)) return false;
      }
    }
  }
  return true;
}

/// Where the columns of a panel from j on, a multiple of 4, begin with their diagonal, and how far apart they
/// are. In single precision each run of four columns is packed without the rows above it.
template <>
std::pair<const double*, Index> SupernodalSolve::run<double>(const SupernodalFactor& f, Index s,
                                                             Index j) const {
  const Index rows = f.num_rows(s);
  return {f.values + f.value_start[s] + j * rows + j, rows};
}
template <>
std::pair<const float*, Index> SupernodalSolve::run<float>(const SupernodalFactor& f, Index s,
                                                           Index j) const {
  const Index rows = f.num_rows(s), runs = j / 4;
  return {packed_.data() + packed_start_[static_cast<std::size_t>(s)] + j * rows - 8 * runs * (runs - 1),
          rows - j};
}

template <class T, int kColumns>
void SupernodalSolve::forward_panel(const SupernodalFactor& f, Index s, double* panel, double* outside) {
  const Index rows = f.num_rows(s), columns = f.num_columns(s), stride = plan_.largest_panel;
  const int* row = f.rows + f.row_start[s];
  double* y = y_.data();
  const double* own = y + static_cast<Index>(f.first_column[s]) * kColumns;
  for (int k = 0; k < kColumns; ++k) {
    double* t = panel + k * stride;
    for (Index i = 0; i < columns; ++i) t[i] = own[i * kColumns + k];
    std::fill(t + columns, t + rows, 0.0);
  }
  for_runs(columns, false, [&](auto depth, Index j) {
    const auto [l, l_stride] = run<T>(f, s, j);
    forward_columns<decltype(depth)::value, kColumns>(l, l_stride, rows - j, panel + j, stride);
  });
  const Index inner = plan_.inner_rows[static_cast<std::size_t>(s)];
  for (Index i = 0; i < columns; ++i)
    for (int k = 0; k < kColumns; ++k) y[(f.first_column[s] + i) * kColumns + k] = panel[k * stride + i];
  for (Index i = columns; i < inner; ++i)
    for (int k = 0; k < kColumns; ++k) y[static_cast<Index>(row[i]) * kColumns + k] += panel[k * stride + i];
  for (Index i = inner; i < rows; ++i) {
    const Index r = plan_.top_row[static_cast<std::size_t>(row[i])];
    for (int k = 0; k < kColumns; ++k) outside[r * kColumns + k] += panel[k * stride + i];
  }
}

template <class T, int kColumns>
void SupernodalSolve::backward_panel(const SupernodalFactor& f, Index s, double* panel) {
  const Index rows = f.num_rows(s), columns = f.num_columns(s), stride = plan_.largest_panel;
  const int* row = f.rows + f.row_start[s];
  double* y = y_.data();
  for (Index i = 0; i < rows; ++i)
    for (int k = 0; k < kColumns; ++k) panel[k * stride + i] = y[static_cast<Index>(row[i]) * kColumns + k];
  for_runs(columns, true, [&](auto depth, Index j) {
    const auto [l, l_stride] = run<T>(f, s, j);
    backward_columns<decltype(depth)::value, kColumns>(l, l_stride, rows - j, panel + j, stride);
  });
  for (Index i = 0; i < columns; ++i)
    for (int k = 0; k < kColumns; ++k) y[(f.first_column[s] + i) * kColumns + k] = panel[k * stride + i];
}

template <class T, int kColumns>
void SupernodalSolve::solve_columns(const SupernodalFactor& f, const double* b, Index b_stride, double* x,
                                    Index x_stride) {
  const auto num_tasks = static_cast<Index>(plan_.tasks.size());
  y_.resize(static_cast<std::size_t>(f.size * kColumns));
  outside_.assign(static_cast<std::size_t>(num_tasks * plan_.num_top_rows * kColumns), 0.0);
  panels_.resize(static_cast<std::size_t>(num_tasks * plan_.largest_panel * kColumns));
  const auto panel = [&](Index task) { return panels_.data() + task * plan_.largest_panel * kColumns; };
  parallel_for(f.size, kRows, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i)
      for (int k = 0; k < kColumns; ++k)
        y_[static_cast<std::size_t>(i * kColumns + k)] = b[k * b_stride + f.permutation[i]];
  });
  parallel_for(num_tasks, 1, [&](Index task, Index) {
    double* outside = outside_.data() + task * plan_.num_top_rows * kColumns;
    for (const int s : plan_.tasks[static_cast<std::size_t>(task)])
      forward_panel<T, kColumns>(f, s, panel(task), outside);
  });
  for (Index task = 0; plan_.num_top_rows > 0 && task < num_tasks; ++task) {
    const double* outside = outside_.data() + task * plan_.num_top_rows * kColumns;
    for (const int s : plan_.top)
      for (Index r = f.first_column[s]; r < f.first_column[s + 1]; ++r)
        for (int k = 0; k < kColumns; ++k)
          y_[static_cast<std::size_t>(r * kColumns + k)] +=
              outside[plan_.top_row[static_cast<std::size_t>(r)] * kColumns + k];
  }
  for (const int s : plan_.top) forward_panel<T, kColumns>(f, s, panel(0), nullptr);
  for (auto s = plan_.top.rbegin(); s != plan_.top.rend(); ++s) backward_panel<T, kColumns>(f, *s, panel(0));
  parallel_for(num_tasks, 1, [&](Index task, Index) {
    const auto& own = plan_.tasks[static_cast<std::size_t>(task)];
    for (auto s = own.rbegin(); s != own.rend(); ++s) backward_panel<T, kColumns>(f, *s, panel(task));
  });
  parallel_for(f.size, kRows, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i)
      for (int k = 0; k < kColumns; ++k)
        x[k * x_stride + f.permutation[i]] = y_[static_cast<std::size_t>(i * kColumns + k)];
  });
}

template <class T>
void SupernodalSolve::solve_all(const SupernodalFactor& f, const Eigen::Ref<const MatX>& b,
                                Eigen::Ref<MatX> x) {
  for (Index first = 0; first < b.cols(); first += 4) {
    const double* from = b.data() + first * b.outerStride();
    double* to = x.data() + first * x.outerStride();
    switch (std::min<Index>(4, b.cols() - first)) {
      case 1:
        solve_columns<T, 1>(f, from, b.outerStride(), to, x.outerStride());
        break;
      case 2:
        solve_columns<T, 2>(f, from, b.outerStride(), to, x.outerStride());
        break;
      case 3:
        solve_columns<T, 3>(f, from, b.outerStride(), to, x.outerStride());
        break;
      default:
        solve_columns<T, 4>(f, from, b.outerStride(), to, x.outerStride());
        break;
    }
  }
}

void SupernodalSolve::solve(const SupernodalFactor& f, const Eigen::Ref<const MatX>& b, Eigen::Ref<MatX> x) {
  solve_all<double>(f, b, x);
}
void SupernodalSolve::solve_single(const SupernodalFactor& f, const Eigen::Ref<const MatX>& b,
                                   Eigen::Ref<MatX> x) {
  solve_all<float>(f, b, x);
}

}  // namespace resilin
