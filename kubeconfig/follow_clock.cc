#include "kubeconfig/follow_clock.h"

namespace capstan::kubeconfig {
namespace {

constexpr Nanoseconds kClockWasSet = std::chrono::seconds(2);

}  // namespace

void follow_clock(Reach& reach, Nanoseconds by) {
  if (std::chrono::abs(by) < kClockWasSet) return;
  const auto whole = std::chrono::round<Seconds>(by);
  if (reach.last_success.is_set()) reach.last_success = reach.last_success + whole;
  if (reach.first_failure.is_set()) reach.first_failure = reach.first_failure + whole;
}

}  // namespace capstan::kubeconfig
