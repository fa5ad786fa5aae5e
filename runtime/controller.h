// Runs one reconciler: a queue, workers that are started as load asks for them and end when it does not, and
// around every turn the consistency gate, a deadline, metrics, one log line for a failure and the boundary
// that turns an exception into an error. Wiring makes one per kind; start() and stop() from its thread,
// everything else from any.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/guarded.h"
#include "base/log.h"
#include "base/metrics.h"
#include "base/randomness.h"
#include "base/threads.h"
#include "kube/client.h"
#include "runtime/consistency.h"
#include "runtime/controller_metrics.h"
#include "runtime/queue.h"
#include "runtime/reconcile.h"

namespace capstan::runtime {

// What a controller stands on; all of it lives longer.
struct ControllerDeps {
  const Clock& clock;
  Threads& threads;
  kube::Client& client;  // for the gate's live reads
  Randomness& randomness;
  Log log = {};
  Metrics* metrics = nullptr;
  // Called by a worker that ends, when it is the last of many: a load is over.
  std::function<void()> after_load = {};
};

struct ControllerOptions {
  std::string name = {};  // "machine": in metrics and logs
  std::string kind = {};  // "Machine": how log lines name the object
  std::size_t concurrency = 10;
  Nanoseconds turn_timeout = std::chrono::minutes(1);
  Nanoseconds patience = std::chrono::seconds(30);  // without work for so long, a worker ends; two stay
  QueueOptions queue = {.pace = std::chrono::seconds(1)};
  ConsistencyOptions consistency = {};
};

class Controller {
 public:
  Controller(const ControllerDeps& deps, ControllerOptions options, Reconciler& reconciler);
  ~Controller();  // stop() with whatever time that takes
  Controller(const Controller&) = delete;
  Controller& operator=(const Controller&) = delete;

  Queue& queue() { return queue_; }
  const Queue& queue() const { return queue_; }
  Consistency& consistency() { return consistency_; }
  const Consistency& consistency() const { return consistency_; }
  const std::string& name() const { return options_.name; }

  void start();
  // No new turns; those in progress are stopped and waited for.
  void stop();

  // What a worker is doing, for people.
  struct Turn {
    ObjectKey key = {};
    std::string reconcile_id = {};
    Nanoseconds running = {};
  };
  std::vector<Turn> turns() const;
  std::size_t workers() const;
  void refresh_metrics();  // before a scrape

 private:
  struct Crew {
    std::map<std::uint64_t, std::unique_ptr<Thread>> threads = {};  // by number; null: about to start
    std::vector<std::unique_ptr<Thread>> ended = {};                // to be joined
    std::uint64_t last_worker = 0;
    std::map<std::uint64_t, std::pair<Turn, SteadyTime>> turns = {};  // by number of the turn
    std::uint64_t last_turn = 0;
    bool hiring = false;
    bool was_large = false;  // since it was at rest last
  };

  void hire();
  void work(std::uint64_t worker, const std::stop_token& stop);
  void retire(std::uint64_t worker);
  Next take_turn(const Taken& taken, const std::stop_token& stop);
  Next run(Context& context, const Taken& taken);
  Result<Outcome> guarded(const Context& context, const ObjectKey& key);
  Freshness freshness(const ObjectKey& key, const Deadline& deadline);
  Next after_failure(const Context& context, const Error& error, const Taken& taken);
  std::uint64_t note_turn(const Context& context, const ObjectKey& key);

  const ControllerDeps deps_;
  const ControllerOptions options_;
  Reconciler& reconciler_;
  ControllerMetrics metrics_;
  Log log_;
  Consistency consistency_;
  Queue queue_;
  Guarded<Crew> crew_;  // last: the threads go first
};

}  // namespace capstan::runtime
