#include "core/params/visitor.hpp"

namespace resilin {

OptionsBase::~OptionsBase() = default;
SequenceAccess::~SequenceAccess() = default;
ParamVisitor::~ParamVisitor() = default;
TypeCatalog::~TypeCatalog() = default;
ComponentSpec::~ComponentSpec() = default;

ComponentSpec::ComponentSpec(const ComponentSpec& other)
    : type(other.type),
      options(other.options ? other.options->clone() : nullptr),
      path(other.path),
      place(other.place) {}

ComponentSpec& ComponentSpec::operator=(const ComponentSpec& other) {
  // Copy first: a clone that throws leaves this spec as it was, and self-assignment is safe.
  ComponentSpec copy(other);
  *this = std::move(copy);
  return *this;
}

}  // namespace resilin
