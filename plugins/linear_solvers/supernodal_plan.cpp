#include "plugins/linear_solvers/supernodal_plan.hpp"

#include <algorithm>

namespace resilin {
namespace {

/// Supernodes [first, root]: a subtree is a run because the tree is in postorder.
struct Subtree {
  int first = 0, root = 0;
  double work = 0;  ///< numbers of L
};
struct Tree {
  std::vector<Subtree> subtrees;           ///< of each supernode
  std::vector<std::vector<int>> children;  ///< of each supernode; the last one: roots
  bool is_smaller(int a, int b) const {
    return subtrees[static_cast<std::size_t>(a)].work < subtrees[static_cast<std::size_t>(b)].work;
  }
};

Tree elimination_tree(const SupernodalFactor& f) {
  const auto count = static_cast<std::size_t>(f.num_supernodes);
  std::vector<int> owner(static_cast<std::size_t>(f.size));
  for (Index s = 0; s < f.num_supernodes; ++s)
    for (int c = f.first_column[s]; c < f.first_column[s + 1]; ++c)
      owner[static_cast<std::size_t>(c)] = static_cast<int>(s);
  Tree tree{std::vector<Subtree>(count), std::vector<std::vector<int>>(count + 1)};
  for (std::size_t s = 0; s < count; ++s) {
    const auto i = static_cast<Index>(s);
    tree.subtrees[s] = {static_cast<int>(s), static_cast<int>(s),
                        static_cast<double>(f.num_rows(i) * f.num_columns(i))};
  }
  for (std::size_t s = 0; s < count; ++s) {
    const auto i = static_cast<Index>(s);
    const bool is_root = f.num_rows(i) == f.num_columns(i);
    const int below = is_root ? -1 : f.rows[f.row_start[i] + f.num_columns(i)];
    const std::size_t parent =
        is_root ? count : static_cast<std::size_t>(owner[static_cast<std::size_t>(below)]);
    tree.children[parent].push_back(static_cast<int>(s));
    if (is_root) continue;
    tree.subtrees[parent].work += tree.subtrees[s].work;
    tree.subtrees[parent].first = std::min(tree.subtrees[parent].first, tree.subtrees[s].first);
  }
  return tree;
}

constexpr std::size_t kTasks = 8;
constexpr double kSmallest = 1 << 15;  // numbers of L that are worth a thread's start

/// Roots of subtrees of which none is larger than a share of the work: the largest is split until that is so,
/// and what it loses goes to the top.
std::vector<int> split(const Tree& tree, double total, std::vector<int>& top) {
  std::vector<int> open = tree.children.back();
  const auto less = [&](int a, int b) { return tree.is_smaller(a, b); };
  std::make_heap(open.begin(), open.end(), less);
  const double share = std::max(total / (2 * kTasks), kSmallest);
  while (!open.empty() && total > kTasks * kSmallest &&
         tree.subtrees[static_cast<std::size_t>(open.front())].work > share) {
    std::pop_heap(open.begin(), open.end(), less);
    const int s = open.back();
    open.pop_back();
    top.push_back(s);
    for (const int c : tree.children[static_cast<std::size_t>(s)]) {
      open.push_back(c);
      std::push_heap(open.begin(), open.end(), less);
    }
  }
  std::sort(top.begin(), top.end());
  return open;
}

/// Largest first into the task with the least work.
void assign(const Tree& tree, std::vector<int> roots, SupernodalPlan& plan) {
  std::sort(roots.begin(), roots.end(),
            [&](int a, int b) { return tree.is_smaller(b, a) || (!tree.is_smaller(a, b) && a < b); });
  plan.tasks.resize(plan.top.empty() ? 1 : kTasks);
  std::vector<double> load(plan.tasks.size(), 0.0);
  for (const int root : roots) {
    const Subtree& t = tree.subtrees[static_cast<std::size_t>(root)];
    const auto task = static_cast<std::size_t>(std::min_element(load.begin(), load.end()) - load.begin());
    load[task] += t.work;
    for (int s = t.first; s <= root; ++s) plan.tasks[task].push_back(s);
  }
  for (auto& task : plan.tasks) std::sort(task.begin(), task.end());
}

}  // namespace

SupernodalPlan plan_supernodal(const SupernodalFactor& f) {
  SupernodalPlan plan;
  double total = 0;
  for (Index s = 0; s < f.num_supernodes; ++s) {
    total += static_cast<double>(f.num_rows(s) * f.num_columns(s));
    plan.largest_panel = std::max(plan.largest_panel, f.num_rows(s));
  }
  const Tree tree = elimination_tree(f);
  assign(tree, split(tree, total, plan.top), plan);
  plan.top_row.assign(static_cast<std::size_t>(f.size), -1);
  for (const int s : plan.top)
    for (int c = f.first_column[s]; c < f.first_column[s + 1]; ++c)
      plan.top_row[static_cast<std::size_t>(c)] = static_cast<int>(plan.num_top_rows++);
  const auto is_top = [&](int row) { return plan.top_row[static_cast<std::size_t>(row)] >= 0; };
  for (Index s = 0; s < f.num_supernodes; ++s) {
    const int* begin = f.rows + f.row_start[s];
    const int* end = f.rows + f.row_start[s + 1];
    plan.inner_rows.push_back(
        static_cast<int>((is_top(*begin) ? end : std::find_if(begin, end, is_top)) - begin));
  }
  return plan;
}

}  // namespace resilin
