// Kubernetes Events about objects: what `kubectl describe` shows. record() never blocks and never fails; a
// thread of its own correlates and sends, and drops what does not fit: Events are advice, not state. record()
// from any thread.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <string_view>

#include "api/core/event.h"
#include "base/guarded.h"
#include "base/log.h"
#include "base/metrics.h"
#include "base/threads.h"
#include "kube/client.h"
#include "runtime/event_correlator.h"

namespace capstan::runtime {

enum class EventType { Normal, Warning };
std::string_view to_string(EventType type);

// The object an Event is about.
api::ObjectReference reference_to(const kube::Resource& resource, const api::ObjectMeta& object);

// The seam controllers get: they only record.
class EventRecorder {
 public:
  virtual ~EventRecorder() = default;
  virtual void record(const api::ObjectReference& about, EventType type, std::string_view reason,
                      std::string_view message) = 0;
};

struct EventsDeps {
  const Clock& clock;
  Threads& threads;
  kube::Client& client;
  Log log = {};
  Metrics* metrics = nullptr;
};

struct EventsOptions {
  std::size_t waiting = 1000;  // beyond: dropped
  int tries = 12;              // per Event, as client-go
  Nanoseconds retry = std::chrono::seconds(10);
  Nanoseconds timeout = std::chrono::seconds(10);  // of one request
  CorrelatorLimits correlator = {};
};

class Events {
 public:
  explicit Events(const EventsDeps& deps, EventsOptions options = {});
  ~Events();
  Events(const Events&) = delete;
  Events& operator=(const Events&) = delete;

  // A recorder that speaks as `component` ("machine-controller"); it lives no longer than this.
  std::unique_ptr<EventRecorder> recorder(std::string_view component);

  void start();
  // Sends what is waiting, within the deadline.
  void stop(const Deadline& deadline);

 private:
  class Recorder;
  struct Waiting {
    std::deque<api::Event> events = {};
    bool sending = false;
    bool closing = false;
  };

  void add(api::Event event);
  Text new_name(const api::ObjectReference& about);
  void run(const std::stop_token& stop);
  void send(api::Event event, const std::stop_token& stop);
  Result<void> write(const EventCorrelator::Correlated& what, const Deadline& deadline);

  const EventsDeps deps_;
  const EventsOptions options_;
  EventCorrelator correlator_;  // the sending thread's
  Signal changed_{"an event to send"};
  Guarded<Waiting> waiting_;
  Guarded<WallTime> named_at_;  // the last moment that made a name
  Counter sent_ = {};
  Counter dropped_ = {};
  std::unique_ptr<Thread> thread_;
};

}  // namespace capstan::runtime
