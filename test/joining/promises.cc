#include "test/joining/promises.h"

#include <fmt/format.h>

namespace capstan::joining {
namespace {

double seconds(Nanoseconds span) { return std::chrono::duration<double>(span).count(); }

}  // namespace

std::string several_tokens(std::string_view machine, std::size_t live, Nanoseconds since) {
  if (live <= 1 || since <= kTwoTokensAtMost) return {};
  return fmt::format("Machine {} has had {} live tokens for {} s", machine, live, seconds(since));
}

std::string token_outlives(std::string_view machine, std::string_view token, Nanoseconds since) {
  if (since <= kTokenAfterJoin) return {};
  return fmt::format("token {} lives {} s after Machine {} has joined or gone", token, seconds(since),
                     machine);
}

std::string token_lost(std::string_view machine, std::string_view token, bool is_live) {
  if (is_live) return {};
  return fmt::format("token {} ended, and Machine {} has booted with it and has no Node yet", token, machine);
}

std::string approved_for_another(std::string_view requester, std::string_view machine) {
  if (requester == machine) return {};
  return fmt::format("a certificate of machine {} was approved for machine {}", machine, requester);
}

std::string approved_after_join(std::string_view machine, Nanoseconds after_node) {
  if (after_node <= kNodeIsSeen) return {};
  return fmt::format("a certificate by token was approved for {}, asked for {} s after it had its Node",
                     machine, seconds(after_node));
}

std::string approved_again(std::string_view instance, Nanoseconds after_first) {
  if (after_first >= kRequestsAreKept) return {};
  return fmt::format("instance {} got a second certificate by token {} s after the first", instance,
                     seconds(after_first));
}

std::string not_rotated(std::string_view pool, std::string_view before, std::string_view after,
                        std::size_t made) {
  if (before == after) return fmt::format("the data of {} names token {} for more than a day", pool, before);
  if (made > 1) return fmt::format("{} got {} tokens in a day", pool, made);
  return {};
}

std::string read_anothers(std::string_view machine, std::string_view own, std::string_view secret) {
  if (secret == own) return {};
  return fmt::format("machine {} was given Secret {} of others", machine, secret);
}

std::string restarted_without_change(std::string_view unit, const UnitSeen& seen) {
  if (seen.changes > 0 || seen.asked > 0 || seen.interrupted) return {};
  return fmt::format("{} was restarted without a change", unit);
}

// A restart may be for a change and for a user who asks at the same time: the user's may still come.
UnitSeen after_restart(UnitSeen seen) {
  if (seen.changes == 0 && !seen.interrupted && seen.asked > 0) --seen.asked;
  return {.asked = seen.asked};
}

std::string restart_missed(std::string_view unit, const UnitSeen& seen) {
  if (seen.changes == 0) return {};
  return fmt::format("{} was not restarted after the last change", unit);
}

std::string half_written(std::string_view path, std::string_view content,
                         const std::set<std::string>& offered) {
  if (offered.contains(std::string(content))) return {};
  return fmt::format("{} holds what no configuration has said: \"{}\"", path, content.substr(0, 60));
}

}  // namespace capstan::joining
