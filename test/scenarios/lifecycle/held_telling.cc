// What the world of the life of Machines tells of deletions that wait, and how a person confirms them.
#include <fmt/format.h>

#include "api/conditions/conditions.h"
#include "api/names.h"
#include "api/policy/names.h"
#include "kube/typed.h"
#include "test/builders/identity.h"
#include "test/scenarios/lifecycle/lifecycle_world.h"

namespace capstan::scenarios {
namespace {

// Of `capstan.dev/confirm-deletion: "<hash>"` in a message; empty: it asks for none.
std::string hash_asked_for(std::string_view message) {
  const std::string before = fmt::format("{}: \"", api::policy::annotation::kConfirmDeletion);
  const auto at = message.find(before);
  if (at == std::string_view::npos) return {};
  const auto rest = message.substr(at + before.size());
  return std::string(rest.substr(0, rest.find('"')));
}

// The lines behind the first one say why something waits.
std::string reasons_in(const api::Conditions& conditions, std::string_view type) {
  const auto condition = api::conditions::find(conditions, type);
  const std::string message = condition == nullptr ? std::string() : condition->message.str();
  const auto first = message.find("* ");
  return first == std::string::npos ? std::string() : message.substr(first);
}

}  // namespace

template <typename Owner>
void LifecycleWorld::tell_wait_of(std::string_view condition) {
  const auto owners =
      kube::list<Owner>(user_, {.namespace_ = std::string(builders::kNamespace)}, Deadline::never());
  for (const Owner& owner : owners->items) {
    const std::string text = reasons_in(owner.status.conditions, condition);
    const std::string name = owner.metadata.name.str();
    auto& shown = waits_shown_[fmt::format("{} {} {}", api::resource<Owner>.kind, name, condition)];
    if (text == std::exchange(shown, text)) continue;
    tell(api::resource<Owner>.kind == api::kind::kMachineSet ? "set" : "owner",
         text.empty() ? fmt::format("{}: nothing waits", condition) : fmt::format("{}: {}", condition, text));
    // A MachineDeployment also repeats what one of its MachineSets asks for.
    const bool is_meant = text.find(fmt::format("on this {}", api::resource<Owner>.kind)) != text.npos;
    if (const auto hash = hash_asked_for(text); is_meant && !hash.empty())
      to_confirm_ = {.owner = kube::resource_of<Owner>(), .name = name, .hash = hash};
  }
}

void LifecycleWorld::tell_waits() {
  tell_wait_of<api::MachineSet>(api::condition::kScalingDown);
  tell_wait_of<api::MachineSet>(api::condition::kRemediating);
  tell_wait_of<api::MachineDeployment>(api::condition::kRollingOut);
  tell_wait_of<api::MachineDeployment>(api::condition::kScalingDown);
}

void LifecycleWorld::confirm_deletion() {
  if (to_confirm_.hash.empty()) return;
  patch(to_confirm_.owner, to_confirm_.name,
        {{"metadata", {{"annotations", {{api::policy::annotation::kConfirmDeletion, to_confirm_.hash}}}}}});
}

}  // namespace capstan::scenarios
