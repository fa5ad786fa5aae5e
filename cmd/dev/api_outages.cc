#include "cmd/dev/api_outages.h"

namespace capstan::dev {
namespace {

constexpr Nanoseconds kAskEvery = std::chrono::milliseconds(200);

}  // namespace

ApiOutages::ApiOutages(const Clock& clock, Threads& threads, const infrastructure::sim::SimCloud& cloud,
                       EmbeddedControlPlanes& planes) {
  const auto is_away = [&cloud](const kube::ObjectKey& cluster) { return cloud.api_is_away(cluster.name); };
  thread_ = threads.spawn("api outages", [&clock, &threads, &planes, is_away](const std::stop_token& stop) {
    while (threads.pause(Deadline::in(clock, kAskEvery, stop)) != Woken::Stopped) planes.keep_away(is_away);
  });
}

ApiOutages::~ApiOutages() { thread_->request_stop(); }

}  // namespace capstan::dev
