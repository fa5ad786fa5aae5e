#include "infrastructure/controller/account.h"

#include <fmt/core.h>

#include "api/driver/names.h"

namespace capstan::infrastructure {
namespace {

constexpr std::size_t kLongestName = 512;  // that spec.account holds
constexpr Seconds kUntilCredentialsAreBack{180};

// The other account is not named: one that has another name with every question would be news each time.
Trouble in_another_account(std::string_view ours) {
  return {
      .code = api::NoteCode::WrongAccount,
      .message = fmt::format(
          "the credentials lead to another account than {}, which the VM is in, so that it can't be said to "
          "be gone; bring back credentials of that account, or give the VM up: {}={}",
          ours, api::driver::annotation::kAbandonVm, ours),
      .retry = kUntilCredentialsAreBack};
}

}  // namespace

std::string account_name(const Identity& identity) {
  return identity.region.empty() ? identity.account : identity.account + "/" + identity.region;
}

DriverResult<std::string> ask_account(Driver& driver, const Credentials& credentials,
                                      const Deadline& deadline) {
  const auto answer = driver.identity(credentials, deadline);
  if (!answer && answer.error().code == DriverCode::Unimplemented) return std::string();
  if (!answer) return std::unexpected(answer.error());
  std::string name = account_name(*answer);
  if (name.size() > kLongestName)
    return driver_failure(DriverCode::Internal, "the driver gave the account a name of over 512 bytes");
  return name;
}

std::optional<Trouble> wrong_account(std::string_view ours, const DriverResult<std::string>& answer,
                                     api::NoteCode unanswered) {
  if (!answer)
    return trouble_of(unanswered, "find out the account", answer.error(),
                      reaction(Verb::Create, answer.error()));
  if (ours.empty() || ours == *answer) return std::nullopt;
  return in_another_account(ours);
}

bool is_given_up_unseen(const api::ObjectMeta& object, std::string_view ours,
                        std::optional<Trouble>& no_credentials) {
  if (!no_credentials) return false;
  if (abandons_vms(object, ours)) {
    no_credentials.reset();
    return true;
  }
  if (!ours.empty())
    no_credentials->message += fmt::format("; bring them back, or give the VM up: annotation {}: \"{}\"",
                                           api::driver::annotation::kAbandonVm, ours);
  return false;
}

bool abandons_vms(const api::ObjectMeta& object, std::string_view ours) {
  return !ours.empty() && object.annotations.value_or_empty(api::driver::annotation::kAbandonVm) == ours;
}

}  // namespace capstan::infrastructure
