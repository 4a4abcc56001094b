// Everything that is derived from a `visit`: reading, dumping, documenting, JSON Schema.
#pragma once

#include "core/base/parallel.hpp"
#include "core/params/tree.hpp"
#include "core/params/visitor.hpp"

#include <map>
#include <string>
#include <vector>

namespace resilin {

/// Where each parameter that a file gives stands, by path ("bodies.beam.materials[0].youngs_modulus");
/// sections and components have entries too. Used to give a place to mistakes found after reading.
using PlaceMap = std::map<std::string, Place>;

/// Reads `node` (a map) into the struct behind `visit`. Every mistake goes to `diagnostics` with its place,
/// the path of the key, what was expected and the nearest known name: unknown key, wrong type, out of range
/// (the message gives value, unit and range), NaN or infinity, missing required key, unknown component type,
/// missing file, the alias and the name both given. Keys in `ignore` are passed over.
RESILIN_API void read_options(const TreeNode& node, ParamVisitor::Body visit, const TypeCatalog& catalog,
                              Diagnostics& diagnostics, PlaceMap& places, const std::string& path = {},
                              const std::vector<std::string>& ignore = {});

/// The struct as YAML that reads back to the same values bit by bit (17 significant digits where needed).
/// Infinite or NaN reals and empty fields, which no file can say, are left out; in a list they are an
/// Error(Numerics).
RESILIN_API std::string dump_yaml(ParamVisitor::Body visit);

/// A Markdown table "| key | type | unit | default | range | meaning |" of the parameters; nested maps as
/// a.b.
RESILIN_API std::string describe_markdown(ParamVisitor::Body visit);

/// The parameters as a JSON Schema (draft 2020-12) object: {"type":"object","properties":{...},
/// "required":[...],"additionalProperties":false}. Components become {"oneOf":[...]} over the registered
/// types, referring to "#/$defs/KIND".
RESILIN_API std::string json_schema(ParamVisitor::Body visit, const TypeCatalog& catalog);

/// What "#/$defs/KIND" refers to: a JSON object with one member for each of `kinds` and each kind that their
/// options contain: {"oneOf":[...]} over the name of a type alone and one object schema per type.
RESILIN_API std::string json_schema_definitions(const TypeCatalog& catalog,
                                                const std::vector<std::string>& kinds);

}  // namespace resilin
