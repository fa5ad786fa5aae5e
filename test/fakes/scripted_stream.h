// ScriptedStream: one list or watch of a ScriptedClient as its server sees it; the test sends bytes and its
// end. Safe from any thread of the simulation.
#pragma once

#include <string_view>

#include "base/guarded.h"
#include "base/threads.h"
#include "kube/client.h"

namespace capstan::fakes {

class ScriptedStream {
 public:
  struct Asked {
    bool watch = false;
    kube::Resource resource = {};
    kube::ListOptions list = {};
    kube::WatchOptions watched = {};
  };

  ScriptedStream(Threads& threads, Asked asked, kube::StreamSink& sink);

  const Asked& asked() const { return asked_; }
  // Neither does anything after the reader has hung up.
  void send(std::string_view bytes);
  void end(Result<void> outcome = {});
  bool hung_up() const;
  // The reader hangs up: when this returns, no call to its sink is running any more.
  void close();

 private:
  struct State {
    bool closed = false;
    bool calling = false;
  };
  kube::StreamSink* begin_call();  // null: the reader has hung up
  void end_call();

  Threads& threads_;
  const Asked asked_;
  kube::StreamSink* const sink_;
  Guarded<State> state_;
  Signal changed_{"call into the sink"};
};

}  // namespace capstan::fakes
