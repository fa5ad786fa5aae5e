#include "controllers/shared/live_object.h"

#include <algorithm>
#include <boost/json.hpp>

#include "api/contract/plural.h"
#include "api/contract/version.h"
#include "api/schema/decode.h"
#include "base/try.h"
#include "controllers/shared/recheck.h"
#include "kube/resources.h"

namespace capstan::controllers {
namespace {

namespace json = boost::json;

const json::value* member_of(const json::value& object, std::string_view name) {
  return object.is_object() ? object.as_object().if_contains(name) : nullptr;
}

std::string_view served_name(const json::value& version) {
  const auto* served = member_of(version, "served");
  const auto* name = member_of(version, "name");
  const bool usable = served != nullptr && served->is_bool() && served->as_bool() && name != nullptr;
  return usable && name->is_string() ? std::string_view(name->as_string()) : std::string_view();
}

// Empty when none is.
std::string highest_served_version(const json::value& definition) {
  const auto* spec = member_of(definition, "spec");
  const auto* versions = spec == nullptr ? nullptr : member_of(*spec, "versions");
  std::string highest;
  if (versions == nullptr || !versions->is_array()) return highest;
  for (const auto& version : versions->as_array()) {
    const auto name = served_name(version);
    if (name.empty()) continue;
    if (highest.empty() || api::contract::compare_api_versions(name, highest) > 0) highest = name;
  }
  return highest;
}

std::string text_of(const json::value& object, std::string_view name) {
  const auto* text = member_of(object, name);
  return text != nullptr && text->is_string() ? std::string(text->as_string()) : std::string();
}

bool has_owner(const json::value& object, const api::Uid& owner) {
  const auto* metadata = member_of(object, "metadata");
  const auto* owners = metadata == nullptr ? nullptr : member_of(*metadata, "ownerReferences");
  if (owners == nullptr || !owners->is_array()) return false;
  return std::ranges::any_of(
      owners->as_array(), [&](const json::value& each) { return api::Uid(text_of(each, "uid")) == owner; });
}

}  // namespace

Result<LiveObject> look_live(kube::Client& client, const api::ContractRef& ref, std::string_view namespace_,
                             const Deadline& deadline) {
  const std::string name = api::contract::crd_name(ref.api_group, ref.kind);
  const auto definition =
      client.get(kube::resources::custom_resource_definitions(), {.namespace_ = {}, .name = name}, deadline);
  if (!definition && definition.error().code == Code::NotFound) {
    return LiveObject{.state = LiveObject::State::Undefined};
  }
  if (!definition) return fail(definition.error());
  std::string version = highest_served_version(*definition);
  if (version.empty())
    return fail(Code::Unavailable, "CustomResourceDefinition " + name + " serves no version");
  LiveObject found{.resource = {.group = ref.api_group.str(),
                                .version = std::move(version),
                                .plural = name.substr(0, name.find('.')),
                                .kind = ref.kind.str()}};
  const auto object =
      client.get(found.resource, {.namespace_ = std::string(namespace_), .name = ref.name.str()}, deadline);
  if (!object && object.error().code == Code::NotFound) return found;
  if (!object) return fail(object.error());
  const auto* metadata = member_of(*object, "metadata");
  if (metadata == nullptr)
    return fail(Code::Invalid, ref.kind.str() + " " + ref.name.str() + " has no metadata");
  found.metadata = TRY(api::from_json<api::ObjectMeta>(*metadata));
  found.state = LiveObject::State::Present;
  return found;
}

Result<std::optional<LiveOwned>> find_owned(kube::Client& client,
                                            const runtime::Store<api::CustomResourceDefinition>& definitions,
                                            std::string_view group, std::string_view namespace_,
                                            const api::Uid& owner, const Deadline& deadline) {
  for (const auto& definition : definitions.all()) {
    const std::string name = definition->metadata.name.str();
    const auto dot = name.find('.');
    if (dot == name.npos || std::string_view(name).substr(dot + 1) != group) continue;
    const auto contract = api::contract::resolve(name, definition->metadata.labels);
    if (!contract) continue;
    LiveOwned found{.resource = {.group = std::string(group),
                                 .version = contract->version,
                                 .plural = name.substr(0, dot)}};
    const auto list = client.list(found.resource, {.namespace_ = std::string(namespace_)}, deadline);
    if (!list && list.error().code == Code::NotFound) continue;
    if (!list) return fail(list.error().context("look for objects of " + name));
    const auto* items = member_of(*list, "items");
    if (items == nullptr || !items->is_array()) continue;
    for (const auto& item : items->as_array()) {
      if (!has_owner(item, owner)) continue;
      found.kind = text_of(item, "kind");
      found.name = text_of(*member_of(item, "metadata"), "name");
      return found;
    }
  }
  return std::nullopt;
}

LiveLooks::Which LiveLooks::which(const kube::ObjectKey& owner, const api::ContractRef& ref) {
  return {owner, ref.kind.str() + "." + ref.api_group.str() + "/" + ref.name.str()};
}

Result<LiveObject> LiveLooks::look(kube::Client& client, const kube::ObjectKey& owner,
                                   const api::ContractRef& ref, const Deadline& deadline) {
  const SteadyTime now = clock_.steady_now();
  auto known = answers_.with([&](const auto& answers) -> std::optional<LiveObject> {
    const auto found = answers.find(which(owner, ref));
    if (found == answers.end() || found->second.until <= now) return std::nullopt;
    return found->second.object;
  });
  if (known) return std::move(*known);
  auto object = TRY(look_live(client, ref, owner.namespace_, deadline));
  answers_.with([&](auto& answers) {
    if (object.state == LiveObject::State::Present) {
      answers[which(owner, ref)] = {.until = now + kLiveLook, .object = object};
    } else {
      answers.erase(which(owner, ref));
    }
  });
  return object;
}

void LiveLooks::told_to_go(const kube::ObjectKey& owner, const api::ContractRef& ref, Time now) {
  answers_.with([&](auto& answers) {
    const auto found = answers.find(which(owner, ref));
    if (found != answers.end()) found->second.object.metadata.deletion_timestamp = now;
  });
}

void LiveLooks::forget(const kube::ObjectKey& owner) {
  answers_.with([&](auto& answers) {
    std::erase_if(answers, [&](const auto& each) { return each.first.first == owner; });
  });
}

}  // namespace capstan::controllers
