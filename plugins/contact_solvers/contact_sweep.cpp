#include "plugins/contact_solvers/contact_sweep.hpp"

#include <algorithm>

namespace resilin {
namespace {

constexpr double kSettled = 1e-13;  // relative change of forces

}  // namespace

void ContactSweep::prepare(const ContactIterate& i) {
  const auto count = static_cast<Index>(i.active.size());
  nodes_.find(i.active);
  change_.setZero(3, count);
  at_node_.setZero(3, static_cast<Index>(nodes_.list().size()));
  free_slip_.resize(3, count);
  for (Index k = 0; k < count; ++k) {
    const ActiveContact& a = i.active[static_cast<std::size_t>(k)];
    free_slip_.col(k) = a.law.slip - a.law.d_slip * a.nodes.gather(i.preconditioned);
  }
}

Vec3 ContactSweep::moved_by_forces(Index contact) const {
  Vec3 moved = Vec3::Zero();
  for (const auto& [row, weight] : nodes_.of(contact))
    moved += weight * Vec3(compliance_[0].col(row).dot(at_node_.row(0)),
                           compliance_[1].col(row).dot(at_node_.row(1)),
                           compliance_[2].col(row).dot(at_node_.row(2)));
  return moved;
}

double ContactSweep::stiffness(Index contact, const Mat3& d_slip) const {
  Vec3 compliance = Vec3::Zero();
  for (const auto& [row, w] : nodes_.of(contact))
    for (const auto& [column, v] : nodes_.of(contact))
      for (Index axis = 0; axis < 3; ++axis)
        compliance[axis] += w * v * compliance_[static_cast<std::size_t>(axis)](row, column);
  // Of the softest axis (pins may hold the others), and of what the slip changes most: above twice that the
  // sweeps would diverge.
  return 1 / (compliance.maxCoeff() * std::max(1.0, d_slip.cwiseAbs().rowwise().sum().maxCoeff()));
}

Index ContactSweep::gauss_seidel(const ContactIterate& i, Index sweeps) {
  prepare(i);
  compliance_ = p_.step.compliance(nodes_.list());
  stiffness_.clear();
  for (Index k = 0; k < change_.cols(); ++k)
    stiffness_.push_back(stiffness(k, i.active[static_cast<std::size_t>(k)].law.d_slip));
  for (Index sweep = 1; sweep <= sweeps; ++sweep) {
    double largest_change = 0, largest = 0;
    for (Index k = 0; k < change_.cols(); ++k) {
      const ActiveContact& a = i.active[static_cast<std::size_t>(k)];
      const double rho = stiffness_[static_cast<std::size_t>(k)];
      const Vec3 before = i.forces.col(static_cast<Index>(a.number)) + change_.col(k),
                 slip = free_slip_.col(k) + a.law.d_slip * moved_by_forces(k),
                 after = a.model->respond(before - rho * slip, a.law.surface.normal).force;
      change_.col(k) += after - before;
      for (const auto& [row, weight] : nodes_.of(k)) at_node_.col(row) += weight * (after - before);
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
    Vec3 mobility = Vec3::Zero();
    for (std::size_t j = 0; j < 4 && a.nodes.node[j] >= 0; ++j)
      mobility += a.nodes.share[j].cwiseAbs2() / p_.system.mass()[a.nodes.node[j]];
    const double rho = p_.step.inertia() / mobility.maxCoeff();
    const Vec3 force = i.forces.col(static_cast<Index>(a.number));
    change_.col(k) = a.model->respond(force - rho * a.law.slip, a.law.surface.normal).force - force;
  }
}

void ContactSweep::move(ContactIterate& i) {
  rhs_ = -i.r;
  for (Index k = 0; k < change_.cols(); ++k) {
    const ActiveContact& a = i.active[static_cast<std::size_t>(k)];
    a.nodes.scatter_add(change_.col(k), rhs_);
    i.forces.col(static_cast<Index>(a.number)) += change_.col(k);
  }
  dx_.resize(i.x.size());
  p_.step.precondition(rhs_, dx_);
  i.x += dx_;
}

}  // namespace resilin
