#include "plugins/contact_solvers/contact_sweep.hpp"

namespace resilin {
namespace {

constexpr double kSettled = 1e-13;  // relative change of forces

}  // namespace

void ContactSweep::prepare(const ContactIterate& i) {
  const auto count = static_cast<Index>(i.active.size());
  nodes_.clear();
  place_.clear();
  for (const ActiveContact& a : i.active) {
    if (nodes_.empty() || nodes_.back() != a.node) nodes_.push_back(a.node);
    place_.push_back(static_cast<Index>(nodes_.size()) - 1);
  }
  change_.setZero(3, count);
  at_node_.setZero(3, static_cast<Index>(nodes_.size()));
  free_slip_.resize(3, count);
  for (Index k = 0; k < count; ++k) {
    const ActiveContact& a = i.active[static_cast<std::size_t>(k)];
    free_slip_.col(k) = a.law.slip - a.law.d_slip * i.preconditioned.segment<3>(3 * a.node);
  }
}

Vec3 ContactSweep::moved_by_forces(Index contact) const {
  const Index row = place_[static_cast<std::size_t>(contact)];
  return {compliance_[0].col(row).dot(at_node_.row(0)), compliance_[1].col(row).dot(at_node_.row(1)),
          compliance_[2].col(row).dot(at_node_.row(2))};
}

Index ContactSweep::gauss_seidel(const ContactIterate& i, Index sweeps) {
  prepare(i);
  compliance_ = p_.step.compliance(nodes_);
  for (Index sweep = 1; sweep <= sweeps; ++sweep) {
    double largest_change = 0, largest = 0;
    for (Index k = 0; k < change_.cols(); ++k) {
      const ActiveContact& a = i.active[static_cast<std::size_t>(k)];
      const Index row = place_[static_cast<std::size_t>(k)];
      const double rho = 3 / (compliance_[0](row, row) + compliance_[1](row, row) + compliance_[2](row, row));
      const Vec3 before = i.forces.col(static_cast<Index>(a.pair)) + change_.col(k),
                 slip = free_slip_.col(k) + a.law.d_slip * moved_by_forces(k),
                 after = a.model->respond(before - rho * slip, a.law.surface.normal).force;
      change_.col(k) += after - before;
      at_node_.col(row) += after - before;
      largest_change = std::max(largest_change, (after - before).norm());
      largest = std::max(largest, after.norm());
    }
    if (largest_change <= kSettled * largest) return sweep;
  }
  return sweeps;
}

void ContactSweep::split(const ContactIterate& i) {
  prepare(i);
  for (Index k = 0; k < change_.cols(); ++k) {
    const ActiveContact& a = i.active[static_cast<std::size_t>(k)];
    const double rho = p_.step.inertia() * p_.system.mass()[a.node];
    const Vec3 force = i.forces.col(static_cast<Index>(a.pair));
    change_.col(k) = a.model->respond(force - rho * a.law.slip, a.law.surface.normal).force - force;
  }
}

void ContactSweep::move(ContactIterate& i) {
  rhs_ = -i.r;
  for (Index k = 0; k < change_.cols(); ++k) {
    const ActiveContact& a = i.active[static_cast<std::size_t>(k)];
    rhs_.segment<3>(3 * a.node) += change_.col(k);
    i.forces.col(static_cast<Index>(a.pair)) += change_.col(k);
  }
  dx_.resize(i.x.size());
  p_.step.precondition(rhs_, dx_);
  i.x += dx_;
}

}  // namespace resilin
