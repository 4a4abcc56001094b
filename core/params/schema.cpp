#include "core/params/io.hpp"
#include "core/params/text.hpp"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <set>

namespace resilin {
namespace {

using detail::json_text;

/// The members of a JSON object whose values are finished JSON, in the order in which they are added.
class Object {
 public:
  Object& add(std::string_view key, const std::string& json) {
    members_.push_back(json_text(key) + ": " + detail::indent(json, 2));
    return *this;
  }
  bool empty() const { return members_.empty(); }
  std::string text() const {
    return members_.empty() ? "{}" : "{\n  " + detail::join(members_, ",\n  ") + "\n}";
  }

 private:
  std::vector<std::string> members_;
};

std::string array(const std::vector<std::string>& items) {
  return "[" + detail::join(items) + "]";
}

std::string blocks(const std::vector<std::string>& items) {
  std::vector<std::string> moved;
  for (const std::string& item : items) moved.push_back(detail::indent(item, 2));
  return moved.empty() ? "[]" : "[\n  " + detail::join(moved, ",\n  ") + "\n]";
}

template <class List>
std::string words(const List& list) {
  std::vector<std::string> parts;
  for (const auto& word : list) parts.push_back(json_text(word));
  return array(parts);
}

std::string numbers_text(const Eigen::Ref<const VecX>& values) {
  std::vector<std::string> parts;
  for (const double value : values) parts.push_back(detail::number_text(value));
  return array(parts);
}

Object typed(const char* type) {
  return Object().add("type", json_text(type));
}

void add_range(Object& object, const Spec& spec) {
  if (std::isfinite(spec.min))
    object.add(spec.open ? "exclusiveMinimum" : "minimum", detail::number_text(spec.min));
  if (std::isfinite(spec.max))
    object.add(spec.open ? "exclusiveMaximum" : "maximum", detail::number_text(spec.max));
}

Object number(const char* type, const Spec& spec) {
  Object object = typed(type);
  add_range(object, spec);
  return object;
}

Object array_of(const Object& items) {
  return typed("array").add("items", items.text());
}

Object vector_of(Index count, const Spec& spec) {
  return array_of(number("number", spec))
      .add("minItems", std::to_string(count))
      .add("maxItems", std::to_string(count));
}

std::string reference(const char* kind) {
  return json_text(fmt::format("#/$defs/{}", kind));
}

/// `{signal: name, scale: .., offset: ..}`.
std::string signal_schema(Index components) {
  const Spec any{.doc = ""};
  const std::string factor = components == 1 ? typed("number").text() : vector_of(components, any).text();
  Object signal = typed("object");
  signal.add(
      "properties",
      Object().add("signal", typed("string").text()).add("scale", factor).add("offset", factor).text());
  signal.add("required", words(std::vector<std::string>{"signal"})).add("additionalProperties", "false");
  return signal.text();
}

/// The value, a list of it over items, one of both per step, a table in a file, or what a signal says.
Object field_schema(const Field& field, const Spec& spec) {
  const Object value = field.components == 1 ? number("number", spec) : vector_of(field.components, spec);
  const Object list = array_of(value).add("minItems", "1");
  const Object step = Object().add("anyOf", blocks({value.text(), list.text()}));
  Object steps = typed("object");
  steps.add("properties", Object().add("steps", array_of(step).add("minItems", "1").text()).text());
  steps.add("required", words(std::vector<std::string>{"steps"})).add("additionalProperties", "false");
  Object table = typed("object");
  table.add("properties",
            Object()
                .add("file", typed("string").text())
                .add("per", Object().add("enum", words(std::vector<std::string>{"item", "step"})).text())
                .text());
  table.add("required", words(std::vector<std::string>{"file"})).add("additionalProperties", "false");
  std::vector<std::string> forms = {value.text(), list.text(), steps.text(), table.text()};
  std::vector<std::string> part_forms = {value.text(), steps.text(), table.text()};
  if (spec.differentiable) {
    forms.push_back(signal_schema(field.components));
    part_forms.push_back(forms.back());
  }
  const std::string part = Object().add("anyOf", blocks(part_forms)).text();
  Object by_name = typed("object");
  by_name.add("additionalProperties", part).add("minProperties", "1");
  Object regions = typed("object");
  regions.add("properties", Object().add("regions", by_name.text()).add("default", part).text());
  regions.add("required", words(std::vector<std::string>{"regions"})).add("additionalProperties", "false");
  forms.push_back(regions.text());
  return Object().add("anyOf", blocks(forms));
}

/// Collects the properties of one map.
class SchemaMaker final : public ParamVisitor {
 public:
  SchemaMaker(const TypeCatalog& catalog, std::set<std::string>& kinds) : catalog_(catalog), kinds_(kinds) {}

