#include "cmd/manager/wiring.h"

#include <unistd.h>

#include <boost/json.hpp>

#include "api/v1beta2/cluster.h"
#include "api/v1beta2/machine.h"
#include "api/v1beta2/machine_deployment.h"
#include "api/v1beta2/machine_drain_rule.h"
#include "api/v1beta2/machine_health_check.h"
#include "api/v1beta2/machine_pool.h"
#include "api/v1beta2/machine_set.h"
#include "base/try.h"
#include "cmd/manager/diagnostics.h"
#include "cmd/manager/process.h"
#include "controllers/cluster/reconciler.h"
#include "kube/remote_client.h"
#include "kube/typed.h"
#include "net/io_pool.h"
#include "runtime/controller.h"
#include "runtime/endpoints.h"
#include "runtime/gatekeeper.h"
#include "runtime/informer.h"
#include "runtime/leader.h"
#include "runtime/manager.h"
#include "runtime/resync.h"
#include "runtime/triggers.h"

namespace capstan::manager {
namespace {

constexpr auto kFirstContact = std::chrono::seconds(15);
constexpr auto kSyncLimit = std::chrono::minutes(5);
constexpr auto kSyncCheck = std::chrono::milliseconds(5);

// A cache and what fills it.
template <typename T>
struct Cached {
  runtime::Store<T> store;
  runtime::Informer<T> informer;

  Cached(const runtime::InformerDeps& deps, const std::string& ns)
      : store(std::string(api::resource<T>.kind)),
        informer(deps, {.resource = kube::resource_of<T>(), .namespace_ = ns}, store) {}
};

std::string identity(const Surroundings& around, Randomness& randomness) {
  return around.host_name + "_" + std::to_string(randomness.next());
}

}  // namespace

class Wiring::Parts {
 public:
  Parts(const Seams& given_seams, const Options& given_options, const Surroundings& found_around,
        Log given_log)
      : seams(given_seams), options(given_options), around(found_around), log(std::move(given_log)) {}

  Result<void> make(kube::Connection connection);
  Result<void> start(std::stop_token stop);

  Result<void> reach_api_server();
  Result<void> serve_probes();
  Result<void> serve_diagnostics();
  Result<void> fill_caches();
  Result<void> lead();
  void make_endpoints();
  void make_order();

  const Seams seams;
  const Options options;
  const Surroundings around;
  const Log log;
  std::stop_token stop_token = {};

  net::IoPool io;
  Metrics metrics;
  std::unique_ptr<kube::RemoteClient> client;
  std::unique_ptr<kube::WatchLoop> loop;
  std::unique_ptr<Cached<api::Cluster>> clusters;
  std::unique_ptr<Cached<api::Machine>> machines;
  std::unique_ptr<Cached<api::MachineSet>> machine_sets;
  std::unique_ptr<Cached<api::MachineDeployment>> machine_deployments;
  std::unique_ptr<Cached<api::MachinePool>> machine_pools;
  std::unique_ptr<Cached<api::MachineHealthCheck>> machine_health_checks;
  std::unique_ptr<Cached<api::MachineDrainRule>> machine_drain_rules;
  std::vector<runtime::InformerState*> informers;  // of all caches
  std::vector<std::function<void()>> start_informer;
  std::vector<std::function<void()>> stop_informer;
  std::unique_ptr<controllers::cluster::Reconciler> cluster_reconciler;
  std::unique_ptr<runtime::Controller> cluster_controller;
  std::unique_ptr<runtime::Resync> resync;
  std::unique_ptr<runtime::Leader> leader;
  std::unique_ptr<runtime::Endpoints> endpoints;
  std::unique_ptr<runtime::Manager> manager;

