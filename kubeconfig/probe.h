// The health of the way to one workload cluster, from what was seen of it: answers to our probes and
// whatever else proves that its API server lives. Pure: times and outcomes come in as values. Used by the
// registry; a plain value.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/instant.h"

namespace capstan::kubeconfig {

struct ProbeRules {
  Nanoseconds every = std::chrono::seconds(10);  // as long as nothing else is heard of the cluster
  Nanoseconds timeout = std::chrono::seconds(5);
  int failures_until_down = 5;
  // Clusters at rest are asked in company, at multiples of this: an idle process wakes once for all of them.
  // A cluster in doubt is asked when it is due. Zero: so are all.
  Nanoseconds together = Nanoseconds::zero();
};

enum class Health {
  Connected,
  Suspect,  // the last probe failed: no request is sent there until one succeeds
  Down,     // too many in a row failed: the connection is given up
};
std::string_view to_string(Health health);

// An error that only an API server gives which is alive and knows who we are.
bool is_answer(const Error& error);

// One moment on both clocks.
struct Moment {
  SteadyTime steady = {};
  WallTime wall = {};
};

class Probe {
 public:
  // A connection that has just been made.
  explicit Probe(const Moment& connected);

  void answered(const Moment& at);
  // Its watch brought bytes, or a request was answered. Older than what is known: no news.
  void heard(const Moment& at);
  void failed(const Moment& at, std::string why);

  Health health(const ProbeRules& rules) const;
  // When to ask, if nothing is heard until then.
  SteadyTime due(const ProbeRules& rules) const;

  int failures() const { return failures_; }  // in a row
  WallTime last_success() const { return last_success_.wall; }
  // The same moment, for what must not follow a wall clock that is set.
  SteadyTime last_answer() const { return last_success_.steady; }
  const std::optional<WallTime>& first_failure() const { return first_failure_; }  // of the present row
  const std::string& why() const { return why_; }                                  // the last one

 private:
  SteadyTime known_;    // as of when
  bool asked_ = false;  // by the answer to a probe
  Moment last_success_;
  int failures_ = 0;
  std::optional<WallTime> first_failure_ = {};
  std::string why_ = {};
};

}  // namespace capstan::kubeconfig
