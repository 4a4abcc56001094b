#include "plugins/integrators/bdf2.hpp"

#include "core/solve/backward_difference.hpp"

namespace resilin {
namespace {

DifferenceFormula formula(double h, Index before, Index earlier) {
  if (earlier < 0) return {h, {before, 0}, {1, 0}, {1, 0}, 1};
  return {2 * h / 3, {before, earlier}, {4.0 / 3, -1.0 / 3}, {2, -1}, 2};
}

}  // namespace

void Bdf2::step(const StepTools& tools, const StepContext& context, Tape& tape) const {
  const Index before = static_cast<Index>(tape.states.size()) - 1;
  Index earlier = -1;
  if (!tape.records.empty()) {
    const StepRecord& last = tape.records.back();
    if (last.after == before && last.context.time_step == context.time_step) earlier = last.before;
  }
  difference_step(tools, context, formula(context.time_step, before, earlier), tape);
}

SolveReport Bdf2::backward(const StepTools& tools, const Tape& tape, const StepRecord& record,
                           std::vector<Adjoint>& adjoints, SystemCotangent& cotangent) const {
  return difference_backward(tools, tape, record,
                             formula(record.context.time_step, record.before, record.earlier), adjoints,
                             cotangent);
}

}  // namespace resilin
