// Honest clients of the manager's two endpoints, each on threads of its own and on a fixed schedule: a call
// that starts late because the one before it took long counts its time from the moment it was due. Made and
// stopped by one thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/guarded.h"
#include "base/threads.h"

namespace capstan::bench {

struct Calls {
  std::vector<double> milliseconds = {};  // of each
  int again = 0;                          // calls that needed a second connection
  int failed = 0;                         // without an answer, or with another than 200
  std::string first_failure = {};
  double percentile(int percent) const;
};

struct ReviewEndpoint {
  std::uint16_t port = 0;
  std::string ca_file = {};
  std::vector<std::string> paths = {};  // called by turns
  std::string body = {};
};

// API servers: each keeps its connection, and repeats a call once when that is closed under it.
class ReviewCallers {
 public:
  ReviewCallers(ReviewEndpoint endpoint, int callers, Nanoseconds every);
  ~ReviewCallers();
  Calls stop();

 private:
  void call_on(int caller, const std::stop_token& stop);

  const ReviewEndpoint endpoint_;
  const Nanoseconds every_;
  const int callers_;
  SystemClock clock_;
  SystemThreads threads_;
  SteadyTime begun_;
  Guarded<Calls> calls_;
  std::vector<std::unique_ptr<Thread>> running_;
};

// A kubelet: GET /healthz, a new connection each time.
class ProbeCaller {
 public:
  ProbeCaller(std::uint16_t port, Nanoseconds every);
  ~ProbeCaller();
  Calls stop();

 private:
  void call_on(std::uint16_t port, Nanoseconds every, const std::stop_token& stop);

  SystemClock clock_;
  SystemThreads threads_;
  Guarded<Calls> calls_;
  std::unique_ptr<Thread> running_;
};

}  // namespace capstan::bench
