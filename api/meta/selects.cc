#include "api/meta/selects.h"

#include <algorithm>

namespace capstan::api {
namespace {

bool makes_sense(const LabelSelectorRequirement& requirement) {
  const auto op = requirement.operator_.view();
  if (op == "In" || op == "NotIn") return !requirement.values.empty();
  return (op == "Exists" || op == "DoesNotExist") && requirement.values.empty();
}

// Of one that makes sense.
bool holds(const LabelSelectorRequirement& requirement, const TextMap& labels) {
  const auto op = requirement.operator_.view();
  const Text* label = labels.find(requirement.key);
  if (op == "Exists") return label != nullptr;
  if (op == "DoesNotExist") return label == nullptr;
  const bool listed =
      label != nullptr && std::ranges::find(requirement.values, *label) != requirement.values.end();
  return op == "In" ? listed : !listed;
}

}  // namespace

bool selects(const LabelSelector& selector, const TextMap& labels) {
  if (!std::ranges::all_of(selector.match_expressions, makes_sense)) return false;
  const auto has = [&](const auto& wanted) {
    const Text* label = labels.find(wanted.first);
    return label != nullptr && *label == wanted.second;
  };
  return std::ranges::all_of(selector.match_labels, has) &&
         std::ranges::all_of(selector.match_expressions,
                             [&](const auto& each) { return holds(each, labels); });
}

}  // namespace capstan::api
