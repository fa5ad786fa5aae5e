#include "kube/watch_stream.h"

#include <utility>

#include "kube/trim.h"

namespace capstan::kube {
namespace {

void note_trouble(const std::optional<Error>& trouble, SteadyTime now, WatchProgress& progress) {
  if (trouble && !progress.trouble) progress.trouble_since = now;
  if (!trouble && progress.trouble) progress.recovered = now;
  progress.trouble = trouble;
}

}  // namespace

WatchStream::WatchStream(WatchLoop& loop, Client& client, WatchTarget target, WatchLimits limits,
                         std::uint64_t seed, std::unique_ptr<WatchBody> body)
    : loop_(loop),
      clock_(loop.clock()),
      client_(client),
      target_(std::move(target)),
      protocol_({.api_version = target_.resource.api_version(), .kind = target_.resource.kind}, limits, seed),
      body_(std::move(body)) {}

WatchStream::~WatchStream() { stop(); }

void WatchStream::joined(Id id) {
  link_.with([&](Link& link) { link.id = id; });
}

void WatchStream::stop() { stream_.reset(); }

WatchProgress WatchStream::progress() const {
  return link_.with([](const Link& link) {
    WatchProgress progress = link.progress;
    progress.last_bytes = link.last_bytes;
    return progress;
  });
}

// --- the loop's side ---

SteadyTime WatchStream::look() {
  const SteadyTime now = clock_.steady_now();
  if (const auto again = still_receiving(now)) return *again;
  for (;;) {
    const Step step = protocol_.next_step();
    const auto again = std::visit([&](const auto& wanted) { return act(wanted, now); }, step);
    if (again) return *again;
  }
}

// When to look again while a response is coming in; nothing when it is over, one way or the other.
std::optional<SteadyTime> WatchStream::still_receiving(SteadyTime now) {
  const auto [phase, last_bytes] =
      link_.with([](const Link& link) { return std::pair(link.phase, link.last_bytes); });
  if (phase == Phase::Idle) return {};
  if (phase == Phase::Receiving && now < last_bytes + silent_after_) return last_bytes + silent_after_;
  stream_.reset();
  // It may have ended by itself until the line above; then the protocol knows already.
  const bool silent =
      link_.with([](Link& link) { return std::exchange(link.phase, Phase::Idle) == Phase::Receiving; });
  if (silent) {
    protocol_.on_silence();
    report_trouble();
  }
  publish();
  return {};
}

std::optional<SteadyTime> WatchStream::act(const WaitFor& wait, SteadyTime now) {
  if (!waiting_until_) waiting_until_ = now + wait.span;
  if (now < *waiting_until_) return waiting_until_;
  waiting_until_.reset();
  protocol_.on_waited();
  return {};
}

std::optional<SteadyTime> WatchStream::act(const RequestPage& request, SteadyTime now) {
  const SteadyTime again = begin(Receiving::Page, request.silent_after, now);
  body_->begin_page(protocol_);
  stream_ = client_.list_stream(target_.resource,
                                {.namespace_ = target_.namespace_,
                                 .label_selector = target_.label_selector,
                                 .field_selector = target_.field_selector,
                                 .limit = request.limit,
                                 .continue_token = request.continue_token},
                                *this);
  return again;
}

std::optional<SteadyTime> WatchStream::act(const RequestWatch& request, SteadyTime now) {
  const SteadyTime again = begin(Receiving::Events, request.silent_after, now);
  stream_ = client_.watch(target_.resource,
                          {.namespace_ = target_.namespace_,
                           .label_selector = target_.label_selector,
                           .field_selector = target_.field_selector,
                           .resource_version = request.version,
                           .timeout_seconds = request.timeout.count()},
                          *this);
  return again;
}

SteadyTime WatchStream::begin(Receiving what, std::chrono::seconds silent_after, SteadyTime now) {
  receiving_ = what;
  opened_ = now;
  silent_after_ = silent_after;
  framer_ = net::LineFramer();
  const bool first_page = std::holds_alternative<Empty>(protocol_.state());
  link_.with([&](Link& link) {
    link.phase = Phase::Receiving;
    link.last_bytes = now;
    if (what == Receiving::Events) ++link.progress.watches;
    if (what == Receiving::Page && first_page) ++link.progress.lists;
  });
  return now + silent_after;
}

// --- the sink's side ---

void WatchStream::on_bytes(std::string_view bytes) {
  const SteadyTime now = clock_.steady_now();
  const bool wanted = link_.with([&](Link& link) {
    link.last_bytes = now;
    link.progress.last_received = now;
    link.progress.bytes += bytes.size();
    return link.phase == Phase::Receiving;
  });
  if (!wanted) return;
  if (receiving_ == Receiving::Page) return receive_page(bytes);
  receive_events(bytes);
}

void WatchStream::on_end(Result<void> outcome) {
  const bool wanted = link_.with([](const Link& link) { return link.phase == Phase::Receiving; });
  if (!wanted) return;
  if (receiving_ == Receiving::Page) {
    end_page(outcome);
  } else {
    end_events(outcome);
  }
  done();
}

void WatchStream::receive_page(std::string_view bytes) {
  const auto taken = body_->page_bytes(bytes);
  if (taken) return;
  protocol_.on_failure(taken.error(), lived());
  report_trouble();
  done();
}

void WatchStream::end_page(const Result<void>& outcome) {
  const auto ended = outcome ? body_->end_page(protocol_) : outcome;
  if (!ended) protocol_.on_failure(ended.error(), lived());
  report_trouble();
}

void WatchStream::receive_events(std::string_view bytes) {
  const Nanoseconds age = lived();
  bool over = false;
  thread_local std::string scratch;  // not each stream's own: at rest there are hundreds
  const auto framed = framer_.feed(bytes, [&](std::string_view line) {
    if (!over) over = body_->line(protocol_, without_updated_fields(line, scratch), age);
  });
  if (!framed && !over) {  // no use to resume: the same line would come again, but a list gets past it
    protocol_.on_failure(framed.error(), age);
    over = true;
  }
  if (!over) return publish();
  report_trouble();
  done();
}

void WatchStream::end_events(const Result<void>& outcome) {
  if (outcome) {
    protocol_.on_end(lived());
  } else {
    protocol_.on_failure(outcome.error(), lived());
  }
  report_trouble();
}

// From here on the protocol is the loop's.
void WatchStream::done() {
  publish();
  const WatchLoop::TaskId id = link_.with([](Link& link) {
    link.phase = Phase::Done;
    return link.id;
  });
  loop_.wake(id);
}

// --- both ---

void WatchStream::report_trouble() {
  if (std::exchange(troubles_reported_, protocol_.troubles()) != protocol_.troubles()) {
    body_->trouble(*protocol_.trouble());
  }
}

void WatchStream::publish() {
  link_.with([&](Link& link) {
    note_trouble(protocol_.trouble(), clock_.steady_now(), link.progress);
    if (protocol_.version().empty()) return;
    link.progress.synced = true;
    link.progress.version.assign(protocol_.version());
  });
}

}  // namespace capstan::kube
