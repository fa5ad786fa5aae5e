// A Client for tests of the watch machinery under a Baton: the test plays the server, waits for a stream to
// be opened, sends bytes and its end. Verbs are not supported. Only simulated threads may call it.
#pragma once

#include <deque>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/guarded.h"
#include "base/threads.h"
#include "kube/stub_client.h"

namespace capstan::kube {

class ScriptedClient final : public StubClient {
 public:
  struct Asked {
    bool watch = false;
    Resource resource = {};
    ListOptions list = {};
    WatchOptions watched = {};
  };

  // One stream as the server sees it. Sending after the reader hung up does nothing.
  class Exchange {
   public:
    Exchange(Threads& threads, Asked asked, StreamSink& sink)
        : threads_(threads), asked_(std::move(asked)), sink_(&sink) {}
    const Asked& asked() const { return asked_; }
    void send(std::string_view bytes) {
      if (StreamSink* sink = begin_call()) sink->on_bytes(bytes);
      end_call();
    }
    void end(Result<void> outcome = {}) {
      if (StreamSink* sink = begin_call()) sink->on_end(std::move(outcome));
      end_call();
    }
    bool hung_up() const {
      return state_.with([](const State& state) { return state.closed; });
    }
    void close() {
      state_.with([](State& state) { state.closed = true; });
      threads_.wait_until(changed_, Deadline::never(),
                          [&] { return state_.with([](const State& state) { return !state.calling; }); });
    }

   private:
    struct State {
      bool closed = false;
      bool calling = false;
    };
    StreamSink* begin_call() {
      return state_.with([&](State& state) -> StreamSink* {
        if (state.closed) return nullptr;
        state.calling = true;
        return sink_;
      });
    }
    void end_call() {
      state_.with([](State& state) { state.calling = false; });
      changed_.notify();
    }

    Threads& threads_;
    Asked asked_;
    StreamSink* sink_;
    Guarded<State> state_;
    Signal changed_{"call into the sink"};
  };

  ScriptedClient(Threads& threads, const Clock& clock) : threads_(threads), clock_(clock) {}

  // The next stream that is opened (or was, and next() has not returned it yet).
  std::shared_ptr<Exchange> next() {
    std::shared_ptr<Exchange> taken;
    threads_.wait_until(opened_, Deadline::in(clock_, std::chrono::hours(1)), [&] {
      taken = waiting_.with([](auto& waiting) -> std::shared_ptr<Exchange> {
        if (waiting.empty()) return {};
        auto first = std::move(waiting.front());
        waiting.pop_front();
        return first;
      });
      return taken != nullptr;
    });
    if (taken == nullptr) throw std::runtime_error("no stream was opened within an hour");
    return taken;
  }
  // Streams opened and not yet taken.
  std::size_t untaken() const {
    return waiting_.with([](const auto& waiting) { return waiting.size(); });
  }

  std::unique_ptr<Stream> list_stream(const Resource& resource, const ListOptions& options,
                                      StreamSink& sink) override {
    return open({.resource = resource, .list = options}, sink);
  }
  std::unique_ptr<Stream> watch(const Resource& resource, const WatchOptions& options,
                                StreamSink& sink) override {
    return open({.watch = true, .resource = resource, .watched = options}, sink);
  }

 private:
  class Handle final : public Stream {
   public:
    explicit Handle(std::shared_ptr<Exchange> exchange) : exchange_(std::move(exchange)) {}
    ~Handle() override { exchange_->close(); }

   private:
    std::shared_ptr<Exchange> exchange_;
  };

  std::unique_ptr<Stream> open(Asked asked, StreamSink& sink) {
    threads_.switch_point("client");
    auto exchange = std::make_shared<Exchange>(threads_, std::move(asked), sink);
    waiting_.with([&](auto& waiting) { waiting.push_back(exchange); });
    opened_.notify();
    return std::make_unique<Handle>(exchange);
  }

  Threads& threads_;
  const Clock& clock_;
  Guarded<std::deque<std::shared_ptr<Exchange>>> waiting_;
  Signal opened_{"a stream to be opened"};
};

}  // namespace capstan::kube
