// The engine of a Watcher<T>, without T: drives one WatchProtocol over a Client's streams on a WatchLoop.
// While a response is being received its sink owns protocol and decoder, otherwise the loop does; `Link` says
// which. Private to kube/watcher.h.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/guarded.h"
#include "kube/client.h"
#include "kube/watch_loop.h"
#include "kube/watch_protocol.h"
#include "net/line_framer.h"

namespace capstan::kube {

// Which objects to watch.
struct WatchTarget {
  Resource resource = {};
  std::string namespace_ = {};  // empty: all namespaces
  std::string label_selector = {};
  std::string field_selector = {};
};

// How a watch is doing; what probes, /readyz and /debug ask.
struct WatchProgress {
  bool synced = false;                           // a list has been completed once
  std::string version = {};                      // everything up to it has been handed over
  std::optional<Error> trouble = {};             // until the server has answered with an object or a bookmark
  SteadyTime trouble_since = SteadyTime::min();  // of the trouble there is, or was last
  SteadyTime recovered = SteadyTime::min();      // when the last one was over
  SteadyTime last_bytes = SteadyTime::min();     // or when the present request was sent, if that is later
  SteadyTime last_received = SteadyTime::min();  // bytes only: proof that the server lives
  std::uint64_t lists = 0;                       // begun
  std::uint64_t watches = 0;                     // opened
  std::uint64_t bytes = 0;
};

// Turns bytes into protocol inputs and verdicts into calls of a handler.
class WatchBody {
 public:
  virtual ~WatchBody() = default;
  virtual void begin_page(WatchProtocol& protocol) = 0;
  virtual Result<void> page_bytes(std::string_view bytes) = 0;
  // An error when the page was no page.
  virtual Result<void> end_page(WatchProtocol& protocol) = 0;
  // True when the stream is over for us.
  virtual bool line(WatchProtocol& protocol, std::string_view line, Nanoseconds lived) = 0;
  virtual void trouble(const Error& error) = 0;
};

class WatchStream final : public LoopTask, public StreamSink {
 public:
  WatchStream(WatchLoop& loop, Client& client, WatchTarget target, WatchLimits limits, std::uint64_t seed,
              std::unique_ptr<WatchBody> body);
  ~WatchStream() override;

  void stop();  // after the loop has let go of it
  WatchProgress progress() const;

  void joined(Id id) override;
  SteadyTime look() override;
  void on_bytes(std::string_view bytes) override;
  void on_end(Result<void> outcome) override;

 private:
  enum class Phase { Idle, Receiving, Done };
  enum class Receiving { Page, Events };
  struct Link {
    Phase phase = Phase::Idle;
    SteadyTime last_bytes = {};
    WatchLoop::TaskId id = 0;
    WatchProgress progress = {};
  };

  // on the loop's thread
  std::optional<SteadyTime> still_receiving(SteadyTime now);
  std::optional<SteadyTime> act(const WaitFor& wait, SteadyTime now);
  std::optional<SteadyTime> act(const RequestPage& request, SteadyTime now);
  std::optional<SteadyTime> act(const RequestWatch& request, SteadyTime now);
  SteadyTime begin(Receiving what, std::chrono::seconds silent_after, SteadyTime now);

  // on the sink's thread
  void receive_page(std::string_view bytes);
  void receive_events(std::string_view bytes);
  void end_page(const Result<void>& outcome);
  void end_events(const Result<void>& outcome);
  void done();

  Nanoseconds lived() const { return clock_.steady_now() - opened_; }
  void report_trouble();
  void publish();

  WatchLoop& loop_;
  const Clock& clock_;
  Client& client_;
  const WatchTarget target_;
  WatchProtocol protocol_;
  std::unique_ptr<WatchBody> body_;
  net::LineFramer framer_;
  Receiving receiving_ = Receiving::Page;
  SteadyTime opened_ = {};
  Nanoseconds silent_after_ = {};
  std::uint64_t troubles_reported_ = 0;
  std::optional<SteadyTime> waiting_until_ = {};
  Guarded<Link> link_;
  std::unique_ptr<Stream> stream_;  // the loop's, last: its end is the end of all calls to us
};

}  // namespace capstan::kube
