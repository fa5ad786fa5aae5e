// What must hold while machines join and change, looked at from outside. Pure: a function answers what was
// broken, in words; an empty text: nothing was.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>

#include "base/instant.h"

namespace capstan::joining {

// A token whose creation comes late stands beside the next one until the provider looks again.
inline constexpr Nanoseconds kTwoTokensAtMost = std::chrono::minutes(12);
inline constexpr Nanoseconds kTokenAfterJoin = std::chrono::minutes(1);

// `since`: how long the Machine has had so many of them.
std::string several_tokens(std::string_view machine, std::size_t live, Nanoseconds since);
// `since`: how long the Machine has had its Node, or has been gone, with nothing in the provider's way.
std::string token_outlives(std::string_view machine, std::string_view token, Nanoseconds since);
// The token that the VM of a Machine without a Node has booted with.
std::string token_lost(std::string_view machine, std::string_view token, bool is_live);

// A request for a certificate that was approved, by whom it was made, and for whom.
std::string approved_for_another(std::string_view requester, std::string_view machine);
// A Secret that was given to the agent of a machine whose own is another one.
std::string read_anothers(std::string_view machine, std::string_view own, std::string_view secret);

// What is known of a unit when it is restarted.
struct UnitSeen {
  int changes = 0;           // of its files since the last restart
  int asked = 0;             // times that a user asked, and that no restart was for yet
  bool interrupted = false;  // the agent was killed before it could remember the last restart
  bool operator==(const UnitSeen&) const = default;
};
std::string restarted_without_change(std::string_view unit, const UnitSeen& seen);
UnitSeen after_restart(UnitSeen seen);
// At the end.
std::string restart_missed(std::string_view unit, const UnitSeen& seen);

// `offered`: what configurations have ever said that the file is to hold.
std::string half_written(std::string_view path, std::string_view content,
                         const std::set<std::string>& offered);

}  // namespace capstan::joining