  /// Adds `type: {const: name}`, which only the kind's default type may leave out.
  void add_type(const std::string& type, const std::string& summary, bool is_default) {
    properties_.add("type",
                    Object().add("const", json_text(type)).add("description", json_text(summary)).text());
    if (!is_default) required_.emplace_back("type");
  }
  bool requires_something() const { return !required_.empty() || alias_required_; }
  /// The object; `doc` is its description unless empty.
  std::string finish(std::string_view doc = {}) const {
    Object object = typed("object");
    if (!doc.empty()) object.add("description", json_text(doc));
    object.add("properties", properties_.text());
    if (!required_.empty()) object.add("required", words(required_));
    if (!rules_.empty()) object.add("allOf", blocks(rules_));
    return object.add("additionalProperties", "false").text();
  }

  void real(const char* name, double& value, const Spec& spec) override {
    put(name, number("number", spec), spec, std::isfinite(value) ? detail::number_text(value) : "");
  }
  void integer(const char* name, Index& value, const Spec& spec) override {
    put(name, number("integer", spec), spec, std::to_string(value));
  }
  void flag(const char* name, bool& value, const Spec& spec) override {
    put(name, typed("boolean"), spec, value ? "true" : "false");
  }
  void text(const char* name, std::string& value, const Spec& spec) override {
    put(name, text_schema(), spec, json_text(value));
  }
  void path(const char* name, std::string& value, const Spec& spec) override {
    put(name, typed("string"), spec, json_text(value));
  }
  void vec3(const char* name, Vec3& value, const Spec& spec) override {
    put(name, vector_of(3, spec), spec, value.allFinite() ? numbers_text(value) : "");
  }
  void choice(const char* name, std::string& value, std::initializer_list<const char*> options,
              const Spec& spec) override {
    put(name, Object().add("enum", words(options)), spec, json_text(value));
  }
  void numbers(const char* name, VecX& value, const Spec& spec) override {
    const Object one = number("number", spec);
    put(name, Object().add("anyOf", blocks({one.text(), array_of(one).text()})), spec,
        value.allFinite() ? numbers_text(value) : "");
  }
  void integers(const char* name, std::vector<Index>& value, const Spec& spec) override {
    std::vector<std::string> parts;
    for (const Index i : value) parts.push_back(std::to_string(i));
    put(name, array_of(number("integer", spec)), spec, array(parts));
  }
  void texts(const char* name, std::vector<std::string>& value, const Spec& spec) override {
    put(name, array_of(text_schema()), spec, words(value));
  }
  void choices(const char* name, std::vector<std::string>& value, std::initializer_list<const char*> options,
               const Spec& spec) override {
    const Object word = Object().add("enum", words(options));
    put(name, Object().add("anyOf", blocks({word.text(), array_of(word).text()})), spec, words(value));
  }
  void field(const char* name, Field& value, const Spec& spec) override {
    std::string standard;
    if (value.size() == value.components && value.values.allFinite()) {
      standard = value.components == 1 ? detail::number_text(value.values[0]) : numbers_text(value.values);
    }
    put(name, field_schema(value, spec), spec, standard);
  }

