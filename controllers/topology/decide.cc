#include "controllers/topology/decide.h"

#include <algorithm>

namespace capstan::controllers::topology {
namespace {

// References of different versions name the same object, so there is no version in them.
bool is_among(const Templates& templates, const api::ContractRef& wanted) {
  return std::ranges::any_of(templates, [&](const api::ContractRef& each) {
    return each.api_group == wanted.api_group && each.kind == wanted.kind && each.name == wanted.name;
  });
}

}  // namespace

Plan decide(const Observation& seen) {
  if (!seen.deleting) return {.put_finalizer = !seen.has_finalizer};
  if (!seen.has_finalizer || seen.paused) return {};
  Plan plan{.clean_up = true, .health_check = seen.may_have_health_check};
  if (!seen.in_use) return plan;
  for (const api::ContractRef& ref : seen.templates) {
    if (!is_among(*seen.in_use, ref)) plan.templates.push_back(ref);
  }
  return plan;
}

}  // namespace capstan::controllers::topology
