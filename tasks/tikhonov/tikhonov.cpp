#include "tasks/tikhonov/tikhonov.hpp"

#include <fmt/format.h>

namespace resilin {

void Tikhonov::Options::visit(ParamVisitor& v) {
  v.real("weight", weight,
         {.doc = "factor w, in the unit of the loss over that of the variable squared", .min = 0});
  v.numbers(
      "reference", reference,
      {.doc = "expected value, in the unit of the parameter whatever its scale, one or one per entry; none: "
              "the first guess"});
}

void Tikhonov::attach(const RegularizedVariable& variable) {
  const VecX& given = options_.reference;
  if (given.size() == 0) {
    reference_ = variable.start;
    return;
  }
  if (given.size() != 1 && given.size() != variable.size)
    throw Error(Errc::Input,
                fmt::format("{} numbers in reference; expected one or {}", given.size(), variable.size));
  if (variable.log_scale && !(given.minCoeff() > 0))
    throw Error(Errc::Input, "reference has to be positive for a variable with scale: log");
  const VecX all = given.size() == 1 ? VecX(VecX::Constant(variable.size, given[0])) : given;
  reference_ = variable.log_scale ? VecX(all.array().log()) : all;
}

double Tikhonov::value(ConstVec u) const {
  return 0.5 * options_.weight * (u - reference_).squaredNorm() / static_cast<double>(u.size());
}

void Tikhonov::add_gradient(ConstVec u, MutVec gradient) const {
  gradient += options_.weight / static_cast<double>(u.size()) * (u - reference_);
}

}  // namespace resilin
