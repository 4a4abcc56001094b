#include "tasks/bounce_apex/bounce_apex.hpp"

#include <fmt/format.h>

namespace resilin {

class BounceApex::Pass final : public LossPass {
 public:
  Pass(const BounceApex& loss, Index last) : loss_(loss), last_(last) {}

  void observe(Index k, const State& s) override {
    if (after_ >= 0) return;
    const Moment now{loss_.mean_(s.x), loss_.mean_(s.v)};
    const bool rises = rise(now) > 0;
    if (k > 0 && rises && rise(a_) <= 0) ++bounces_;
    if (k > 0 && !rises && rise(a_) > 0 && bounces_ >= loss_.options_.bounces) {
      after_ = k;
      b_ = now;
      return;
    }
    a_ = now;
  }

  double value() const override { return 0.5 * gap().squaredNorm(); }

  void add_gradient(Index k, const State&, double weight, Adjoint& a) const override {
    const Vec3 of_apex = weight * gap();
    if (k != after_ && k != after_ - 1) return;
    const double s = share(), fall = rise(a_) - rise(b_), h = loss_.time_step_;
    const Vec3 by_share = b_.centre - a_.centre + (0.5 - s) * h * (a_.velocity - b_.velocity);
    const double of_share = of_apex.dot(by_share) / (fall * fall);
    const bool is_after = k == after_;
    loss_.mean_.add_vjp((is_after ? s : 1 - s) * of_apex, a.x);
    loss_.mean_.add_vjp((is_after ? -1 : 1) * (0.5 * s * (1 - s) * h) * of_apex +
                            of_share * (is_after ? rise(a_) : -rise(b_)) * loss_.up_,
                        a.v);
  }

 private:
  struct Moment {
    Vec3 centre = Vec3::Zero(), velocity = Vec3::Zero();
  };
  double rise(const Moment& m) const { return m.velocity.dot(loss_.up_); }
  double share() const { return rise(a_) / (rise(a_) - rise(b_)); }
  /// From the target to the apex.
  Vec3 gap() const {
    if (after_ < 0)
      throw Error(
          Errc::Numerics,
          fmt::format("there is no apex after bounce {}: {} bounces in {} steps{}", loss_.options_.bounces,
                      bounces_, last_, bounces_ >= loss_.options_.bounces ? ", and no fall after" : ""));
    const double s = share();
    const Vec3 apex = (1 - s) * a_.centre + s * b_.centre +
                      0.5 * s * (1 - s) * loss_.time_step_ * (a_.velocity - b_.velocity);
    return loss_.axes_.cwiseProduct(apex - loss_.options_.target);
  }

  const BounceApex& loss_;
  Index last_;
  Index bounces_ = 0;
  Index after_ = -1;  ///< the frame behind the apex
  Moment a_, b_;      ///< at the frames before and behind it; a_ is the last one until it is found
};

void BounceApex::Options::visit(ParamVisitor& v) {
  selection.visit(v);
  v.choice(
      "of", of, {"center_of_mass", "centroid"},
      {.doc = "the centre: the mean of the selected vertices weighted by the volume around each, or their "
              "plain mean"});
  v.integer("bounces", bounces,
            {.doc = "after which bounce the apex is meant; 0: the first apex of all", .min = 0, .max = 1e6});
  v.vec3("target", target, {.doc = "where the apex has to be", .unit = "m", .required = true});
  v.choices("axes", axes, {"x", "y", "z"}, {.doc = "coordinates that are compared"});
  v.vec3("up", up, {.doc = "direction in which the apex is the highest point, of any length"});
}

BounceApex::BounceApex(const Options& options, const BuildContext& context)
    : options_(options),
      mean_(options.selection.vertices(context), options.of, context),
      axes_(axes_mask(options.axes, context)),
      up_(unit_vector(options.up, "up", context)),
      time_step_(context.time_step) {}

std::unique_ptr<LossPass> BounceApex::begin(Index last) const {
  return std::make_unique<Pass>(*this, last);
}

}  // namespace resilin
