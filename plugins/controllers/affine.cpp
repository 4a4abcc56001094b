#include "plugins/controllers/affine.hpp"

#include "plugins/controllers/weights.hpp"

namespace resilin {

void Affine::Options::visit(ParamVisitor& v) {
  v.field("weights", weights,
          {.doc = "the matrix W row by row (a row for each output), then b; left out: zeros",
           .differentiable = true});
  visit_inputs(v, inputs);
}

void Affine::attach(Index inputs, Index outputs) {
  require_inputs(options_.inputs, inputs);
  options_.inputs = inputs;
  const Index count = outputs * (inputs + 1);
  Field& w = options_.weights;
  require_weights(w, count, fmt::format("{} inputs and {} outputs", inputs, outputs));
  if (w.size() == 0) w.values = VecX::Zero(count);
  w.items = count;
}

void Affine::evaluate(ConstVec s, MutVec y) const {
  const Eigen::Map<const RowMajor> w(options_.weights.values.data(), y.size(), s.size());
  y = options_.weights.values.tail(y.size());
  y += w * s;
}

void Affine::add_vjp(ConstVec s, ConstVec z, MutVec ds, MutVec dtheta) const {
  const Eigen::Map<const RowMajor> w(options_.weights.values.data(), z.size(), s.size());
  Eigen::Map<RowMajor> dw(dtheta.data(), z.size(), s.size());
  ds += w.transpose() * z;
  dw += z * s.transpose();
  dtheta.tail(z.size()) += z;
}

}  // namespace resilin