 private:
  template <typename T>
  void make_cache(std::unique_ptr<Cached<T>>& cached) {
    cached = std::make_unique<Cached<T>>(runtime::InformerDeps{.loop = *loop,
                                                               .client = *client,
                                                               .log = log.component("informer"),
                                                               .metrics = &metrics,
                                                               .seed = seams.randomness.next()},
                                         options.scope.namespace_);
    informers.push_back(&cached->informer);
    start_informer.emplace_back([&informer = cached->informer] { informer.start(); });
    stop_informer.emplace_back([&informer = cached->informer] { informer.stop(); });
  }
};

Result<void> Wiring::Parts::make(kube::Connection connection) {
  client = TRY(kube::RemoteClient::make(
      {io, seams.threads, seams.clock}, std::move(connection),
      {.rate_limit = {.qps = options.clients.kube_api_qps, .burst = options.clients.kube_api_burst},
       .proxies = around.proxies}));
  loop = std::make_unique<kube::WatchLoop>(seams.threads, seams.clock);
  make_cache(clusters);
  make_cache(machines);
  make_cache(machine_sets);
  make_cache(machine_deployments);
  make_cache(machine_pools);
  make_cache(machine_health_checks);
  make_cache(machine_drain_rules);

  const runtime::ControllerDeps deps{
      seams.clock, seams.threads, *client, seams.randomness, log.component("controller"), &metrics};
  cluster_reconciler = std::make_unique<controllers::cluster::Reconciler>(
      controllers::cluster::Deps{seams.clock, *client, clusters->store});
  cluster_controller = std::make_unique<runtime::Controller>(
      deps,
      runtime::ControllerOptions{.name = "cluster",
                                 .kind = "Cluster",
                                 .concurrency = static_cast<std::size_t>(options.concurrency.cluster)},
      *cluster_reconciler);
  cluster_reconciler->record_writes_in(cluster_controller->consistency());
  runtime::trigger_self(clusters->store, cluster_controller->queue());
  resync = std::make_unique<runtime::Resync>(seams.clock, seams.threads, options.behaviour.sync_period);
  resync->add(clusters->store, cluster_controller->queue());

  const auto& election = options.election;
  leader = std::make_unique<runtime::Leader>(
      runtime::LeaderDeps{seams.clock, seams.threads, *client, log.component("leader")},
      runtime::LeaderOptions{
          .lease = {.namespace_ =
                        election.lease_namespace.empty() ? around.pod_namespace : election.lease_namespace,
                    .name = election.lease_name},
          .identity = identity(around, seams.randomness),
          .times = {election.lease_duration, election.renew_deadline, election.retry_period}},
      [] { _exit(kLeaseLost); });  // at once: somebody else acts from now on
  make_endpoints();
  make_order();
  return {};
}

void Wiring::Parts::make_endpoints() {
  endpoints = std::make_unique<runtime::Endpoints>(io, metrics, log.component("endpoints"));
  for (const auto* informer : informers) {
    endpoints->add_check({.name = std::string(informer->cache().kind()),
                          .problem = [informer]() -> std::optional<std::string> {
                            if (informer->cache().synced()) return {};
                            const auto progress = informer->progress();
                            return progress.trouble ? "not synced: " + progress.trouble->describe()
                                                    : std::string("not synced yet");
                          }});
  }
  for (auto* informer : informers) endpoints->before_scrape([informer] { informer->refresh_metrics(); });
  endpoints->before_scrape([this] { cluster_controller->refresh_metrics(); });
  endpoints->add_page(
      {.name = "controllers", .content = [this] { return controllers_page({cluster_controller.get()}); }});
  endpoints->add_page({.name = "caches", .content = [this] { return caches_page(informers); }});
}

// What starts when: runtime/manager.h sorts by group.
void Wiring::Parts::make_order() {
  using runtime::Group;
  manager = std::make_unique<runtime::Manager>(seams.clock, log.component("manager"));
  manager->add({.group = Group::Endpoints,
                .name = "probes",
                .start = [this] { return serve_probes(); },
                .stop = [this] { endpoints->stop(); }});
  manager->add(
      {.group = Group::Endpoints, .name = "diagnostics", .start = [this] { return serve_diagnostics(); }});
  manager->add({.group = Group::Io, .name = "connection to the API server", .start = [this] {
                  return reach_api_server();
                }});
  manager->add({.group = Group::Informers,
                .name = "caches",
                .start = [this] { return fill_caches(); },
                .stop =
                    [this] {
                      for (const auto& stop_one : stop_informer) stop_one();
                    }});
  if (options.election.leader_elect)
    manager->add({.group = Group::Leadership,
                  .name = "leader election",
                  .start = [this] { return lead(); },
                  .stop = [this] { leader->stop(); }});
  manager->add({.group = Group::Controllers,
                .name = "controllers",
                .start = [this]() -> Result<void> {
                  cluster_controller->start();
                  resync->start();
                  log.info("controllers run");
                  return {};
                },
                .stop =
                    [this] {
                      resync->stop();
                      cluster_controller->stop();
                    }});
}

Result<void> Wiring::Parts::serve_probes() {
  const auto where = TRY(parse_listen_address("health-addr", options.servers.health_addr));
  if (where.off) return {};
  return endpoints->serve_probes({.host = where.host, .port = where.port});
}

Result<void> Wiring::Parts::serve_diagnostics() {
  const auto where = TRY(parse_listen_address("diagnostics-address", options.servers.diagnostics_address));
  if (where.off) return {};
  const runtime::ListenOn listen{.host = where.host, .port = where.port};
  if (options.servers.insecure_diagnostics) return endpoints->serve_diagnostics(listen, nullptr, {});
  auto tls = TRY(self_signed_tls(seams.clock, around.host_name));
  return endpoints->serve_diagnostics(listen, std::move(tls), runtime::ask_api_server(*client, seams.clock));
}

Result<void> Wiring::Parts::reach_api_server() {
  const auto version =
      TRY(client->get_path("/version", Deadline::in(seams.clock, kFirstContact, stop_token)));
  const auto* name = version.is_object() ? version.as_object().if_contains("gitVersion") : nullptr;
  log.info("API server reached",
           {{"version", name != nullptr && name->is_string() ? std::string(name->as_string()) : "unknown"}});
  return {};
}

Result<void> Wiring::Parts::fill_caches() {
  for (const auto& start_one : start_informer) start_one();
  const SteadyTime until = seams.clock.steady_now() + kSyncLimit;
  for (const auto* informer : informers) {
    while (!informer->cache().synced()) {
      if (stop_token.stop_requested()) return fail(Code::Cancelled, "told to stop");
      if (seams.clock.steady_now() > until)
        return fail(Code::Timeout, std::string(informer->cache().kind()) +
                                       " could not be listed within 5m; are the CRDs installed?");
      seams.threads.pause(Deadline::in(seams.clock, kSyncCheck, stop_token));
    }
  }
  return {};
}

Result<void> Wiring::Parts::lead() {
  leader->start();
  const Woken woken = leader->wait_until_leading(Deadline::never(stop_token));
  if (woken == Woken::Notified) return {};
  leader->stop();
  return fail(Code::Cancelled, "told to stop");
}

Result<void> Wiring::Parts::start(std::stop_token stop) {
  stop_token = std::move(stop);
  return manager->start();
}

Result<std::unique_ptr<Wiring>> Wiring::make(const Seams& seams, const Options& options,
                                             const Surroundings& around, kube::Connection connection,
                                             Log log) {
  auto parts = std::make_unique<Parts>(seams, options, around, std::move(log));
  TRY(parts->make(std::move(connection)));
  return std::unique_ptr<Wiring>(new Wiring(std::move(parts)));
}

Wiring::Wiring(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Wiring::~Wiring() = default;

Result<void> Wiring::start(std::stop_token stop) { return parts_->start(std::move(stop)); }
void Wiring::stop() { parts_->manager->stop(); }

}  // namespace capstan::manager
