#include "runtime/events.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>

#include "base/try.h"
#include "kube/resources.h"
#include "kube/typed.h"

namespace capstan::runtime {
namespace {

constexpr std::size_t kMaxMessage = 1024;  // what the API server accepts

}  // namespace

std::string_view to_string(EventType type) {
  switch (type) {
    case EventType::Normal: return api::event_type::kNormal;
    case EventType::Warning: return api::event_type::kWarning;
  }
  return api::event_type::kNormal;
}

api::ObjectReference reference_to(const kube::Resource& resource, const api::ObjectMeta& object) {
  return {.kind = Text(resource.kind),
          .namespace_ = object.namespace_,
          .name = object.name,
          .uid = object.uid,
          .api_version = Text(resource.api_version()),
          .resource_version = Text(object.resource_version.str())};
}

class Events::Recorder final : public EventRecorder {
 public:
  Recorder(Events& events, std::string_view component) : events_(events), component_(component) {}

  void record(const api::ObjectReference& about, EventType type, std::string_view reason,
              std::string_view message) override {
    const WallTime now = events_.deps_.clock.now();
    api::Event event;
    event.metadata.name = events_.new_name(about);
    event.metadata.namespace_ = about.namespace_.empty() ? Text("default") : about.namespace_;
    event.involved_object = about;
    event.reason = Text(reason);
    event.message = FreeText(message.substr(0, kMaxMessage));
    event.source.component = component_;
    event.reporting_component = component_;
    event.first_timestamp = Time::from(now);
    event.last_timestamp = event.first_timestamp;
    event.count = 1;
    event.type = Text(to_string(type));
    events_.add(std::move(event));
  }

 private:
  Events& events_;
  const Text component_;
};

Events::Events(const EventsDeps& deps, EventsOptions options)
    : deps_(deps), options_(options), correlator_(options.correlator) {
  if (deps.metrics == nullptr) return;
  sent_ = deps.metrics->counters("capstan_events_sent_total", "Kubernetes Events written").with({});
  dropped_ = deps.metrics->counters("capstan_events_dropped_total", "Kubernetes Events given up").with({});
}

Events::~Events() = default;

std::unique_ptr<EventRecorder> Events::recorder(std::string_view component) {
  return std::make_unique<Recorder>(*this, component);
}

void Events::add(api::Event event) {
  const bool fits = waiting_.with([&](Waiting& waiting) {
    if (waiting.closing || waiting.events.size() >= options_.waiting) return false;
    waiting.events.push_back(std::move(event));
    return true;
  });
  if (!fits) return dropped_.add();
  changed_.notify();
}

// As client-go names them: the object, and a moment; no moment twice.
Text Events::new_name(const api::ObjectReference& about) {
  const WallTime now = deps_.clock.now();
  const WallTime moment =
      named_at_.with([&](WallTime& last) { return last = std::max(now, last + Nanoseconds(1)); });
  return Text(fmt::format("{}.{:x}", about.name.view(), moment.time_since_epoch().count()));
}

void Events::start() {
  thread_ = deps_.threads.spawn("events", [this](const std::stop_token& stop) { run(stop); });
}

void Events::stop(const Deadline& deadline) {
  waiting_.with([](Waiting& waiting) { waiting.closing = true; });
  const auto all_sent = [&] {
    return waiting_.with([](const Waiting& waiting) { return waiting.events.empty() && !waiting.sending; });
  };
  if (thread_ != nullptr) deps_.threads.wait_until(changed_, deadline, all_sent);
  thread_.reset();
}

void Events::run(const std::stop_token& stop) {
  const auto next = [&] {
    return waiting_.with([](Waiting& waiting) -> std::optional<api::Event> {
      waiting.sending = !waiting.events.empty();
      if (!waiting.sending) return std::nullopt;
      api::Event event = std::move(waiting.events.front());
      waiting.events.pop_front();
      return event;
    });
  };
  while (!stop.stop_requested()) {
    const std::uint64_t seen = changed_.count();
    auto event = next();
    if (event) {
      send(std::move(*event), stop);
    } else {
      changed_.notify();  // for stop(): everything is sent
      deps_.threads.wait(changed_, seen + 1, Deadline::never(stop));
    }
  }
}

void Events::send(api::Event event, const std::stop_token& stop) {
  auto what = correlator_.correlate(std::move(event), deps_.clock.steady_now());
  if (!what) return dropped_.add();
  for (int tried = 1;; ++tried) {
    const auto written = write(*what, Deadline::in(deps_.clock, options_.timeout, stop));
    if (written) {
      correlator_.sent(*what);
      return sent_.add();
    }
    if (!what->is_new && written.error().code == Code::NotFound) {
      what->is_new = true;  // the one to count up is gone: the API server keeps them for an hour
      what->event.metadata.name = new_name(what->event.involved_object);
      continue;
    }
    if (!is_transient(written.error().code) || tried >= options_.tries || stop.stop_requested()) {
      deps_.log.debug("an event could not be written", {{"error", written.error()}});
      return dropped_.add();
    }
    deps_.threads.pause(Deadline::in(deps_.clock, options_.retry, stop));
  }
}

Result<void> Events::write(const EventCorrelator::Correlated& what, const Deadline& deadline) {
  const kube::ObjectKey key = kube::key_of(what.event);
  if (what.is_new) {
    TRY(kube::create_briefly(deps_.client, kube::resources::events(), key, api::to_json(what.event), {},
                             deadline));
    return {};
  }
  const boost::json::value body = {{"count", what.event.count},
                                   {"lastTimestamp", what.event.last_timestamp.to_string()},
                                   {"message", what.event.message.view()}};
  TRY(kube::patch_briefly(deps_.client, kube::resources::events(), key, body, {}, deadline));
  return {};
}

}  // namespace capstan::runtime
