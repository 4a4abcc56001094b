#include "plugins/integrators/implicit_euler.hpp"

#include "core/solve/backward_difference.hpp"

namespace resilin {
namespace {

DifferenceFormula formula(double h, Index before) {
  return {h, {before, 0}, {1, 0}, {1, 0}, 1};
}

}  // namespace

void ImplicitEuler::step(const StepTools& tools, const StepContext& context, Tape& tape) const {
  difference_step(tools, context, formula(context.time_step, static_cast<Index>(tape.states.size()) - 1),
                  tape);
}

SolveReport ImplicitEuler::backward(const StepTools& tools, const Tape& tape, const StepRecord& record,
                                    std::vector<Adjoint>& adjoints, SystemCotangent& cotangent) const {
  return difference_backward(tools, tape, record, formula(record.context.time_step, record.before), adjoints,
                             cotangent);
}

}  // namespace resilin
