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
// The Node is there when a turn begins that approves nothing more by the token.
inline constexpr Nanoseconds kNodeIsSeen = std::chrono::seconds(10);
// Kubernetes keeps an approved request as long, which shows that an instance has its certificate.
inline constexpr Nanoseconds kRequestsAreKept = std::chrono::hours(1);

// `since`: how long the Machine has had so many of them.
std::string several_tokens(std::string_view machine, std::size_t live, Nanoseconds since);
// `since`: how long the Machine has had its Node, or has been gone, with nothing in the provider's way.
std::string token_outlives(std::string_view machine, std::string_view token, Nanoseconds since);
// The token that the VM of a Machine without a Node has booted with.
std::string token_lost(std::string_view machine, std::string_view token, bool is_live);

// A request for a certificate that was approved, by whom it was made, and for whom.
std::string approved_for_another(std::string_view requester, std::string_view machine);
// A request by bootstrap token that was approved. `after_node`: how long after the machine had its Node it
// was made.
std::string approved_after_join(std::string_view machine, Nanoseconds after_node);
// `after_first`: how long after the one before it, for an instance of a pool of the same name.
std::string approved_again(std::string_view instance, Nanoseconds after_first);
// Over a day: the tokens that the data of a pool named at both ends, and how many were made.
std::string not_rotated(std::string_view pool, std::string_view before, std::string_view after,
                        std::size_t made);
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
