// One Lease as its watch shows it: what it became, and when we heard of it. A standby waits on it, so that it
// asks nothing as long as the holder renews (runtime/leader.h). Costs a thread; for the thread that made it.
#pragma once

#include <optional>

#include "api/core/lease.h"
#include "base/guarded.h"
#include "base/threads.h"
#include "kube/watcher.h"

namespace capstan::runtime {

struct HeardLease {
  std::optional<api::Lease> lease = {};  // nothing: there is none
  SteadyTime at = {};
};

class LeaseWatch final : private kube::WatchHandler<api::Lease> {
 public:
  // All of it lives longer. The seed is that of the watch's back-off and length.
  LeaseWatch(Threads& threads, const Clock& clock, kube::Client& client, const kube::ObjectKey& lease,
             std::uint64_t seed);
  ~LeaseWatch() override = default;

  // The newest state, where it is newer than what was taken before.
  std::optional<HeardLease> take();
  // Whether a change would be heard: the Lease was listed, and nothing has gone wrong since.
  bool hears() const;
  // Notified when there is something to take, and when it may not hear any more.
  Signal& news() { return news_; }

 private:
  void on_init_start() override { listed_.reset(); }
  void on_item(api::Lease&& lease) override { listed_ = std::move(lease); }
  void on_init_done(const kube::InitDone&) override { hear(std::move(listed_)); }
  void on_apply(api::Lease&& lease) override { hear(std::move(lease)); }
  void on_delete(api::Lease&&) override { hear({}); }
  void on_quarantine(const kube::Quarantine&) override {}  // the next look finds out
  void on_trouble(const Error&) override { news_.notify(); }
  void hear(std::optional<api::Lease> lease);

  const Clock& clock_;
  std::optional<api::Lease> listed_ = {};  // of the watch
  Guarded<std::optional<HeardLease>> heard_;
  Signal news_{"the Lease"};
  kube::WatchLoop loop_;
  kube::Watcher<api::Lease> watcher_;  // last: its end is the end of all calls to us
};

}  // namespace capstan::runtime
