// The account that a VM is in: written down before there is a VM, asked for again when the cloud finds none.
#include "api/driver/names.h"
#include "base/safeguards.h"
#include "infrastructure/controller/account.h"
#include "infrastructure/controller/machine/work.h"

namespace capstan::infrastructure::machine {
namespace {

constexpr Seconds kUntilItIsSure{5};

}  // namespace

// `account` is the one the credentials lead to, if it may be any. False: it is another, or can't be found
// out.
bool Work::settle_account(Text& account) {
  const auto* credentials = find_credentials();
  if (credentials == nullptr) return false;
  const auto answer = ask_account(driver(), *credentials, deadline());
  if (auto trouble = wrong_account(account, answer)) return fail_with(std::move(*trouble));
  if (account.empty()) account = Text(*answer);
  return true;
}

// The cloud has no VM of that identity. That says something only of the account it was asked in, unless a
// person gave the VM up; for one that never was known there is nothing to give up, and no other is made here.
// The account may be another one with every call: it is asked for before and after a second look.
bool Work::believes_absence(const VmId& vm, const Credentials& credentials) {
  const std::string_view account = object_.spec.account;
  if (account.empty()) return true;
  const bool may_be_given_up = object_.metadata.deleting() || !object_.spec.provider_id.empty();
  if (may_be_given_up && abandons_vms(object_.metadata, account)) return true;
  return is_right_account(credentials) && is_absent(vm, credentials) && is_right_account(credentials);
}

bool Work::is_right_account(const Credentials& credentials) {
  const std::string_view account = object_.spec.account;
  if (account.empty() || is_off(Safeguard::Account)) return true;
  auto trouble = wrong_account(account, ask_account(driver(), credentials, deadline()), undone());
  return trouble ? fail_with(std::move(*trouble)) : true;
}

// A person gave the VM up, and what the credentials lead to now is another account: no VM there is ours.
bool Work::is_given_up(const Credentials& credentials) {
  if (!abandons_vms(object_.metadata, object_.spec.account)) return false;
  const auto answer = ask_account(driver(), credentials, deadline());
  return answer && object_.spec.account != *answer;
}

bool Work::is_absent(const VmId& vm, const Credentials& credentials) {
  const auto found = driver().status(vm, credentials, deadline());
  if (!found && found.error().code == DriverCode::NotFound) return true;
  return fail_with(Trouble{.code = undone(),
                           .message = "the cloud finds the VM at one look and not at another",
                           .retry = kUntilItIsSure,
                           .quiet = true});
}

// What the object waits for while the cloud can't be believed.
api::NoteCode Work::undone() const {
  return object_.metadata.deleting() ? api::NoteCode::NotDeleted : api::NoteCode::VmNotCreated;
}

// An object of before accounts were written down.
bool Work::perform(const AdoptVm& action) {
  api::DriverMachine wanted = object_;
  if (!settle_account(wanted.spec.account)) return false;
  if (wanted.spec.account.empty()) return true;  // the driver knows no accounts
  if (!look_for(action.vm, *credentials_) || !is_ours(*effects_.vm)) return false;
  if (!tag_with(action.cluster_key, *credentials_)) return false;
  return write(wanted, kube::Lock::WhenArraysChange);
}

// A VM that carries the key of another cluster keeps it.
bool Work::tag_with(const std::string& cluster_key, const Credentials& credentials) {
  const std::string_view carried = tag_of(*effects_.vm, api::driver::tag::kClusterKey);
  if (cluster_key.empty() || !carried.empty()) return true;
  const auto tagged = driver().tag({.provider_id = effects_.vm->provider_id},
                                   with_cluster_key(cluster_key, {}), credentials, deadline());
  if (tagged || tagged.error().code == DriverCode::Unimplemented) return true;
  return fail_with(trouble_of(api::NoteCode::VmNotCreated, "tag the VM", tagged.error(),
                              reaction(Verb::Create, tagged.error())));
}

}  // namespace capstan::infrastructure::machine
