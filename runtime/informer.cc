#include "runtime/informer.h"

namespace capstan::runtime {
namespace {

constexpr std::size_t kRemembered = 100;  // quarantined objects named to people; more are only counted

}  // namespace

InformerReport::InformerReport(const InformerDeps& deps, const kube::Resource& resource)
    : log_(deps.log.component("informer").with({{"kind", resource.kind}})) {
  if (deps.metrics == nullptr) return;
  const auto gauge = [&](std::string_view name, std::string_view help) {
    return deps.metrics->gauges(name, help, {"group", "kind"}).with({resource.group, resource.kind});
  };
  const auto counter = [&](std::string_view name, std::string_view help) {
    return deps.metrics->counters(name, help, {"group", "kind"}).with({resource.group, resource.kind});
  };
  objects_ = gauge("capstan_cache_objects", "objects in the cache");
  version_ = gauge("capstan_cache_resource_version", "newest version the cache has seen");
  silent_ = gauge("capstan_cache_silent_seconds", "time since the watch last brought a byte");
  in_quarantine_ = gauge("capstan_cache_quarantined_objects", "objects whose newest state could not be read");
  quarantines_ = counter("capstan_cache_quarantines_total", "states of objects that could not be read");
  troubles_ = counter("capstan_watch_troubles_total", "lists and watches that failed");
}

void InformerReport::trouble(const Error& error) {
  troubles_.add();
  if (error.code == Code::Gone) {
    log_.info("watch is too old, listing anew", {{"error", error}});
  } else if (error.code == Code::RateLimited) {
    log_.info("the server is busy, watch will be tried again", {{"error", error}});
  } else {
    log_.error("watch failed, will be tried again", {{"error", error}});
  }
}

void InformerReport::quarantined(const kube::Quarantine& bad) {
  quarantines_.add();
  log_.error("object can't be read, its previous state is kept", {{"object", bad.key}, {"error", bad.error}});
  quarantine_.with([&](auto& known) {
    if (known.size() < kRemembered) known.insert_or_assign(bad.key, bad.error);
  });
}

void InformerReport::readable(const ObjectKey& key) {
  quarantine_.with([&](auto& known) {
    if (!known.empty()) known.erase(key);
  });
}

void InformerReport::listed(const std::vector<ObjectKey>& unreadable) {
  quarantine_.with([&](auto& known) {
    std::erase_if(known, [&](const auto& entry) {
      return std::ranges::find(unreadable, entry.first) == unreadable.end();
    });
  });
}

std::vector<kube::Quarantine> InformerReport::quarantine() const {
  return quarantine_.with([](const auto& known) {
    std::vector<kube::Quarantine> all;
    for (const auto& [key, error] : known) all.push_back({.key = key, .error = error});
    return all;
  });
}

void InformerReport::refresh(const Observed& cache, const kube::WatchProgress& progress, SteadyTime now) {
  objects_.set(static_cast<double>(cache.size()));
  version_.set(static_cast<double>(cache.version().number()));
  in_quarantine_.set(static_cast<double>(quarantine().size()));
  const bool ever = progress.last_bytes != SteadyTime::min();
  silent_.set(ever ? std::chrono::duration<double>(now - progress.last_bytes).count() : 0);
}

}  // namespace capstan::runtime
