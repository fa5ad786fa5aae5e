#include "runtime/manager.h"

#include <algorithm>

namespace capstan::runtime {

Result<void> Manager::start() {
  std::ranges::stable_sort(parts_, {}, &Part::group);
  for (const Part& part : parts_) {
    const SteadyTime begun = clock_.steady_now();
    if (auto started = part.start(); !started) {
      auto why = started.error().context("start " + part.name);
      stop();
      return fail(std::move(why));
    }
    running_.push_back(&part);
    log_.debug("started", {{"part", part.name}, {"took", clock_.steady_now() - begun}});
  }
  return {};
}

void Manager::stop() {
  while (!running_.empty()) {
    const Part& part = *running_.back();
    running_.pop_back();
    if (part.stop) part.stop();
    log_.debug("stopped", {{"part", part.name}});
  }
}

}  // namespace capstan::runtime