  void section(const char* name, Body body, const Spec& spec) override {
    SchemaMaker inner(catalog_, kinds_);
    body(inner);
    Spec full = spec;
    // A map may be left out only if nothing in it must be given.
    full.required = spec.required || inner.requires_something();
    put_finished(name, inner.finish(spec.doc), full);
  }
  void optional_section(const char* name, bool&, Body body, const Spec& spec) override {
    put_finished(name, map_schema(body, spec.doc), spec);
  }
  void component(const char* name, const char* kind, ComponentSpec& value, const Spec& spec) override {
    kinds_.insert(kind);
    const std::string type = value.type.empty() ? catalog_.default_type(kind) : value.type;
    put(name, Object().add("$ref", reference(kind)), spec, type.empty() ? "" : json_text(type));
  }
  void components(const char* name, const char* kind, std::vector<ComponentSpec>&,
                  const Spec& spec) override {
    kinds_.insert(kind);
    put(name, array_of(Object().add("$ref", reference(kind))), spec, {});
  }
  void component_map(const char* name, const char* kind, NamedList<ComponentSpec>&,
                     const Spec& spec) override {
    kinds_.insert(kind);
    put(name, typed("object").add("additionalProperties", Object().add("$ref", reference(kind)).text()), spec,
        {});
  }
  void sequence(const char* name, SequenceAccess& value, const Spec& spec) override {
    put(name, typed("array").add("items", entry_schema(value)), spec, {});
  }
  void named(const char* name, SequenceAccess& value, const Spec& spec) override {
    put(name, typed("object").add("additionalProperties", entry_schema(value)), spec, {});
  }
  void assignments(const char* name, NamedList<std::string>&, const Spec& spec) override {
    put(name, typed("object"), spec, {});
  }
  void check(bool, const char*) override {}

 private:
  /// Plain words that look like numbers or flags are read as text where text is expected.
  static Object text_schema() {
    return Object().add("type", words(std::vector<std::string>{"string", "number", "boolean"}));
  }
  std::string map_schema(Body body, std::string_view doc = {}) const {
    SchemaMaker inner(catalog_, kinds_);
    body(inner);
    return inner.finish(doc);
  }
  std::string entry_schema(const SequenceAccess& value) const {
    return map_schema([&](ParamVisitor& v) { value.visit_default(v); });
  }

  void put(const char* name, Object schema, const Spec& spec, const std::string& standard) {
    schema.add("description", json_text(spec.doc));
    if (*spec.unit != '\0') schema.add("x-unit", json_text(spec.unit));
    if (spec.differentiable) schema.add("x-differentiable", "true");
    if (!spec.required && !standard.empty()) schema.add("default", standard);
    put_finished(name, schema.text(), spec);
  }

  void put_finished(const char* name, const std::string& schema, const Spec& spec) {
    properties_.add(name, schema);
    if (*spec.alias == '\0') {
      if (spec.required) required_.emplace_back(name);
      return;
    }
    properties_.add(spec.alias, schema);
    const auto requires_all = [](const std::vector<std::string>& names) {
      return Object().add("required", words(names)).text();
    };
    if (spec.required) {
      alias_required_ = true;
      rules_.push_back(
          Object().add("oneOf", blocks({requires_all({name}), requires_all({spec.alias})})).text());
    } else {
      rules_.push_back(Object().add("not", requires_all({name, spec.alias})).text());
    }
  }

  const TypeCatalog& catalog_;
  std::set<std::string>& kinds_;  ///< of all components met
  Object properties_;
  std::vector<std::string> required_;
  std::vector<std::string> rules_;
  bool alias_required_ = false;
};

/// The name of a type alone, or a map with `type` and its options.
std::string kind_schema(const TypeCatalog& catalog, const std::string& kind, std::set<std::string>& kinds) {
  const std::vector<std::string> types = catalog.types(kind);
  if (types.empty()) return Object().add("not", "{}").text();  // nothing can be given
  std::vector<std::string> cases = {Object().add("enum", words(types)).text()};
  for (const std::string& type : types) {
    SchemaMaker maker(catalog, kinds);
    maker.add_type(type, catalog.summary(kind, type), type == catalog.default_type(kind));
    catalog.make_options(kind, type)->visit(maker);
    cases.push_back(maker.finish());
  }
  return Object().add("oneOf", blocks(cases)).text();
}

}  // namespace

std::string json_schema(ParamVisitor::Body visit, const TypeCatalog& catalog) {
  std::set<std::string> kinds;
  SchemaMaker maker(catalog, kinds);
  visit(maker);
  return maker.finish();
}

std::string json_schema_definitions(const TypeCatalog& catalog, const std::vector<std::string>& kinds) {
  std::set<std::string> open(kinds.begin(), kinds.end());
  std::map<std::string, std::string> done;
  while (!open.empty()) {
    const std::string kind = *open.begin();
    std::set<std::string> met;
    done[kind] = kind_schema(catalog, kind, met);
    open.insert(met.begin(), met.end());
    for (const auto& [finished, schema] : done) open.erase(finished);
  }
  Object definitions;
  for (const auto& [kind, schema] : done) definitions.add(kind, schema);
  return definitions.text();
}

}  // namespace resilin
