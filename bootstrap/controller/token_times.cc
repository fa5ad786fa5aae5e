#include "bootstrap/controller/token_times.h"

#include <algorithm>

namespace capstan::bootstrap::controller {
namespace {

constexpr std::int32_t kUsualTimeout = 1200;

Seconds creation_timeout(const Observation& seen) {
  return Seconds(seen.object->spec.join->creation_timeout_seconds.value_or(kUsualTimeout));
}

// A token with less than that left is extended.
Seconds least_left(const Observation& seen) { return kMargin + creation_timeout(seen) / 2; }

bool is_for_pool(const Observation& seen) { return seen.owner->is_pool(); }

Seconds until(Time now, Time then) { return std::max(Seconds(1), then - now); }

}  // namespace

Seconds lifetime(const Observation& seen) {
  const Seconds once = creation_timeout(seen) + kMargin;
  return is_for_pool(seen) ? once + kRotation : once;
}

bool is_old(const Observation& seen, const Token& token) {
  return is_for_pool(seen) && token.created.is_set() && seen.now >= token.created + kRotation;
}

bool ends_soon(const Observation& seen, const Token& token) {
  return token.expires.is_set() && token.expires < seen.now + least_left(seen);
}

Seconds next_look(const Observation& seen, const Token& token) {
  const Time expires = ends_soon(seen, token) ? seen.now + lifetime(seen) : token.expires;
  const Seconds left = expires.is_set() ? until(seen.now, expires) - least_left(seen) : kRotation;
  const Seconds extension = std::max(kLookAgain, left + Seconds(1));
  if (!is_for_pool(seen)) return extension;
  const Time born = token.created.is_set() ? token.created : seen.now;
  const Seconds rotation = until(seen.now, born + kRotation);
  return seen.owner->nodes_missing ? std::min(rotation, extension) : rotation;
}

}  // namespace capstan::bootstrap::controller
