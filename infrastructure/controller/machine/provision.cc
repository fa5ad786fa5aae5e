// A VM for a DriverMachine: found under its identity, or made; and the one in doubt asked about.
#include <fmt/core.h>

#include "api/driver/names.h"
#include "base/safeguards.h"
#include "infrastructure/controller/driver_steps.h"
#include "infrastructure/controller/machine/work.h"

namespace capstan::infrastructure::machine {
namespace {

using api::NoteCode;
namespace tag = api::driver::tag;

constexpr Seconds kUntilNameIsFree{180};
constexpr Seconds kUntilLookedAgain{180};  // for a VM whose creation the cloud may still bring to an end

}  // namespace

bool Work::perform(const ProvideVm& action) {
  const auto* credentials = find_credentials();
  if (credentials == nullptr || !find_or_make(action, *credentials) || !is_ours(*effects_.vm)) return false;
  return !object_.spec.provider_id.empty() || write_provider_id();
}

bool Work::perform(const VerifyVm& action) {
  const auto* credentials = find_credentials();
  const bool there = credentials != nullptr && look_for(action.vm, *credentials) && is_ours(*effects_.vm);
  effects_.verified = !effects_.trouble && !effects_.error;
  return there;
}

bool Work::find_or_make(const ProvideVm& action, const Credentials& credentials) {
  if (action.look_first && look_for(identity(), credentials)) return true;
  if (effects_.vm_gone || effects_.trouble) return false;
  if (!action.held.empty())
    return fail_with(Trouble{.code = NoteCode::WaitingForCluster,
                             .message = action.held,
                             .retry = kUntilLookedAgain,
                             .quiet = true});
  return make(action, credentials);
}

// True: there is one. Otherwise the effects say whether it is gone or could not be found out, or neither:
// then there never was one.
bool Work::look_for(const VmId& vm, const Credentials& credentials) {
  auto found = find_vm(driver(),
                       {.id = vm,
                        .vm_class = object_.spec.vm_class.str(),
                        .provider_spec = std::string(object_.spec.provider_spec.text())},
                       credentials, deadline());
  if (found) {
    effects_.vm = std::move(*found);
    return true;
  }
  const Reaction what = reaction(Verb::Status, found.error());
  if (what.next != Reaction::Next::Absent)
    return fail_with(trouble_of(NoteCode::CloudUnreadable, "find the VM", found.error(), what));
  if (!believes_absence(vm, credentials)) return false;
  effects_.vm_gone = !vm.provider_id.empty();
  return false;
}

bool Work::make(const ProvideVm& action, const Credentials& credentials) {
  auto data = read_bootstrap_data(with_.deps.client, action.data_secret, deadline());
  if (!data) {
    note_unreadable(NoteCode::BootstrapDataUnreadable, data.error(), effects_);
    return false;
  }
  auto made = make_vm(driver(), request_for(action, std::move(*data)), credentials, deadline());
  if (!made) {
    keep_state_of(made.error());
    const bool full = made.error().code == DriverCode::ResourceExhausted;
    return fail_with(trouble_of(full ? NoteCode::ResourceExhausted : NoteCode::VmNotCreated, "create the VM",
                                made.error(), reaction(Verb::Create, made.error())));
  }
  with_.context.log.info("vm created", {{"providerID", made->provider_id}, {"class", action.vm_class}});
  effects_.last_known_state = made->last_known_state;
  effects_.vm = std::move(*made);
  return true;
}

CreateVm Work::request_for(const ProvideVm& action, BootstrapData data) const {
  return {.instance_key = is_off(Safeguard::InstanceKey) ? random_uuid(with_.deps.randomness)
                                                         : object_.spec.instance_key.str(),
          .name = action.name,
          .tags = action.tags,
          .vm_class = action.vm_class,
          .failure_domain = action.failure_domain,
          .kubernetes_version = action.kubernetes_version,
          .provider_spec = action.provider_spec,
          .user_data = std::move(data.value),
          .user_data_format = std::move(data.format),
          .last_known_state = object_.status.last_known_state.str()};
}

// A copied object may bring a key whose VM belongs to the original: adopting it would let the copy's deletion
// remove it.
bool Work::is_ours(const Vm& vm) {
  if (carries_our_name(vm)) return true;
  Trouble taken{
      .code = NoteCode::InstanceKeyTaken,
      .message = fmt::format(
          "the VM of spec.instanceKey {} belongs to DriverMachine {}/{}; delete this object, or the "
          "other one",
          object_.spec.instance_key.view(), tag_of(vm, tag::kNamespace), tag_of(vm, tag::kName)),
      .retry = kUntilNameIsFree};
  effects_.vm.reset();
  return fail_with(std::move(taken));
}

bool Work::write_provider_id() {
  api::DriverMachine wanted = object_;
  wanted.spec.provider_id = Text(effects_.vm->provider_id);
  const bool known = !wanted.spec.account.empty() || settle_account(wanted.spec.account);
  const bool written = known && write(wanted, kube::Lock::WhenArraysChange);
  if (!written) effects_.vm.reset();  // not before the spec says so
  return written;
}

}  // namespace capstan::infrastructure::machine
