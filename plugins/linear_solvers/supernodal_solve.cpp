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

/// Subtrees that together do most of the work, no more than a share of it each, in [first, last] pairs of
/// supernodes; a subtree is a run because the tree is in postorder.
struct Subtree {
  int first = 0, root = 0;
  double work = 0;
};

std::vector<Subtree> whole_subtrees(const SupernodalFactor& f, std::vector<std::vector<int>>& children) {
  const auto count = static_cast<std::size_t>(f.num_supernodes);
  std::vector<int> owner(static_cast<std::size_t>(f.size));
  for (Index s = 0; s < f.num_supernodes; ++s)
    for (int c = f.first_column[s]; c < f.first_column[s + 1]; ++c)
      owner[static_cast<std::size_t>(c)] = static_cast<int>(s);
  std::vector<Subtree> tree(count);
  children.assign(count + 1, {});  // the last one: roots
  for (std::size_t s = 0; s < count; ++s) {
    const auto i = static_cast<Index>(s);
    tree[s].root = tree[s].first = static_cast<int>(s);
    tree[s].work = static_cast<double>(f.num_rows(i) * f.num_columns(i));
  }
  for (std::size_t s = 0; s < count; ++s) {
    const auto i = static_cast<Index>(s);
    const bool is_root = f.num_rows(i) == f.num_columns(i);
    const int below = is_root ? -1 : f.rows[f.row_start[i] + f.num_columns(i)];
    const std::size_t parent =
        is_root ? count : static_cast<std::size_t>(owner[static_cast<std::size_t>(below)]);
    children[parent].push_back(static_cast<int>(s));
    if (is_root) continue;
    tree[parent].work += tree[s].work;
    tree[parent].first = std::min(tree[parent].first, tree[s].first);
  }
  return tree;
}

}  // namespace

SupernodalSolve::SupernodalSolve(const SupernodalFactor& f) {
  constexpr std::size_t kTasks = 8;
  constexpr double kSmallest = 1 << 15;  // numbers of L that are worth a thread's start
  std::vector<std::vector<int>> children;
  const std::vector<Subtree> tree = whole_subtrees(f, children);
  double total = 0;
  for (Index s = 0; s < f.num_supernodes; ++s) {
    total += static_cast<double>(f.num_rows(s) * f.num_columns(s));
    largest_panel_ = std::max(largest_panel_, f.num_rows(s));
  }
  // Split the largest subtree until none is larger than a share of the work.
  std::vector<int> open = children.back();
  const auto less = [&](int a, int b) {
    return tree[static_cast<std::size_t>(a)].work < tree[static_cast<std::size_t>(b)].work;
  };
  std::make_heap(open.begin(), open.end(), less);
  const double share = std::max(total / (2 * kTasks), kSmallest);
  while (!open.empty() && total > kTasks * kSmallest &&
         tree[static_cast<std::size_t>(open.front())].work > share) {
    std::pop_heap(open.begin(), open.end(), less);
    const int s = open.back();
    open.pop_back();
    top_.push_back(s);
    for (const int c : children[static_cast<std::size_t>(s)]) {
      open.push_back(c);
      std::push_heap(open.begin(), open.end(), less);
    }
  }
  std::sort(top_.begin(), top_.end());
  // Largest first into the task with the least work.
  std::sort(open.begin(), open.end(), [&](int a, int b) { return less(b, a) || (!less(a, b) && a < b); });
  tasks_.resize(top_.empty() ? 1 : kTasks);
  std::vector<double> load(tasks_.size(), 0.0);
  inner_rows_.assign(static_cast<std::size_t>(f.num_supernodes), 0);
  top_row_.assign(static_cast<std::size_t>(f.size), -1);
  for (const int s : top_)
    for (int c = f.first_column[s]; c < f.first_column[s + 1]; ++c)
      top_row_[static_cast<std::size_t>(c)] = static_cast<int>(num_top_rows_++);
  for (const int root : open) {
    const Subtree& t = tree[static_cast<std::size_t>(root)];
    const auto task = static_cast<std::size_t>(std::min_element(load.begin(), load.end()) - load.begin());
    load[task] += t.work;
    for (int s = t.first; s <= root; ++s) tasks_[task].supernodes.push_back(s);
  }
  for (Task& task : tasks_) std::sort(task.supernodes.begin(), task.supernodes.end());
  for (Index s = 0; s < f.num_supernodes; ++s) {
    const int* begin = f.rows + f.row_start[s];
    const int* end = f.rows + f.row_start[s + 1];
    const bool is_top = top_row_[static_cast<std::size_t>(*begin)] >= 0;
    const int* split =
        is_top ? end
               : std::find_if(begin, end, [&](int r) { return top_row_[static_cast<std::size_t>(r)] >= 0; });
    inner_rows_[static_cast<std::size_t>(s)] = static_cast<int>(split - begin);
  }
}

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
  const Index rows = f.num_rows(s), columns = f.num_columns(s), stride = largest_panel_;
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
  const Index inner = inner_rows_[static_cast<std::size_t>(s)];
  for (Index i = 0; i < columns; ++i)
    for (int k = 0; k < kColumns; ++k) y[(f.first_column[s] + i) * kColumns + k] = panel[k * stride + i];
  for (Index i = columns; i < inner; ++i)
    for (int k = 0; k < kColumns; ++k) y[static_cast<Index>(row[i]) * kColumns + k] += panel[k * stride + i];
  for (Index i = inner; i < rows; ++i) {
    const Index r = top_row_[static_cast<std::size_t>(row[i])];
    for (int k = 0; k < kColumns; ++k) outside[r * kColumns + k] += panel[k * stride + i];
  }
}

