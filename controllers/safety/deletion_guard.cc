#include "controllers/safety/deletion_guard.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/conditions/message.h"
#include "api/policy/names.h"
#include "base/hash.h"
#include "base/safeguards.h"

namespace capstan::controllers::safety {
namespace {

constexpr std::size_t kAlwaysAllowed = 1;
constexpr std::size_t kDoomedNames = 10;

std::size_t machines_in(const std::vector<Doomed>& doomed) {
  std::size_t sum = 0;
  for (const Doomed& each : doomed) sum += each.machines;
  return sum;
}

std::size_t allowed_by(const GuardQuestion& question) {
  const auto percent = static_cast<std::size_t>(std::max(0, question.percent));
  return std::max(kAlwaysAllowed, *question.governed * percent / 100);
}

std::string list_of(const std::vector<Doomed>& doomed) {
  std::vector<std::string> texts;
  for (const Doomed& each : doomed) texts.push_back(each.text);
  std::ranges::sort(texts);
  return api::conditions::name_list(texts, kDoomedNames);
}

std::string_view confirmation_of(const GuardQuestion& question) {
  return question.owner.annotations.value_or_empty(api::policy::annotation::kConfirmDeletion);
}

std::vector<std::string_view> identities_of(const std::vector<Doomed>& doomed) {
  std::vector<std::string_view> identities;
  for (const Doomed& each : doomed) identities.push_back(each.identity);
  return identities;
}

std::string hash_of(const GuardQuestion& question, std::vector<std::string_view> identities) {
  std::ranges::sort(identities);
  std::uint64_t hash = hash_combine(hash_bytes(question.owner.uid.str()),
                                    static_cast<std::uint64_t>(question.owner.generation));
  for (const std::string_view identity : identities) hash = hash_combine(hash, hash_bytes(identity));
  return fmt::format("{:016x}", hash);
}

// Some of the list show already that it was confirmed, and not all: a write was lost.
bool confirms_the_rest(const GuardQuestion& question) {
  if (question.confirmed.empty()) return false;
  auto all = identities_of(question.doomed);
  std::ranges::move(identities_of(question.confirmed), std::back_inserter(all));
  return confirmation_of(question) == hash_of(question, std::move(all));
}

std::string request_for(const GuardQuestion& question) {
  const auto said = confirmation_of(question);
  return fmt::format(
      "spec.deletionGuard of MachineLifecyclePolicy {} holds the deletion of {} Machines, for it is more "
      "than {}% of "
      "{}: {}; confirm it with the annotation {}: \"{}\" on this {}{}",
      question.policy, machines_in(question.doomed), question.percent, *question.governed,
      list_of(question.doomed), api::policy::annotation::kConfirmDeletion, hash_of(question), question.kind,
      said.empty() ? std::string() : fmt::format(" (it says \"{}\", which is another list)", said));
}

}  // namespace

std::string hash_of(const GuardQuestion& question) {
  return hash_of(question, identities_of(question.doomed));
}

GuardVerdict ask_guard(const GuardQuestion& question) {
  const std::size_t doomed = machines_in(question.doomed);
  if (confirms_the_rest(question)) return {.confirmed = true};
  if (doomed <= kAlwaysAllowed || is_off(Safeguard::DeletionGuard)) return {};
  if (!question.governed) return {.open = false, .uncounted = true};
  if (doomed <= allowed_by(question)) return {};
  if (confirmation_of(question) == hash_of(question)) return {.confirmed = true};
  return {.open = false, .why = request_for(question)};
}

}  // namespace capstan::controllers::safety
