// resilin schema: what editors know of scene and task files.
#include "core/app/command.hpp"
#include "core/app/scene_kinds.hpp"
#include "core/base/error.hpp"
#include "core/model/scene_options.hpp"
#include "core/params/io.hpp"
#include "core/plugin/paths.hpp"
#include "core/plugin/registry.hpp"

#include <fmt/format.h>

#include <set>

namespace resilin::app {
namespace {

/// Puts `text` in front of `place`, which has to be there.
void insert_before(std::string& schema, const std::string& place, const std::string& text) {
  const std::size_t at = schema.find(place);
  if (at == std::string::npos) throw Error(Errc::Internal, "the schema has no " + place);
  schema.insert(at, text);
}

int execute(const Context&) {
  Registry registry;
  load_standard_plugins(registry);
  TaskOptions task;
  const auto visit = [&](ParamVisitor& v) { task.visit(v); };
  std::string schema = json_schema(visit, registry);
  const std::string properties = "\n  \"properties\": {";
  insert_before(schema, properties,
                "\n  \"$schema\": \"https://json-schema.org/draft/2020-12/schema\","
                "\n  \"title\": \"Resilin scene or task\",");
  const std::size_t first = schema.find(properties) + properties.size();
  schema.insert(
      first,
      "\n    \"extends\": {\n      \"anyOf\": [{\"type\": \"string\"}, {\"type\": \"array\", \"items\": "
      "{\"type\": \"string\"}}],\n      \"description\": \"files that this one starts from; its own "
      "keys win\"\n    },");
  // What a file extends may bring what is required.
  const std::string required = "\n  \"required\": ";
  const std::size_t at = schema.find(required);
  if (at != std::string::npos) {
    const std::size_t list = at + required.size(), end = schema.find(']', list) + 1;
    schema = schema.substr(0, at) + "\n  \"anyOf\": [{\"required\": [\"extends\"]}, {\"required\": " +
             schema.substr(list, end - list) + "}]" + schema.substr(end);
  }
  // Every kind, those that no key of a scene names yet included: plugins may nest them.
  std::set<std::string> kinds;
  for (const std::string& kind : scene_kinds(visit)) kinds.insert(kind);
  for (const Registry::Entry* entry : registry.entries()) kinds.insert(entry->kind);
  const std::string definitions = json_schema_definitions(registry, {kinds.begin(), kinds.end()});
  schema.insert(schema.rfind("\n}"), ",\n  \"$defs\": " + definitions);
  print(schema + "\n");
  return kGood;
}

}  // namespace

Command schema_command() {
  return {"schema",
          "",
          "JSON Schema of scene and task files, for editors",
          "Writes to standard output. Editors with a YAML language server check and complete scenes with it "
          "when their\n"
          "first line says: # yaml-language-server: $schema=resilin.schema.json",
          {"resilin schema > resilin.schema.json"},
          {},
          0,
          0,
          execute};
}

}  // namespace resilin::app
