#include "kube/rate_limit.h"

#include <algorithm>
#include <cmath>

namespace capstan::kube {

TokenBucket::TokenBucket(RateLimit limit)
    : limit_{.qps = limit.qps, .burst = std::max(limit.burst, 1)}, tokens_(limit_.burst) {}

std::optional<Nanoseconds> TokenBucket::book(SteadyTime now, Nanoseconds longest) {
  if (limit_.unlimited()) return Nanoseconds(0);
  refill(now);
  const double missing = std::max(0.0, 1.0 - tokens_);
  const double seconds = missing / limit_.qps;
  if (std::chrono::duration<double>(seconds) > longest) return {};
  tokens_ -= 1;
  return Nanoseconds(static_cast<std::int64_t>(std::ceil(seconds * 1e9)));
}

void TokenBucket::give_back() { tokens_ = std::min(tokens_ + 1, static_cast<double>(limit_.burst)); }

double TokenBucket::tokens(SteadyTime now) const {
  TokenBucket later = *this;
  later.refill(now);
  return later.tokens_;
}

void TokenBucket::refill(SteadyTime now) {
  if (filled_ && now > *filled_) {
    const double seconds = std::chrono::duration<double>(now - *filled_).count();
    tokens_ = std::min(tokens_ + seconds * limit_.qps, static_cast<double>(limit_.burst));
  }
  if (!filled_ || now > *filled_) filled_ = now;
}

RateLimiter::RateLimiter(Threads& threads, const Clock& clock, RateLimit limit)
    : threads_(threads), clock_(clock), limit_(limit), bucket_(TokenBucket(limit)) {}

Result<void> RateLimiter::acquire(const Deadline& deadline) {
  if (limit_.unlimited()) return {};
  const SteadyTime now = clock_.steady_now();
  const Nanoseconds longest = deadline.at == SteadyTime::max() ? Nanoseconds::max() : deadline.at - now;
  const auto turn = bucket_.with([&](TokenBucket& bucket) { return bucket.book(now, longest); });
  if (!turn) return fail(Code::Timeout, "the client-side rate limit leaves no turn before the deadline");
  if (*turn == Nanoseconds(0)) return {};
  if (threads_.pause({.at = now + *turn, .stop = deadline.stop}) != Woken::Stopped) return {};
  bucket_.with([](TokenBucket& bucket) { bucket.give_back(); });
  return fail(Code::Cancelled, "stopped while waiting for the client-side rate limit");
}

void RateLimiter::spend() {
  if (limit_.unlimited()) return;
  const SteadyTime now = clock_.steady_now();
  bucket_.with([&](TokenBucket& bucket) { bucket.book(now, Nanoseconds::max()); });
}

}  // namespace capstan::kube
