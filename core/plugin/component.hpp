// What all pluggable things have in common, and what a constructor is told about its surroundings.
#pragma once

#include "core/params/io.hpp"
#include "core/params/visitor.hpp"

#include <string>

namespace resilin {

/// Base of every pluggable type. All other methods of the interfaces are const and re-entrant.
class RESILIN_API Component {
 public:
  Component(const Component&) = delete;
  Component& operator=(const Component&) = delete;
  virtual ~Component();

  /// Visits the live parameters: usually `options_.visit(v)`. Those marked differentiable enter the
  /// ParameterTable, which writes new values straight into the fields and then calls parameters_changed().
  virtual void visit_parameters(ParamVisitor&) {}
  /// Recomputes what was derived from the parameters; throws Error(Input) for an impossible combination.
  virtual void parameters_changed() {}

 protected:
  Component() = default;
};

class Mesh;
class Registry;

/// A body of the system as far as other components may look at it.
struct BodyView {
  std::string name;
  const Mesh* mesh = nullptr;
  Index first_node = 0;
  /// Thickness of a surface [m], cross-section of a curve [m^2], 1 for volumes: as the scene is built.
  double cross_measure = 1;
};

/// Facts that a constructor may need besides its own options. All pointers outlive the call only.
struct BuildContext {
  const Registry* registry = nullptr;  ///< to make children
  const Mesh* mesh = nullptr;          ///< rest mesh of the body it belongs to, if it belongs to one
  Index first_node = 0;                ///< of that body among the nodes of the system
  Index num_nodes = 0;                 ///< of the whole system
  /// Elements of each region that the body declares, for parameters that are given per region.
  const NamedList<std::vector<Index>>* regions = nullptr;
  const std::vector<BodyView>* bodies = nullptr;        ///< for components that belong to no single body
  const std::vector<std::string>* colliders = nullptr;  ///< names of the scene's colliders
  Index steps = 0;                                      ///< time steps of the scene
  double time_step = 0;                                 ///< [s]
  std::string path;  ///< where the component stands: "bodies.beam.materials[0]"
  Place place;       ///< in the file
  const PlaceMap* places = nullptr;

  /// An Error(Input) that points to parameter `key` of this component ("" for the component itself).
  RESILIN_API Error input_error(const std::string& key, const std::string& message) const;
  /// The body called `name`, or the only one if `name` is empty; otherwise an Error(Input) at `key`.
  RESILIN_API const BodyView& find_body(const std::string& key, const std::string& name) const;
  /// Numbers of the colliders called `names`, ascending, or of all if there are no names; otherwise an
  /// Error(Input) at `key`.
  RESILIN_API std::vector<Index> find_colliders(const std::string& key,
                                                const std::vector<std::string>& names) const;
};

}  // namespace resilin
