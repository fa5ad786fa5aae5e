#include "infrastructure/remote/answers.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/driver/names.h"
#include "infrastructure/remote/wire.h"

namespace capstan::infrastructure::remote {
namespace {

namespace tag = api::driver::tag;

constexpr std::size_t kMostStateBytes = 4096;
constexpr Seconds kLongestRetry = std::chrono::hours(24);

bool carries_all(const Vm& vm, const Tags& tags) {
  return std::ranges::all_of(tags,
                             [&](const auto& wanted) { return tag_of(vm, wanted.first) == wanted.second; });
}

// A state that is too long is none; longer messages are cut where they are shown.
DriverError with_bounds(DriverError error) {
  if (error.last_known_state.size() > kMostStateBytes) error.last_known_state.clear();
  if (error.retry_after) error.retry_after = std::clamp(*error.retry_after, Seconds(0), kLongestRetry);
  return error;
}

DriverResult<Vm> vm_in(const VmMessage& message) {
  auto vm = vm_of(message);
  if (!vm) return std::unexpected(unreadable(vm.error().message));
  return std::move(*vm);
}

}  // namespace

DriverError unreadable(std::string_view why) {
  return {.code = DriverCode::Unknown, .message = fmt::format("the driver's answer is wrong: {}", why)};
}

DriverError failure_in(const Answer& answer) {
  const auto read = api::decode<ErrorAnswer>(answer.body);
  if (read && !read->code.empty()) return with_bounds(error_of(*read));
  return unreadable(
      fmt::format("HTTP {} without a code; does it speak version 1 of the protocol?", answer.status));
}

std::optional<DriverError> breach(const std::vector<Cause>& causes) {
  if (causes.empty()) return std::nullopt;
  return unreadable(fmt::format("{}: {}", causes.front().field, causes.front().message));
}

DriverResult<Vm> vm_asked_for(const VmId& asked, const VmAnswer& answer) {
  auto vm = vm_in(answer.vm);
  if (!vm) return vm;
  if (!asked.provider_id.empty() && vm->provider_id != asked.provider_id)
    return std::unexpected(
        unreadable(fmt::format("VM {} where {} was asked for", vm->provider_id, asked.provider_id)));
  // A provider ID may have been edited to another VM's, whose key the controller then looks at itself.
  if (asked.provider_id.empty() && !asked.instance_key.empty() &&
      !may_carry(*vm, tag::kInstanceKey, asked.instance_key))
    return std::unexpected(unreadable(fmt::format("a VM of instance key {} where {} was asked for",
                                                  tag_of(*vm, tag::kInstanceKey), asked.instance_key)));
  vm->last_known_state = answer.last_known_state.str();
  return vm;
}

DriverResult<void> Listing::add(const ListAnswer& page) {
  if (vms_.size() + page.vms.size() > kMostVms)
    return std::unexpected(unreadable(fmt::format("the list has more than {} VMs", kMostVms)));
  for (const VmMessage& message : page.vms) {
    auto vm = vm_in(message);
    if (!vm) return std::unexpected(vm.error());
    if (!provider_ids_.insert(vm->provider_id).second)
      return std::unexpected(unreadable(fmt::format("VM {} stands in the list twice", vm->provider_id)));
    if (!carries_all(*vm, tags_))
      return std::unexpected(
          unreadable(fmt::format("VM {} in the list lacks a tag that was asked for", vm->provider_id)));
    vms_.push_back(std::move(*vm));
  }
  if (page.continue_.empty() || pages_.insert(page.continue_.str()).second) return {};
  return std::unexpected(unreadable("a page of the list comes a second time"));
}

}  // namespace capstan::infrastructure::remote
