// What plan.cc of each kind describes its actions with, for logs and tests. Pure functions.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "api/meta/object_meta.h"

namespace capstan::controllers {

// A line per action, in their order; `words` has an overload for each.
template <typename Action, typename Words>
std::vector<std::string> lines_of(const std::vector<Action>& actions, const Words& words) {
  std::vector<std::string> lines;
  for (const Action& action : actions) lines.push_back(std::visit(words, action));
  return lines;
}

// Of snapshots of objects: "a, b".
template <typename Snapshots>
std::string names_of(const Snapshots& objects) {
  std::string names;
  for (const auto& object : objects)
    names.append(names.empty() ? "" : ", ").append(object->metadata.name.view());
  return names;
}

// "ownerReferences: [Cluster c] -> [controller MachineSet s]"
std::string owner_changes(const api::OwnerReferences& from, const api::OwnerReferences& to);

}  // namespace capstan::controllers
