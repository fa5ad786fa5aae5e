// Client-side rate limit with the meaning of client-go's --kube-api-qps and --kube-api-burst: a bucket of
// `burst` tokens, refilled with `qps` per second; a caller that finds none books the next one and waits for
// it, first come, first served. One per RemoteClient. RateLimiter is safe from any thread, TokenBucket
// belongs to one.
#pragma once

#include <optional>

#include "base/clock.h"
#include "base/deadline.h"
#include "base/guarded.h"
#include "base/result.h"
#include "base/threads.h"

namespace capstan::kube {

struct RateLimit {
  double qps = 0;  // 0 or less: unlimited
  int burst = 0;   // less than 1 counts as 1
  bool unlimited() const { return qps <= 0; }
};

// Pure: time comes in as a value.
class TokenBucket {
 public:
  explicit TokenBucket(RateLimit limit);

  // Books a token and says how long its owner has to wait for it; nothing is booked when that is longer than
  // `longest`.
  std::optional<Nanoseconds> book(SteadyTime now, Nanoseconds longest);
  // The owner of a booked token does not want it any more.
  void give_back();
  double tokens(SteadyTime now) const;  // negative: so many are booked ahead

 private:
  void refill(SteadyTime now);

  RateLimit limit_;
  double tokens_;
  std::optional<SteadyTime> filled_;
};

class RateLimiter {
 public:
  RateLimiter(Threads& threads, const Clock& clock, RateLimit limit);

  // Waits for this caller's turn. Timeout at once when the turn would come after the deadline, Cancelled when
  // stopped.
  Result<void> acquire(const Deadline& deadline);
  // For requests that must not block (streams): takes a token now, others wait the longer.
  void spend();

 private:
  Threads& threads_;
  const Clock& clock_;
  RateLimit limit_;
  Guarded<TokenBucket> bucket_;
};

}  // namespace capstan::kube
