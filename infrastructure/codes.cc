#include "infrastructure/codes.h"

#include <algorithm>
#include <array>
#include <utility>

namespace capstan::infrastructure {
namespace {

constexpr std::array<std::pair<DriverCode, std::string_view>, kDriverCodes> kNames = {{
    {DriverCode::Canceled, "Canceled"},
    {DriverCode::Unknown, "Unknown"},
    {DriverCode::InvalidArgument, "InvalidArgument"},
    {DriverCode::DeadlineExceeded, "DeadlineExceeded"},
    {DriverCode::NotFound, "NotFound"},
    {DriverCode::AlreadyExists, "AlreadyExists"},
    {DriverCode::PermissionDenied, "PermissionDenied"},
    {DriverCode::ResourceExhausted, "ResourceExhausted"},
    {DriverCode::FailedPrecondition, "FailedPrecondition"},
    {DriverCode::Aborted, "Aborted"},
    {DriverCode::OutOfRange, "OutOfRange"},
    {DriverCode::Unimplemented, "Unimplemented"},
    {DriverCode::Internal, "Internal"},
    {DriverCode::Unavailable, "Unavailable"},
    {DriverCode::DataLoss, "DataLoss"},
    {DriverCode::Unauthenticated, "Unauthenticated"},
    {DriverCode::Uninitialized, "Uninitialized"},
}};

constexpr Seconds kWhenFree{1};
constexpr Seconds kSoon{5};         // it may be over the next moment
constexpr Seconds kLater{180};      // a user may have to do something first
constexpr Seconds kMuchLater{600};  // clouds don't grow by the minute

using Next = Reaction::Next;
constexpr Reaction kDone = {.next = Next::Done};
constexpr Reaction kAbsent = {.next = Next::Absent};
constexpr Reaction kRetrySoon = {.retry = kSoon, .quiet = true};
constexpr Reaction kRetryLater = {.retry = kLater};
constexpr Reaction kWaitForRoom = {.retry = kMuchLater};

struct Row {
  DriverCode code;
  Reaction create;
  Reaction status;
  Reaction remove;
};

// One row per code, in the order of the enumeration.
constexpr std::array<Row, kDriverCodes> kPolicy = {{
    {DriverCode::Canceled, kRetryLater, kRetryLater, kRetryLater},
    {DriverCode::Unknown, kRetrySoon, kRetrySoon, kRetrySoon},
    {DriverCode::InvalidArgument, kRetryLater, kRetryLater, kRetryLater},
    {DriverCode::DeadlineExceeded, kRetrySoon, kRetrySoon, kRetrySoon},
    {DriverCode::NotFound, kRetryLater, kAbsent, kDone},
    {DriverCode::AlreadyExists, kRetryLater, kRetryLater, kRetryLater},
    {DriverCode::PermissionDenied, kRetryLater, kRetryLater, kRetryLater},
    {DriverCode::ResourceExhausted, kWaitForRoom, kRetryLater, kRetryLater},
    {DriverCode::FailedPrecondition, kRetryLater, kRetryLater, kRetryLater},
    {DriverCode::Aborted, kRetrySoon, kRetrySoon, kRetrySoon},
    {DriverCode::OutOfRange, kRetryLater, kRetryLater, kRetryLater},
    {DriverCode::Unimplemented, kRetryLater, kAbsent, kRetryLater},
    {DriverCode::Internal, kRetryLater, kRetryLater, kRetryLater},
    {DriverCode::Unavailable, kRetrySoon, kRetrySoon, kRetrySoon},
    {DriverCode::DataLoss, kRetryLater, kRetryLater, kRetryLater},
    {DriverCode::Unauthenticated, kRetryLater, kRetryLater, kRetryLater},
    {DriverCode::Uninitialized, kRetryLater, kRetryLater, kRetryLater},
}};

constexpr bool in_order() {
  for (std::size_t i = 0; i < kDriverCodes; ++i) {
    if (static_cast<std::size_t>(kPolicy[i].code) != i || static_cast<std::size_t>(kNames[i].first) != i)
      return false;
  }
  return true;
}
static_assert(in_order());

}  // namespace

Reaction reaction(Verb verb, DriverCode code) {
  const Row& row = kPolicy[static_cast<std::size_t>(code)];
  switch (verb) {
    case Verb::Create: return row.create;
    case Verb::Status: return row.status;
    case Verb::Remove: return row.remove;
  }
  return row.status;
}

Reaction reaction(Verb verb, const DriverError& error) {
  Reaction chosen = reaction(verb, error.code);
  if (error.busy) chosen.retry = kWhenFree;
  if (error.retry_after) chosen.retry = std::max(chosen.retry, *error.retry_after);
  return chosen;
}

std::string state_after(const DriverError& error, const std::string& before) {
  if (!error.last_known_state.empty()) return error.last_known_state;
  return reaction(Verb::Create, error.code).quiet ? before : std::string();
}

std::string_view to_string(DriverCode code) { return kNames[static_cast<std::size_t>(code)].second; }

std::optional<DriverCode> parse_driver_code(std::string_view name) {
  const auto* const found = std::ranges::find(kNames, name, &std::pair<DriverCode, std::string_view>::second);
  if (found == kNames.end()) return std::nullopt;
  return found->first;
}

std::string DriverError::describe() const {
  std::string text(to_string(code));
  if (!message.empty()) text += ": " + message;
  return text;
}

}  // namespace capstan::infrastructure
