// The end of a VM: it goes unless its tags say that it is another object's.
#include "base/safeguards.h"
#include "infrastructure/controller/account.h"
#include "infrastructure/controller/driver_steps.h"
#include "infrastructure/controller/machine/work.h"

namespace capstan::infrastructure::machine {
namespace {

using api::NoteCode;

constexpr Seconds kUntilGone{5};

}  // namespace

bool Work::perform(const RemoveVm& action) {
  const auto* credentials = find_credentials();
  if (credentials == nullptr)
    return is_given_up_unseen(object_.metadata, object_.spec.account, effects_.trouble);
  if (is_given_up(*credentials)) return true;
  // Before the cloud hears of the VM: a delete of one that it does not know may succeed, too.
  if (!is_right_account(*credentials)) return false;
  if (action.surely_ours) return remove(action.vm, *credentials);
  VmId vm = action.vm;
  auto anothers = belongs_to_another(vm, *credentials);
  // The provider ID of another VM was written into the spec: the key still leads to this object's own.
  if (anothers == true && !vm.provider_id.empty() && !vm.instance_key.empty()) {
    vm.provider_id.clear();
    anothers = belongs_to_another(vm, *credentials);
  }
  if (!anothers) return false;
  if (*anothers) return is_right_account(*credentials);
  return remove(vm, *credentials);
}

// A copy brings the key and perhaps the provider ID of the original, but no status; a provisioned object may
// have got the ID of another one by an edit. What the VM itself says decides. Nothing: could not be found
// out.
std::optional<bool> Work::belongs_to_another(const VmId& vm, const Credentials& credentials) {
  const auto found = look_at_vm(driver(), vm, credentials, deadline());
  if (found) return !carries_our_name(*found);
  const Reaction what = reaction(Verb::Status, found.error());
  if (what.next == Reaction::Next::Absent) return false;
  fail_with(trouble_of(NoteCode::NotDeleted, "find the VM", found.error(), what));
  return std::nullopt;
}

// True: there is none any more.
bool Work::remove(const VmId& vm, const Credentials& credentials) {
  const auto removed = driver().remove(vm, credentials, deadline());
  if (!removed) {
    const Reaction what = reaction(Verb::Remove, removed.error());
    if (what.next == Reaction::Next::Done) return believes_absence(vm, credentials);
    keep_state_of(removed.error());
    return fail_with(trouble_of(NoteCode::NotDeleted, "remove the VM", removed.error(), what));
  }
  const auto left = driver().status(vm, credentials, deadline());
  if (!left && reaction(Verb::Status, left.error()).next == Reaction::Next::Absent)
    return believes_absence(vm, credentials);
  return fail_with(Trouble{.code = NoteCode::BeingDeleted,
                           .message = "waiting for the cloud to remove the VM",
                           .retry = kUntilGone,
                           .quiet = true});
}

}  // namespace capstan::infrastructure::machine
