#include "runtime/resync.h"

namespace capstan::runtime {
namespace {

constexpr std::size_t kSlices = 60;  // of ten minutes: one every ten seconds is worth waking for

}  // namespace

Resync::Resync(const Clock& clock, Threads& threads, Nanoseconds period)
    : clock_(clock), threads_(threads), period_(period) {}

void Resync::start() {
  thread_ = threads_.spawn("resync", [this](const std::stop_token& stop) { walk(stop); });
}

void Resync::walk(const std::stop_token& stop) {
  for (std::size_t slice = 0; !stop.stop_requested(); slice = (slice + 1) % kSlices) {
    if (threads_.pause(Deadline::in(clock_, period_ / kSlices, stop)) == Woken::Stopped) return;
    for (const Pair& pair : pairs_) {
      for (const ObjectKey& key : pair.cache->slice(slice, kSlices)) pair.queue->add(key, Priority::Low);
    }
  }
}

}  // namespace capstan::runtime
