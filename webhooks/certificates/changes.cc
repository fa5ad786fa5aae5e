#include "webhooks/certificates/changes.h"

#include <array>
#include <utility>

#include "api/meta/object_meta.h"
#include "api/schema/resource.h"
#include "kube/watcher.h"
#include "webhooks/certificates/client_configs.h"

namespace capstan::webhooks::certificates {

// Of a configuration: that it is there.
struct ConfigurationSight {
  api::ObjectMeta metadata = {};
};

}  // namespace capstan::webhooks::certificates

namespace capstan::api {
template <>
inline constexpr auto members<webhooks::certificates::ConfigurationSight> =
    std::array{member<&webhooks::certificates::ConfigurationSight::metadata>("metadata")};
}  // namespace capstan::api

namespace capstan::webhooks::certificates {

class Changes::Handler final : public kube::WatchHandler<ConfigurationSight> {
 public:
  Handler(Log log, std::function<void()> changed) : log_(std::move(log)), changed_(std::move(changed)) {}

  void on_init_start() override {}
  void on_item(ConfigurationSight&&) override {}
  void on_init_done(const kube::InitDone&) override { changed_(); }
  void on_apply(ConfigurationSight&&) override { changed_(); }
  void on_delete(ConfigurationSight&&) override { changed_(); }
  void on_quarantine(const kube::Quarantine&) override { changed_(); }
  void on_trouble(const Error& error) override {
    log_.info("webhook configurations are not watched, will be tried again", {{"error", error}});
  }

 private:
  const Log log_;
  const std::function<void()> changed_;
};

class Changes::Watch {
 public:
  Watch(kube::WatchLoop& loop, kube::Client& client, const TargetName& name, Handler& handler)
      : watcher_(loop, client,
                 {.resource = name.resource, .field_selector = "metadata.name=" + name.key.name}, handler) {}
  void start() { watcher_.start(); }
  void stop() { watcher_.stop(); }

 private:
  kube::Watcher<ConfigurationSight> watcher_;
};

Changes::Changes(kube::WatchLoop& loop, kube::Client& client, Log log, std::function<void()> changed)
    : handler_(std::make_unique<Handler>(std::move(log), std::move(changed))) {
  for (const TargetName& name : target_names()) {
    if (name.resource.group == "admissionregistration.k8s.io")
      watches_.push_back(std::make_unique<Watch>(loop, client, name, *handler_));
  }
}

Changes::~Changes() = default;

void Changes::start() {
  for (const auto& watch : watches_) watch->start();
}

void Changes::stop() {
  for (const auto& watch : watches_) watch->stop();
}

}  // namespace capstan::webhooks::certificates
