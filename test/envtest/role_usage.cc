#include "test/envtest/role_usage.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>

namespace capstan::envtest {
namespace {

namespace json = boost::json;

constexpr int kCreated = 201;

struct Permission {
  std::string group = {};
  std::string resource = {};
  std::string verb = {};

  std::string describe() const {
    return group.empty() ? fmt::format("{} {}", verb, resource)
                         : fmt::format("{} {}.{}", verb, resource, group);
  }
  bool used_by(const AuditEntry& entry) const {
    // An apply of what is not there yet is logged as a patch that answers 201, and needs both rights. Who
    // lists also watches, which is logged when the watch ends, and reads one again after a conflict or a lost
    // answer.
    const bool goes_with_list = entry.verb == "list" && (verb == "get" || verb == "watch");
    const bool same_verb =
        entry.verb == verb || (verb == "create" && entry.code == kCreated) || goes_with_list;
    return same_verb && entry.group == group && (resource == "*" || entry.resource == resource);
  }
};

std::vector<std::string> texts_of(const json::value& rule, std::string_view member) {
  std::vector<std::string> texts;
  const auto* found = rule.as_object().if_contains(member);
  if (found == nullptr || !found->is_array()) return texts;
  for (const auto& text : found->as_array()) texts.emplace_back(text.as_string());
  return texts;
}

std::vector<Permission> permissions_of(const json::value& rules) {
  std::vector<Permission> all;
  for (const auto& rule : rules.as_array())
    for (const auto& group : texts_of(rule, "apiGroups"))
      for (const auto& resource : texts_of(rule, "resources"))
        for (const auto& verb : texts_of(rule, "verbs"))
          all.push_back({.group = group, .resource = resource, .verb = verb});
  return all;
}

}  // namespace

std::vector<std::string> unused_permissions(const json::value& rules,
                                            const std::vector<AuditEntry>& entries) {
  std::vector<std::string> unused;
  for (const auto& permission : permissions_of(rules)) {
    const auto uses = [&](const AuditEntry& entry) { return permission.used_by(entry); };
    if (std::ranges::none_of(entries, uses)) unused.push_back(permission.describe());
  }
  return unused;
}

std::vector<std::string> without(std::vector<std::string> permissions,
                                 const std::vector<std::string>& others) {
  std::erase_if(permissions,
                [&](const std::string& one) { return std::ranges::find(others, one) != others.end(); });
  return permissions;
}

}  // namespace capstan::envtest
