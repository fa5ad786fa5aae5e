#include "cmd/manager/wiring.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <boost/json.hpp>
#include <utility>

#include "api/names.h"
#include "api/policy/fleet_names.h"
#include "api/policy/machine_lifecycle_policy.h"
#include "api/policy/names.h"
#include "base/try.h"
#include "cmd/manager/cached_lookups.h"
#include "cmd/manager/process.h"
#include "cmd/program/diagnostics.h"
#include "cmd/program/missing_rights.h"
#include "cmd/program/program_version.h"
#include "cmd/program/serving.h"
#include "controllers/controllers.h"
#include "controllers/shared/deps.h"
#include "kube/remote_client.h"
#include "kube/resources.h"
#include "kubeconfig/dial.h"
#include "kubeconfig/wanted.h"
#include "kubeconfig/workload_registry.h"
#include "net/io_pool.h"
#include "runtime/brake.h"
#include "runtime/endpoints.h"
#include "runtime/leader.h"
#include "runtime/lease_neighbour.h"
#include "runtime/manager.h"
#include "runtime/sync_state.h"
#include "webhooks/admission.h"
#include "webhooks/certificates/keeper.h"
#include "webhooks/certificates/names.h"
#include "webhooks/contract_versions.h"
#include "webhooks/conversion.h"
#include "webhooks/server.h"

