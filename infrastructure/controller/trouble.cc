#include "infrastructure/controller/trouble.h"

#include <fmt/core.h>

namespace capstan::infrastructure {
namespace {

constexpr Seconds kPatience{20};       // a write, and another when it is over
constexpr Seconds kUntilReadable{30};  // of Secrets that people or other controllers may bring

}  // namespace

Trouble trouble_of(api::NoteCode code, std::string_view what, const DriverError& error,
                   const Reaction& reaction) {
  constexpr std::string_view kSeveral =
      "; several VMs answer to the key of this object: delete those in the cloud that are not its own";
  return {.code = code,
          .message = fmt::format("can't {}: {}{}", what, error.describe(),
                                 error.code == DriverCode::OutOfRange ? kSeveral : std::string_view()),
          .retry = reaction.retry,
          .quiet = reaction.quiet};
}

std::optional<Trouble> trouble_of_secret(api::NoteCode code, const Error& error) {
  if (is_transient(error.code)) return std::nullopt;
  return Trouble{.code = code, .message = error.message, .retry = kUntilReadable};
}

bool lasts(const api::ObjectMeta& object, Time now) {
  const Time since = object.deleting() ? object.deletion_timestamp : object.creation_timestamp;
  return since.is_set() && now > since && now - since >= kPatience;
}

std::optional<runtime::Readiness> readiness_in(const Trouble& trouble, const api::ObjectMeta& object,
                                               Time now) {
  if (trouble.quiet && !lasts(object, now)) return std::nullopt;
  return runtime::Readiness{.obstacle = trouble.code, .message = trouble.message};
}

}  // namespace capstan::infrastructure
