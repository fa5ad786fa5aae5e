#include "net/handshake_gate.h"

#include <utility>

namespace capstan::net {

void HandshakeGate::wait(Enter enter) {
  const bool now = state_.with([&](State& state) {
    if (state.free == 0) {
      state.waiting.push_back(std::move(enter));
      return false;
    }
    --state.free;
    return true;
  });
  if (now) enter();
}

void HandshakeGate::release() {
  Enter next = state_.with([](State& state) -> Enter {
    if (state.waiting.empty()) {
      ++state.free;
      return nullptr;
    }
    Enter first = std::move(state.waiting.front());
    state.waiting.pop_front();
    return first;
  });
  if (next) next();
}

}  // namespace capstan::net