namespace capstan::manager {
namespace {

constexpr auto kFirstContact = std::chrono::seconds(15);
constexpr auto kSyncLimit = std::chrono::minutes(5);
constexpr auto kSyncCheck = std::chrono::milliseconds(5);

bool gate(const Options& options, std::string_view name) {
  const auto& gates = options.behaviour.feature_gates;
  const auto found = gates.find(name);
  return found != gates.end() && found->second;
}

api::Gates gates(const Options& options) {
  return {.machine_pool = gate(options, "MachinePool"),
          .machine_set_preflight_checks = gate(options, "MachineSetPreflightChecks"),
          .machine_taint_propagation = gate(options, "MachineTaintPropagation"),
          .cluster_topology = gate(options, "ClusterTopology")};
}

// A list flag that was split at its commas already.
Result<controllers::machine::KeyPatterns> patterns(std::string_view flag, const StringList& list) {
  auto read = controllers::machine::KeyPatterns::parse(fmt::format("{}", fmt::join(list, ",")));
  if (!read) return fail(read.error().context("--" + std::string(flag)));
  return read;
}

Result<controllers::Settings> settings(const Options& options) {
  const auto many = [](int count) { return static_cast<std::size_t>(count); };
  const auto& concurrency = options.concurrency;
  const auto& behaviour = options.behaviour;
  controllers::Settings wanted{.namespace_ = options.scope.namespace_,
                               .watch_filter = options.scope.watch_filter,
                               .sync_period = behaviour.sync_period,
                               .api_loss_grace = behaviour.api_loss_grace,
                               .concurrency = {.cluster = many(concurrency.cluster),
                                               .machine = many(concurrency.machine),
                                               .machine_set = many(concurrency.machineset),
                                               .machine_deployment = many(concurrency.machinedeployment),
                                               .machine_pool = many(concurrency.machinepool),
                                               .machine_health_check = many(concurrency.machinehealthcheck)}};
  wanted.machine.node_sync.labels =
      TRY(patterns("additional-sync-machine-labels", behaviour.additional_sync_machine_labels));
  wanted.machine.node_sync.annotations =
      TRY(patterns("additional-sync-machine-annotations", behaviour.additional_sync_machine_annotations));
  wanted.machine.node_sync.taints = gate(options, "MachineTaintPropagation");
  wanted.machine.conditions_grace =
      std::chrono::duration_cast<Seconds>(behaviour.remote_conditions_grace_period);
  wanted.owns_fleet_policy = owns_fleet_policy(options.scope);
  wanted.unmanaged_node_after = std::chrono::duration_cast<Seconds>(behaviour.unmanaged_node_after);
  wanted.mcm_aliases = behaviour.mcm_aliases;
  wanted.machine_pools = gate(options, "MachinePool");
  wanted.left_out = TRY(left_out_controllers(behaviour.controllers));
  const auto phases = TRY(migration_phases(behaviour.skip_crd_migration_phases));
  if (phases.any()) wanted.crd_migration = controllers::crdmigration::Settings{.phases = phases};
  wanted.cluster.connection_grace =
      std::chrono::duration_cast<Seconds>(behaviour.remote_connection_grace_period);
  wanted.machine_set.preflight_checks = behaviour.machineset_preflight_checks;
  if (!gate(options, "MachineSetPreflightChecks")) wanted.machine_set.preflight_checks.clear();
  wanted.machine_set.cluster_topology = gate(options, "ClusterTopology");
  return wanted;
}

program::ServedAt served_at(const ServerOptions& servers) {
  return {.health = servers.health_addr,
          .diagnostics = servers.diagnostics_address,
          .insecure = servers.insecure_diagnostics,
          .tls_min_version = servers.tls_min_version};
}

runtime::ElectionTimes times(const ElectionOptions& election) {
  return {election.lease_duration, election.renew_deadline, election.retry_period};
}

// By which API servers call the webhooks of our package.
std::string service_name(const Surroundings& around) {
  return fmt::format("{}.{}.svc", webhooks::certificates::kService, around.pod_namespace);
}

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
  static std::string definition_of(std::string_view kind);
  std::string missing_definitions() const;
  Result<void> lead();
  Result<void> check_neighbour();
  Result<void> make_workload_clusters();
  void follow_clusters();
  void make_leader();
  runtime::LeaderDeps election_deps();
  runtime::ElectionScope scope() const;
  kube::ObjectKey lease() const;
  void make_webhooks();
  void make_certificates();
  Result<void> serve_webhooks();
  std::optional<std::string> webhook_problem() const;
  void add_checks();
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
  runtime::OpenBrake brake;
  std::unique_ptr<kubeconfig::WorkloadRegistry> workload_clusters;
  std::unique_ptr<controllers::Controllers> core;
  std::unique_ptr<CachedLookups> lookups;
  std::unique_ptr<webhooks::Server> webhooks;                    // null: switched off
  std::unique_ptr<webhooks::certificates::Keeper> certificates;  // null: files, or no webhooks
  std::unique_ptr<runtime::Leader> leader;
  std::unique_ptr<runtime::Endpoints> endpoints;
  std::unique_ptr<runtime::Manager> manager;
};

Result<void> Wiring::Parts::make(kube::Connection connection) {
  auto count = program::count_requests(metrics, connection.server);
  auto see = [count = std::move(count),
              rights = program::MissingRights(log.component("client"))](const kube::RequestRecord& request) {
    count(request);
    rights(request);
  };
  client = TRY(kube::RemoteClient::make(
      {io, seams.threads, seams.clock}, std::move(connection),
      {.rate_limit = {.qps = options.clients.kube_api_qps, .burst = options.clients.kube_api_burst},
       .proxies = around.proxies,
       .on_request = std::move(see)}));
  loop = std::make_unique<kube::WatchLoop>(seams.threads, seams.clock);
  TRY(make_workload_clusters());
  const auto wanted = TRY(settings(options));
  core =
      std::make_unique<controllers::Controllers>(controllers::Seams{.clock = seams.clock,
                                                                    .threads = seams.threads,
                                                                    .client = *client,
                                                                    .randomness = seams.randomness,
                                                                    .loop = *loop,
                                                                    .workload_clusters = *workload_clusters,
                                                                    .brake = brake,
                                                                    .log = log,
                                                                    .metrics = &metrics,
                                                                    .after_load = program::give_back_memory},
                                                 wanted);
  follow_clusters();
  make_leader();
  make_webhooks();
  make_endpoints();
  make_order();
  return {};
}

void Wiring::Parts::follow_clusters() {
  controllers::Caches& caches = core->caches();
  const std::string& filter = options.scope.watch_filter;
  if (filter.empty()) return kubeconfig::follow(caches.clusters, *workload_clusters);
  kubeconfig::follow(
      caches.clusters,
      {.watch_filter = filter, .machines = caches.machines, .machine_pools = caches.machine_pools},
      *workload_clusters);
}

void Wiring::Parts::make_leader() {
  leader = std::make_unique<runtime::Leader>(
      election_deps(),
      runtime::LeaderOptions{.lease = lease(),
                             .identity = identity(around, seams.randomness),
                             .times = times(options.election),
                             .scope = scope(),
                             .version = std::string(program::program_version())},
      [] { _exit(kLeaseLost); });  // at once: another process acts from now on
}

runtime::LeaderDeps Wiring::Parts::election_deps() {
  return {seams.clock, seams.threads, *client, log.component("leader")};
}

runtime::ElectionScope Wiring::Parts::scope() const {
  return {.namespace_ = options.scope.namespace_, .watch_filter = options.scope.watch_filter};
}

kube::ObjectKey Wiring::Parts::lease() const {
  const auto& election = options.election;
  return {.namespace_ = election.lease_namespace.empty() ? around.pod_namespace : election.lease_namespace,
          .name = election.lease_name.empty()
                      ? runtime::lease_name(api::kLeaderElectionLease, options.scope.watch_filter)
                      : election.lease_name};
}

void Wiring::Parts::make_webhooks() {
  const auto& servers = options.servers;
  if (servers.webhook_port == 0) return;
  webhooks = std::make_unique<webhooks::Server>(
      webhooks::ServerDeps{io, seams.clock, seams.threads, log.component("webhooks"), &metrics},
      webhooks::ServerOptions{
          .port = static_cast<std::uint16_t>(servers.webhook_port),
          .certificate_folder = servers.webhook_self_managed_certs ? "" : servers.webhook_cert_dir,
          .certificate_name = servers.webhook_cert_name,
          .key_name = servers.webhook_key_name,
          .oldest_tls = program::oldest_tls(servers.tls_min_version),
          .called_as = service_name(around)});
  lookups = std::make_unique<CachedLookups>(core->caches(), *client, seams.clock);
  webhooks::add_admission(*webhooks, {.gates = gates(options), .lookups = lookups.get()});
  webhooks::add_conversion(*webhooks, webhooks::by_contract([this](std::string_view name) {
    return lookups->labels_of_definition(name);
  }));
  if (servers.webhook_self_managed_certs) make_certificates();
}

void Wiring::Parts::make_certificates() {
  namespace certs = webhooks::certificates;
  const auto& servers = options.servers;
  certificates = std::make_unique<certs::Keeper>(
      certs::KeeperDeps{seams.clock, seams.threads, *client, *loop, seams.randomness,
                        log.component("webhooks"), &metrics},
      certs::KeeperOptions{.namespace_ = around.pod_namespace,
                           .hosts = servers.webhook_self_managed_hosts,
                           .times = {.settle = servers.webhook_self_managed_settle},
                           .oldest_tls = program::oldest_tls(servers.tls_min_version)},
      [this](std::shared_ptr<net::TlsContext> tls) { webhooks->use_certificate(std::move(tls)); });
  core->caches().crds.subscribe([this](const auto& change) {
    const auto name = change.object().metadata.name.view();
    if (std::ranges::find(certs::kDefinitions, name) != certs::kDefinitions.end()) certificates->look();
  });
}

Result<void> Wiring::Parts::make_workload_clusters() {
  const auto& limits = options.clients;
  auto addresses = TRY(workload_addresses(limits));
  workload_clusters = std::make_unique<kubeconfig::WorkloadRegistry>(
      kubeconfig::RegistrySeams{.clock = seams.clock,
                                .threads = seams.threads,
                                .management = *client,
                                .randomness = seams.randomness,
                                .loop = *loop,
                                .log = log.component("clustercache"),
                                .metrics = &metrics},
      kubeconfig::remote_dial({io, seams.threads, seams.clock}, around.proxies, std::move(addresses),
                              kubeconfig::count_requests(metrics)),
      kubeconfig::RegistryOptions{.concurrency = static_cast<std::size_t>(options.concurrency.clustercache),
                                  .limits = {.rate = {.qps = limits.clustercache_client_qps,
                                                      .burst = limits.clustercache_client_burst}},
                                  .probe = {.together = std::chrono::seconds(1)},
                                  .own_pod = around.own_pod});
  return {};
}

void Wiring::Parts::make_endpoints() {
  endpoints = std::make_unique<runtime::Endpoints>(io, metrics, log.component("endpoints"));
  add_checks();
  if (options.election.leader_elect)
    endpoints->before_scrape(
        [this, held = program::leadership(metrics, lease().name)] { held.set(leader->leading() ? 1 : 0); });
  endpoints->before_scrape([this] {
    core->refresh_metrics();
    workload_clusters->refresh_metrics();
  });
  endpoints->add_setting(program::verbosity_setting(log));
  endpoints->add_page({.name = "controllers", .content = [this] {
                         auto all = core->controllers();
                         all.push_back(&workload_clusters->controller());
                         return program::controllers_page(all);
                       }});
  endpoints->add_page(
      {.name = "caches", .content = [this] { return program::caches_page(core->informers()); }});
}

// A Service leads to ready Pods only, and a list of objects that are stored in another version needs the
// conversion webhook behind it: with webhooks a manager is ready before its caches are, or never.
void Wiring::Parts::add_checks() {
  if (webhooks)
    return endpoints->add_check({.name = "webhook", .problem = [this] { return webhook_problem(); }});
  for (const auto* informer : core->informers()) {
    endpoints->add_check({.name = std::string(informer->cache().kind()),
                          .problem = [this, informer]() -> std::optional<std::string> {
                            if (!core->is_wanted(*informer)) return {};
                            return runtime::why_not_synced(*informer);
                          }});
  }
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
                .stop = [this] { core->stop_informers(); }});
  if (webhooks)
    manager->add({.group = Group::Webhooks,
                  .name = "webhooks",
                  .start = [this] { return serve_webhooks(); },
                  .stop =
                      [this] {
                        if (certificates) certificates->stop();
                        webhooks->stop();
                      }});
  if (options.election.leader_elect)
    manager->add(
        {.group = Group::Io, .name = "beside other managers", .start = [this] { return check_neighbour(); }});
  if (options.election.leader_elect)
    manager->add({.group = Group::Leadership,
                  .name = "leader election",
                  .start = [this] { return lead(); },
                  .stop = [this] { leader->stop(); }});
  manager->add({.group = Group::Controllers,
                .name = "controllers",
                .start = [this]() -> Result<void> {
                  workload_clusters->start();
                  core->start();
                  log.info("controllers run");
                  return {};
                },
                .stop =
                    [this] {
                      core->stop();
                      workload_clusters->stop();
                    }});
}

