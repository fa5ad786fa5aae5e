#include "test/fakes/scripted_stream.h"

namespace capstan::fakes {

ScriptedStream::ScriptedStream(Threads& threads, Asked asked, kube::StreamSink& sink)
    : threads_(threads), asked_(std::move(asked)), sink_(&sink) {}

void ScriptedStream::send(std::string_view bytes) {
  if (auto* sink = begin_call()) sink->on_bytes(bytes);
  end_call();
}

void ScriptedStream::end(Result<void> outcome) {
  if (auto* sink = begin_call()) sink->on_end(std::move(outcome));
  end_call();
}

bool ScriptedStream::hung_up() const {
  return state_.with([](const State& state) { return state.closed; });
}

void ScriptedStream::close() {
  state_.with([](State& state) { state.closed = true; });
  threads_.wait_until(changed_, Deadline::never(),
                      [&] { return state_.with([](const State& state) { return !state.calling; }); });
}

kube::StreamSink* ScriptedStream::begin_call() {
  return state_.with([&](State& state) -> kube::StreamSink* {
    if (state.closed) return nullptr;
    state.calling = true;
    return sink_;
  });
}

void ScriptedStream::end_call() {
  state_.with([](State& state) { state.calling = false; });
  changed_.notify();
}

}  // namespace capstan::fakes
