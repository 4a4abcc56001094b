#include "core/plugin/registry.hpp"

#include "core/params/tree.hpp"

#include <fmt/format.h>

#include <exception>

namespace resilin {
namespace {

/// What a constructor of `spec` sees: the place of the spec, where its maker only knew that of the parent.
BuildContext context_of(const ComponentSpec& spec, const BuildContext& outer, const Registry& registry) {
  BuildContext context = outer;
  context.registry = &registry;
  if (!spec.path.empty()) {
    context.path = spec.path;
    context.place = spec.place;
  }
  return context;
}

std::string with_path(const std::string& path, const std::string& message) {
  // Errors of input_error() and of children name this path, or one below it, already.
  const bool named = message.compare(0, path.size(), path) == 0 && message.size() > path.size() &&
                     std::string(":.[").find(message[path.size()]) != std::string::npos;
  return path.empty() || named ? message : path + ": " + message;
}

}  // namespace

Registry::Registry() = default;
Registry::~Registry() = default;

void Registry::insert(Entry entry) {
  if (entry.type.empty())
    throw Error(Errc::Plugin, fmt::format("{} registers a {} without a name", entry.library, entry.kind));
  if (const Entry* other = find(entry.kind, entry.type)) {
    if (other->library == entry.library)
      throw Error(Errc::Plugin,
                  fmt::format("{} '{}' is registered twice by {}", entry.kind, entry.type, entry.library));
    throw Error(Errc::Plugin, fmt::format("{} '{}' is defined by both {} and {}", entry.kind, entry.type,
                                          other->library, entry.library));
  }
  const std::string other = default_type(entry.kind);
  if (entry.is_default && !other.empty())
    throw Error(Errc::Plugin,
                fmt::format("{} '{}' of {} and '{}' of {} would both be the default", entry.kind, other,
                            find(entry.kind, other)->library, entry.type, entry.library));
  std::pair<std::string, std::string> key(entry.kind, entry.type);
  entries_.emplace(std::move(key), std::move(entry));
}

std::unique_ptr<Component> Registry::create(const char* kind, const ComponentSpec& spec,
                                            const BuildContext& outer) const {
  const Place& where = spec.place;
  if (spec.type.empty())
    throw Error(
        Errc::Input,
        with_path(spec.path, fmt::format("needs the type of a {}{}", kind, suggest(spec.type, types(kind)))),
        where);
  const Entry* entry = find(kind, spec.type);
  if (entry == nullptr)
    throw Error(Errc::Input,
                with_path(spec.path, fmt::format("no {} of type '{}'{}", kind, spec.type,
                                                 suggest(spec.type, types(kind)))),
                where);
  const std::string name = fmt::format("{} '{}' of {}", kind, spec.type, entry->library);
  if (spec.options == nullptr)
    throw Error(Errc::Internal, with_path(spec.path, name + " was asked for without options"), where);
  try {
    return entry->make(*spec.options, context_of(spec, outer, *this));
  } catch (const Error& e) {
    if (!e.where().empty() || dynamic_cast<const Mistakes*>(&e) != nullptr) throw;
    throw Error(e.code(), with_path(spec.path, e.message()), where);
  } catch (const std::exception& e) {
    throw Error(Errc::Internal, with_path(spec.path, fmt::format("{} failed: {}", name, e.what())), where);
  } catch (...) {
    throw Error(Errc::Internal,
                with_path(spec.path, name + " failed with an exception that is no std::exception"), where);
  }
}

const Registry::Entry* Registry::find(const std::string& kind, const std::string& type) const {
  const auto found = entries_.find({kind, type});
  return found == entries_.end() ? nullptr : &found->second;
}

std::vector<const Registry::Entry*> Registry::entries() const {
  std::vector<const Entry*> all;
  all.reserve(entries_.size());
  for (const auto& [key, entry] : entries_) all.push_back(&entry);
  return all;
}

std::unique_ptr<OptionsBase> Registry::make_options(const std::string& kind, const std::string& type) const {
  const Entry* entry = find(kind, type);
  if (entry == nullptr)
    throw Error(Errc::Input, fmt::format("no {} of type '{}'{}", kind, type, suggest(type, types(kind))));
  return entry->make_options();
}

bool Registry::knows(const std::string& kind, const std::string& type) const {
  return find(kind, type) != nullptr;
}

std::vector<std::string> Registry::types(const std::string& kind) const {
  std::vector<std::string> names;
  for (auto i = entries_.lower_bound({kind, {}}); i != entries_.end() && i->first.first == kind; ++i)
    names.push_back(i->first.second);
  return names;
}

std::string Registry::default_type(const std::string& kind) const {
  for (auto i = entries_.lower_bound({kind, {}}); i != entries_.end() && i->first.first == kind; ++i)
    if (i->second.is_default) return i->first.second;
  return {};
}

std::string Registry::summary(const std::string& kind, const std::string& type) const {
  const Entry* entry = find(kind, type);
  if (entry == nullptr)
    throw Error(Errc::Input, fmt::format("no {} of type '{}'{}", kind, type, suggest(type, types(kind))));
  return entry->summary;
}

}  // namespace resilin
