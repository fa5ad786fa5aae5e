// The account that the VMs of a group are in: written down before the first one is asked for. In every turn
// of the group the credentials must lead there, for what a list lacks is made anew.
#include "base/safeguards.h"
#include "infrastructure/controller/account.h"
#include "infrastructure/controller/pool/work.h"

namespace capstan::infrastructure::pool {

// `account` is the one the credentials lead to, if it may be any. False: it is another, or can't be found
// out.
bool Work::settle_account(Text& account) {
  const auto credentials = find_credentials();
  if (!credentials) return false;
  const auto answer = ask_account(driver(), *credentials, deadline());
  if (auto trouble = wrong_account(account, answer)) return fail_with(std::move(*trouble));
  if (account.empty()) account = Text(*answer);
  return true;
}

bool Work::is_right_account(const Credentials& credentials) {
  const std::string_view account = object_.spec.account;
  if (account.empty() || is_off(Safeguard::Account)) return true;
  const auto unanswered =
      object_.metadata.deleting() ? api::NoteCode::NotDeleted : api::NoteCode::CloudUnreadable;
  auto trouble = wrong_account(account, ask_account(driver(), credentials, deadline()), unanswered);
  return trouble ? fail_with(std::move(*trouble)) : true;
}

// A person gave the VMs up, and what the credentials lead to now is another account: no VM there is ours.
bool Work::is_given_up(const Credentials& credentials) {
  if (!abandons_vms(object_.metadata, object_.spec.account)) return false;
  const auto answer = ask_account(driver(), credentials, deadline());
  return answer && object_.spec.account != *answer;
}

// Written with the list. A driver that can't say it now is asked again in the next turn.
void Work::adopt_account(const Credentials& credentials) {
  if (!object_.spec.account.empty()) return;
  if (const auto answer = ask_account(driver(), credentials, deadline())) account_ = Text(*answer);
}

}  // namespace capstan::infrastructure::pool
