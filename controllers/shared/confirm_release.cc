#include "controllers/shared/confirm_release.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "api/conditions/message.h"
#include "api/names.h"
#include "base/safeguards.h"

namespace capstan::controllers {
namespace {

constexpr std::size_t kReleasedNames = 10;

}  // namespace

std::string unconfirmed_release(const Release& release) {
  if (release.machines.size() <= kReleasedUnasked || is_release_confirmed(release.owner)) return {};
  if (is_off(Safeguard::ConfirmRelease)) return {};
  std::vector<std::string> names(release.machines.begin(), release.machines.end());
  std::ranges::sort(names);
  return fmt::format(
      "spec.selector does not match {} Machines any more and would release them ({}): put spec.selector or "
      "their labels back, or confirm it with the annotation {}: \"{}\" on this {}",
      names.size(), api::conditions::name_list(names, kReleasedNames), api::annotation::kConfirmRelease,
      release.owner.generation, release.kind);
}

bool is_release_confirmed(const api::ObjectMeta& owner) {
  return owner.annotations.value_or_empty(api::annotation::kConfirmRelease) ==
         std::to_string(owner.generation);
}

}  // namespace capstan::controllers