template <class T, int kColumns>
void SupernodalSolve::backward_panel(const SupernodalFactor& f, Index s, double* panel) {
  const Index rows = f.num_rows(s), columns = f.num_columns(s), stride = largest_panel_;
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
  const auto num_tasks = static_cast<Index>(tasks_.size());
  y_.resize(static_cast<std::size_t>(f.size * kColumns));
  outside_.assign(static_cast<std::size_t>(num_tasks * num_top_rows_ * kColumns), 0.0);
  panels_.resize(static_cast<std::size_t>(num_tasks * largest_panel_ * kColumns));
  const auto panel = [&](Index task) { return panels_.data() + task * largest_panel_ * kColumns; };
  parallel_for(f.size, kRows, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i)
      for (int k = 0; k < kColumns; ++k)
        y_[static_cast<std::size_t>(i * kColumns + k)] = b[k * b_stride + f.permutation[i]];
  });
  parallel_for(num_tasks, 1, [&](Index task, Index) {
    double* outside = outside_.data() + task * num_top_rows_ * kColumns;
    for (const int s : tasks_[static_cast<std::size_t>(task)].supernodes)
      forward_panel<T, kColumns>(f, s, panel(task), outside);
  });
  for (Index task = 0; num_top_rows_ > 0 && task < num_tasks; ++task) {
    const double* outside = outside_.data() + task * num_top_rows_ * kColumns;
    for (const int s : top_)
      for (Index r = f.first_column[s]; r < f.first_column[s + 1]; ++r)
        for (int k = 0; k < kColumns; ++k)
          y_[static_cast<std::size_t>(r * kColumns + k)] +=
              outside[top_row_[static_cast<std::size_t>(r)] * kColumns + k];
  }
  for (const int s : top_) forward_panel<T, kColumns>(f, s, panel(0), nullptr);
  for (auto s = top_.rbegin(); s != top_.rend(); ++s) backward_panel<T, kColumns>(f, *s, panel(0));
  parallel_for(num_tasks, 1, [&](Index task, Index) {
    const auto& own = tasks_[static_cast<std::size_t>(task)].supernodes;
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