Result<void> Wiring::Parts::serve_probes() {
  return program::serve_probes(*endpoints, served_at(options.servers));
}

Result<void> Wiring::Parts::serve_diagnostics() {
  return program::serve_diagnostics(*endpoints, served_at(options.servers), *client, seams.clock);
}

Result<void> Wiring::Parts::reach_api_server() {
  const auto version =
      TRY(client->get_path("/version", Deadline::in(seams.clock, kFirstContact, stop_token)));
  const auto* name = version.is_object() ? version.as_object().if_contains("gitVersion") : nullptr;
  log.info("API server reached",
           {{"version", name != nullptr && name->is_string() ? std::string(name->as_string()) : "unknown"}});
  return {};
}

// Informers go on asking for a kind that is not installed, with pauses: a process that ended would be started
// again to do the same.
Result<void> Wiring::Parts::fill_caches() {
  core->start_informers();
  const SteadyTime until = seams.clock.steady_now() + kSyncLimit;
  std::string named;
  while (const auto missing = core->not_synced()) {
    if (stop_token.stop_requested()) return fail(Code::Cancelled, "told to stop");
    const std::string definitions = missing_definitions();
    if (std::exchange(named, definitions) != definitions && !definitions.empty())
      log.error("CustomResourceDefinitions are not installed, waiting for them", {{"missing", definitions}});
    if (seams.clock.steady_now() > until && definitions.empty())
      return fail(Code::Timeout, *missing + " and could not be listed within 5m");
    seams.threads.pause(Deadline::in(seams.clock, kSyncCheck, stop_token));
  }
  return {};
}

