// Informer<T>: keeps a Store<T> like the collection in the API server, for ever. What can't be read is
// quarantined, object by object: the previous snapshot stays, an Event says so, the stream goes on. Wiring
// makes one per kind; start() and stop() from its thread, everything else from any. The store lives longer.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/guarded.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/metrics.h"
#include "kube/watcher.h"
#include "runtime/store.h"

namespace capstan::runtime {

// What informers stand on; all of it lives longer.
struct InformerDeps {
  kube::WatchLoop& loop;
  kube::Client& client;
  Log log = {};
  Metrics* metrics = nullptr;
  kube::WatchLimits limits = {};
  std::uint64_t seed = 0;  // of back-off jitter and watch lengths
  // From the watch's threads, without locks; must not block.
  std::function<void()> on_listed = {};               // a list is complete, its handlers have been called
  std::function<void(const Error&)> on_trouble = {};  // will be tried again by itself
};

// An informer without its type: what probes and /debug ask.
class InformerState {
 public:
  virtual ~InformerState() = default;
  virtual const Observed& cache() const = 0;
  virtual kube::WatchProgress progress() const = 0;
  // Objects whose newest state could not be read; the first hundred, by key.
  virtual std::vector<kube::Quarantine> quarantined() const = 0;
  virtual void refresh_metrics() = 0;  // before a scrape
};

// What informers count and report, per kind. Safe from any thread.
class InformerReport {
 public:
  InformerReport(const InformerDeps& deps, const kube::Resource& resource);

  void trouble(const Error& error);
  void quarantined(const kube::Quarantine& quarantine);
  void readable(const ObjectKey& key);  // a good state came, or the object is gone
  void listed(const std::vector<ObjectKey>& unreadable);
  std::vector<kube::Quarantine> quarantine() const;
  void refresh(const Observed& cache, const kube::WatchProgress& progress, SteadyTime now);

 private:
  Log log_;
  Gauge objects_ = {};
  Gauge version_ = {};
  Gauge silent_ = {};
  Gauge in_quarantine_ = {};
  Counter quarantines_ = {};
  Counter troubles_ = {};
  Guarded<std::map<ObjectKey, Error>> quarantine_;
};

template <kube::Watchable T>
class Informer final : public InformerState, private kube::WatchHandler<T> {
 public:
  Informer(const InformerDeps& deps, const kube::WatchTarget& target, Store<T>& store)
      : clock_(deps.loop.clock()),
        store_(store),
        report_(deps, target.resource),
        on_listed_(deps.on_listed),
        on_trouble_(deps.on_trouble),
        watcher_(deps.loop, deps.client, target, *this, deps.seed ^ hash_bytes(target.resource.plural),
                 deps.limits) {}

  void start() { watcher_.start(); }
  void stop() { watcher_.stop(); }

  const Observed& cache() const override { return store_; }
  kube::WatchProgress progress() const override { return watcher_.progress(); }
  std::vector<kube::Quarantine> quarantined() const override { return report_.quarantine(); }
  void refresh_metrics() override { report_.refresh(store_, progress(), clock_.steady_now()); }

 private:
  void on_init_start() override {
    unreadable_.clear();
    listing_ = true;
    store_.begin_list();
  }
  void on_item(T&& object) override {
    drop_unread(object);
    store_.stage(std::move(object));
  }
  void on_init_done(const kube::InitDone& done) override {
    report_.listed(unreadable_);
    unreadable_.clear();
    listing_ = false;
    store_.finish_list(
        {.version = version_of(done.version), .keep_missing = done.nameless > 0, .rewound = done.rewound});
    if (on_listed_) on_listed_();
  }
  void on_apply(T&& object) override {
    report_.readable(key_of(object));
    drop_unread(object);
    store_.apply(std::move(object));
  }
  void on_delete(T&& last) override {
    report_.readable(key_of(last));
    store_.remove(key_of(last), last.metadata.resource_version);
  }
  void on_quarantine(const kube::Quarantine& bad) override {
    if (bad.deleted && !bad.key.name.empty()) {
      report_.readable(bad.key);
      store_.remove(bad.key, {});
      return;
    }
    if (listing_) unreadable_.push_back(bad.key);
    report_.quarantined(bad);
    if (bad.key.name.empty()) return;
    listing_ ? store_.stage_unreadable(unreadable(bad)) : store_.set_aside(unreadable(bad));
  }
  void on_version(std::string_view version) override { store_.advance(version_of(version)); }
  void on_trouble(const Error& error) override {
    report_.trouble(error);
    if (on_trouble_) on_trouble_(error);
  }

  // Some projections can't say by their fields alone what of an object is read.
  static void drop_unread(T& object) {
    if constexpr (requires { keep_what_is_read(object); }) keep_what_is_read(object);
  }
  Unreadable unreadable(const kube::Quarantine& bad) const {
    return {.key = bad.key,
            .problem = std::string(store_.kind()) + " " + bad.key.describe() +
                       " can't be read: " + bad.error.message,
            .metadata_read = bad.metadata_read,
            .owners = bad.owners,
            .labels = bad.labels};
  }
  static api::ResourceVersion version_of(std::string_view text) {
    return api::ResourceVersion::parse(text).value_or(api::ResourceVersion());
  }

  const Clock& clock_;
  Store<T>& store_;
  InformerReport report_;
  std::vector<ObjectKey> unreadable_;  // of the list being read; the watcher's calls come one at a time
  bool listing_ = false;
  const std::function<void()> on_listed_;
  const std::function<void(const Error&)> on_trouble_;
  kube::Watcher<T> watcher_;  // last: no call comes once it is gone
};

}  // namespace capstan::runtime
