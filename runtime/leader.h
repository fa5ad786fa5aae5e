// Leader election: one thread that keeps a Lease ours, and a second one while it waits for it. Wiring starts
// it, waits until we lead, and ends the process at once when the lease is lost, for another process may act
// from then on. stop() gives the lease back. Safe from any thread.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/guarded.h"
#include "base/log.h"
#include "base/threads.h"
#include "kube/client.h"
#include "runtime/election_protocol.h"
#include "runtime/election_scope.h"
#include "runtime/lease_watch.h"

namespace capstan::runtime {

struct LeaderOptions {
  kube::ObjectKey lease = {.namespace_ = "capi-system", .name = "controller-leader-election-capi"};
  std::string identity = {};  // unique among candidates: host name and a random part
  ElectionTimes times = {};
  ElectionScope scope = {};  // noted on the Lease
  std::string version = {};  // of this program; noted, too
};

// All of it lives longer.
struct LeaderDeps {
  const Clock& clock;
  Threads& threads;
  kube::Client& client;
  Log log = {};
};

class Leader {
 public:
  // `on_lost` runs on the election's thread, once, when we led and may not believe it any longer.
  Leader(const LeaderDeps& deps, LeaderOptions options, std::function<void()> on_lost);
  ~Leader() { stop(); }
  Leader(const Leader&) = delete;
  Leader& operator=(const Leader&) = delete;

  void start();
  // Notified: we lead.
  Woken wait_until_leading(const Deadline& deadline);
  bool leading() const;
  // Nothing while it leads, or stands by because another process does; otherwise what keeps it from both.
  std::optional<std::string> problem() const;
  const kube::ObjectKey& lease() const { return options_.lease; }
  // Gives the lease back when it is ours.
  void stop();

 private:
  void run(const std::stop_token& stop);
  // One look and, when it is our turn, one write. True when the lease is ours now.
  Result<bool> try_once(const Deadline& deadline);
  Result<void> write(const ElectionStep& step, const api::Lease* before, const Deadline& deadline);
  void note_holder(const api::Lease& lease);
  // Only a standby watches: a leader knows what it writes.
  void watch_or_not(bool waiting);
  void wait_for_next_look(const std::stop_token& stop);
  bool hears_of_a_free_lease();
  void give_back();

  const LeaderDeps deps_;
  const LeaderOptions options_;
  const std::function<void()> on_lost_;
  ElectionState state_;  // of the election's thread
  std::string noted_holder_ = {};
  std::optional<LeaseWatch> watch_ = {};
  Guarded<bool> leading_;
  Guarded<std::optional<std::string>> problem_{"the lease has not been read yet"};
  Signal changed_{"leadership"};
  std::unique_ptr<Thread> thread_;
};

}  // namespace capstan::runtime