std::string Wiring::Parts::definition_of(std::string_view kind) {
  if (kind == api::resource<api::MachineLifecyclePolicy>.kind)
    return std::string(api::policy::kLifecyclePolicyCrd);
  if (kind == api::policy::kind::kFleetPolicy) return std::string(api::policy::kFleetPolicyCrd);
  return fmt::format("{}.{}", kube::plural_of(kind), api::group::kCluster);
}

// Of the kinds whose caches wait, as far as the API server's list of them is known.
std::string Wiring::Parts::missing_definitions() const {
  const auto& crds = core->caches().crds;
  std::vector<std::string> missing;
  for (const auto* informer : core->informers()) {
    if (!crds.synced() || informer->cache().synced() || !core->is_wanted(*informer)) continue;
    std::string name = definition_of(informer->cache().kind());
    if (!crds.get({.namespace_ = {}, .name = name})) missing.push_back(std::move(name));
  }
  return fmt::format("{}", fmt::join(missing, ", "));
}

// The first self-managed certificate is there once every bundle trusts it.
Result<void> Wiring::Parts::serve_webhooks() {
  if (certificates) {
    certificates->start();
    if (certificates->wait_until_served(Deadline::never(stop_token)) != Woken::Notified) {
      certificates->stop();
      return fail(Code::Cancelled, "told to stop");
    }
  }
  return program::on_own_port(webhooks->start());
}

std::optional<std::string> Wiring::Parts::webhook_problem() const {
  if (certificates) {
    if (auto problem = certificates->problem()) return problem;
  }
  return webhooks->problem();
}

// The neighbour again: the wait may have been long.
Result<void> Wiring::Parts::lead() {
  leader->start();
  const Woken woken = leader->wait_until_leading(Deadline::never(stop_token));
  auto lonely = woken == Woken::Notified ? check_neighbour() : fail(Code::Cancelled, "told to stop");
  if (!lonely) leader->stop();
  return lonely;
}

// A manager under upstream's own Lease has no other holder beside it.
Result<void> Wiring::Parts::check_neighbour() {
  const kube::ObjectKey ours = lease();
  const kube::ObjectKey everything{.namespace_ = ours.namespace_,
                                   .name = std::string(api::kLeaderElectionLease)};
  if (ours == everything) return {};
  return runtime::check_neighbour(
      election_deps(),
      {.lease = everything,
       .rules = {.own = scope(), .beside_upstream = options.scope.beside_upstream},
       .times = times(options.election)},
      Deadline::never(stop_token));
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
