// How a driver says what went wrong: a closed list of codes, and for each verb what the provider makes of a
// code. A driver that answers anything else is taken to mean Unknown. Plain values and pure functions.
#pragma once

#include <expected>
#include <optional>
#include <string>
#include <string_view>

#include "base/instant.h"

namespace capstan::infrastructure {

enum class DriverCode {
  Canceled,
  Unknown,  // whether it happened is not known
  InvalidArgument,
  DeadlineExceeded,  // nor here
  NotFound,
  AlreadyExists,
  PermissionDenied,
  ResourceExhausted,  // no quota, or the cloud has no more of that class
  FailedPrecondition,
  Aborted,
  OutOfRange,  // more than one VM answers to that identity
  Unimplemented,
  Internal,
  Unavailable,
  DataLoss,
  Unauthenticated,
  Uninitialized,  // the VM is there and still has to be set up
};
inline constexpr std::size_t kDriverCodes = 17;

// "ResourceExhausted", as drivers in other languages spell it.
std::string_view to_string(DriverCode code);
std::optional<DriverCode> parse_driver_code(std::string_view name);

struct DriverError {
  DriverCode code = DriverCode::Unknown;
  std::string message = {};  // the cloud's words, for people
  std::optional<Seconds> retry_after = {};
  std::string last_known_state = {};  // for the driver alone: it comes back with the next call for this VM
  bool busy = false;                  // it was not called: it has as many calls as it may have

  std::string describe() const;  // "ResourceExhausted: quota of 10 VMs reached"
  bool operator==(const DriverError&) const = default;
};

template <typename T>
using DriverResult = std::expected<T, DriverError>;
inline std::unexpected<DriverError> driver_failure(DriverCode code, std::string message) {
  return std::unexpected(DriverError{.code = code, .message = std::move(message)});
}

// The verbs a controller reacts to.
enum class Verb { Create, Status, Remove };

struct Reaction {
  enum class Next {
    Done,    // what was wanted is the case
    Absent,  // there is no VM: create one, or be done with removing it
    Retry,
  };
  Next next = Next::Retry;
  Seconds retry = {};
  bool quiet = false;  // likely to go away by itself: not worth a condition yet
};

// What to make of a code. The driver's own retry_after counts when it is longer; a busy one is tried again
// within about a second.
Reaction reaction(Verb verb, DriverCode code);
Reaction reaction(Verb verb, const DriverError& error);

// What is kept of `before` after a failure: the driver's new state; otherwise the old one as long as the same
// call may go on where it was.
std::string state_after(const DriverError& error, const std::string& before);

}  // namespace capstan::infrastructure
