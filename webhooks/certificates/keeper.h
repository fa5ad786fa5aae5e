// Keeps the webhook server's certificate without cert-manager: observe, decide, act, and the certificate that
// the Secret names is handed to the server. Every replica runs one, the leader or not: caches are filled
// before there is a leader, and they may need the conversion webhook. Wiring makes one; start() and stop()
// from its thread, everything else from any.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/guarded.h"
#include "base/log.h"
#include "base/metrics.h"
#include "base/randomness.h"
#include "base/threads.h"
#include "kube/client.h"
#include "kube/watch_loop.h"
#include "net/tls.h"
#include "runtime/controller.h"
#include "webhooks/certificates/changes.h"
#include "webhooks/certificates/observe.h"
#include "webhooks/certificates/plan.h"

namespace capstan::webhooks::certificates {

// All of it lives longer.
struct KeeperDeps {
  const Clock& clock;
  Threads& threads;
  kube::Client& client;
  kube::WatchLoop& loop;
  Randomness& randomness;
  Log log = {};
  Metrics* metrics = nullptr;
};

struct KeeperOptions {
  std::string namespace_ = {};          // of the Secret and the Service
  std::vector<std::string> hosts = {};  // of URLs that lead to us
  Times times = {};
  net::TlsVersion oldest_tls = net::TlsVersion::Tls12;
};

class Keeper final : public runtime::Reconciler {
 public:
  // Called by the keeper's worker with each certificate that is to be served from then on.
  using Serve = std::function<void(std::shared_ptr<net::TlsContext>)>;

  Keeper(const KeeperDeps& deps, KeeperOptions options, Serve serve);
  ~Keeper() override { stop(); }
  Keeper(const Keeper&) = delete;
  Keeper& operator=(const Keeper&) = delete;

  void start();
  void stop();
  // An object with bundles has changed.
  void look();
  // Notified: there is a certificate to serve.
  Woken wait_until_served(const Deadline& deadline);
  // Why there is none yet; nothing from the first one on.
  std::optional<std::string> problem() const;
  const runtime::Controller& controller() const { return controller_; }

  Result<runtime::Outcome> reconcile(const runtime::Context& context, const kube::ObjectKey& key) override;

 private:
  struct State {
    bool served = false;
    std::string problem = "the webhook certificate was not looked for yet";
  };
  Result<runtime::Outcome> take_turn(const runtime::Context& context);
  void serve(const Observation& seen, const Log& log);
  void report(const Observation& seen, const Plan& plan, const Log& log);
  void say(std::string problem);

  const KeeperDeps deps_;
  const KeeperOptions options_;
  const Reached reached_;
  const ServedNames names_;
  const kube::ObjectKey secret_;
  const Serve serve_;
  Memory memory_;                   // of the one worker
  std::uint64_t changes_seen_ = 0;  // likewise
  std::string serving_pem_ = {};    // likewise
  std::atomic<std::uint64_t> changes_ = 0;
  Guarded<State> state_;
  Signal served_{"a webhook certificate"};
  Changes watch_;
  runtime::Controller controller_;  // last: its worker uses all of the above
};

}  // namespace capstan::webhooks::certificates
