// How many TLS handshakes this process has under way at once. A handshake holds 20 KB and costs milliseconds
// of CPU: a thousand at the same time would all end late and leave their memory behind; in turn, most end
// early. Safe from any thread.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>

#include "base/guarded.h"

namespace capstan::net {

class HandshakeGate {
 public:
  using Enter = std::move_only_function<void()>;

  explicit HandshakeGate(std::size_t places) : state_(State{.free = places}) {}

  // Calls `enter` when there is a place: now, or later from the thread that releases one. First come, first
  // served.
  void wait(Enter enter);
  void release();

 private:
  struct State {
    std::size_t free = 0;
    std::deque<Enter> waiting = {};
  };
  Guarded<State> state_;
};

}  // namespace capstan::net
