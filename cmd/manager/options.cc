#include "cmd/manager/options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "base/try.h"
#include "controllers/controllers.h"

namespace capstan::manager {
namespace {

constexpr std::string_view kUsage = R"(capstan: the Cluster API core manager

usage: capstan [--kubeconfig FILE] [flags]
       capstan cleanup --kubeconfig FILE [--dry-run]

Without --kubeconfig it uses the credentials of the pod it runs in.
Exit codes: 0 stopped as asked, 1 failed while running, 2 bad command line,
3 the API server can't be reached or refuses us, 4 the lease was lost,
5 another manager reconciles the same objects under a Lease of its own.
)";

constexpr FlagRules kPort = {.minimum = 0, .maximum = 65535};
constexpr FlagRules kWorkers = {.minimum = 1, .maximum = 10000};

constexpr std::array kLease = {
    flag("leader-elect-resource-name", &ElectionOptions::lease_name,
         "name of the Lease; empty: upstream's own, controller-leader-election-capi, so that two cores never "
         "act on one fleet, and with --watch-filter=X controller-leader-election-capi-X"),
};
constexpr std::array kNeighbours = {
    flag("beside-upstream", &ScopeOptions::beside_upstream,
         "with --watch-filter: act while upstream's core holds controller-leader-election-capi. DANGEROUS "
         "unless that one was started with another --watch-filter: both would reconcile the same Machines"),
};
constexpr std::array kScope = {
    flag("kubeconfig", &ScopeOptions::kubeconfig, "kubeconfig of the management cluster; empty: in-cluster"),
    flag("namespace", &ScopeOptions::namespace_,
         "the one namespace whose objects are reconciled; empty: all"),
    flag("watch-filter", &ScopeOptions::watch_filter,
         "only objects whose label cluster.x-k8s.io/watch-filter has this value"),
    flag("owns-fleet-policy", &ScopeOptions::owns_fleet_policy,
         "whether this manager grants deletions within the limits of the FleetPolicy; auto: without "
         "--watch-filter and --namespace. Of several managers of one management cluster one does, or none is "
         "granted",
         {.choices = "auto|true|false"}),
};
constexpr std::array kConcurrency = {
    flag("clustertopology-concurrency", &ConcurrencyOptions::clustertopology,
         "accepted, without effect: topologies are not reconciled", kWorkers),
    flag("clusterclass-concurrency", &ConcurrencyOptions::clusterclass,
         "accepted, without effect: topologies are not reconciled", kWorkers),
    flag("cluster-concurrency", &ConcurrencyOptions::cluster, "clusters reconciled at the same time",
         kWorkers),
    flag("clustercache-concurrency", &ConcurrencyOptions::clustercache,
         "workload clusters connected at the same time", kWorkers),
    flag("extensionconfig-concurrency", &ConcurrencyOptions::extensionconfig,
         "accepted, without effect: runtime extensions are not called", kWorkers),
    flag("machine-concurrency", &ConcurrencyOptions::machine, "machines reconciled at the same time",
         kWorkers),
    flag("machineset-concurrency", &ConcurrencyOptions::machineset,
         "machine sets reconciled at the same time", kWorkers),
    flag("machinedeployment-concurrency", &ConcurrencyOptions::machinedeployment,
         "machine deployments reconciled at the same time", kWorkers),
    flag("machinepool-concurrency", &ConcurrencyOptions::machinepool,
         "machine pools reconciled at the same time", kWorkers),
    flag("clusterresourceset-concurrency", &ConcurrencyOptions::clusterresourceset,
         "accepted, without effect: resource sets are not reconciled", kWorkers),
    flag("machinehealthcheck-concurrency", &ConcurrencyOptions::machinehealthcheck,
         "health checks reconciled at the same time", kWorkers),
};
constexpr std::array kBehaviour = {
    flag("controllers", &BehaviourOptions::controllers,
         "FOR DEVELOPMENT: which controllers run: * for all, NAME for one, -NAME for all but that one "
         "(cluster, machinedeployment, machineset, machine, machinepool, machinehealthcheck, "
         "topology/machinedeployment, topology/machineset, topology/cluster, "
         "machinelifecyclepolicy, fleetpolicy, unclaimednode, crdmigrator). Nothing does the work of one "
         "that is left "
         "out: its objects "
         "on their way "
         "out keep their finalizer and are never gone, their status stays what it was, and the controllers "
         "that run decide by it. A second process with the other controllers shares the Lease, so that only "
         "one of the two acts"),
    flag("machineset-preflight-checks", &BehaviourOptions::machineset_preflight_checks,
         "checks before a machine set makes a machine"),
    flag("skip-crd-migration-phases", &BehaviourOptions::skip_crd_migration_phases,
         "what the crdmigrator leaves out: StorageVersionMigration (storing each object in today's version), "
         "CleanupManagedFields (taking off managers of versions that are not served any more)"),
    flag("sync-period", &BehaviourOptions::sync_period,
         "every object is looked at again this often, from the cache"),
    flag("additional-sync-machine-labels", &BehaviourOptions::additional_sync_machine_labels,
         "regular expressions of further labels to copy to nodes"),
    flag("additional-sync-machine-annotations", &BehaviourOptions::additional_sync_machine_annotations,
         "regular expressions of further annotations to copy to nodes"),
    flag("remote-connection-grace-period", &BehaviourOptions::remote_connection_grace_period,
         "how long a workload cluster may be out of reach before conditions say so"),
    flag("remote-conditions-grace-period", &BehaviourOptions::remote_conditions_grace_period,
         "how long conditions about nodes are kept after the connection was lost"),
    flag("unmanaged-node-after", &BehaviourOptions::unmanaged_node_after,
         "how old a node that no machine and no machine pool claims gets before it is marked as not managed; "
         "only in clusters where a MachineLifecyclePolicy governs something"),
    flag("api-loss-grace", &BehaviourOptions::api_loss_grace,
         "how long an API server may be out of reach before nothing that a policy governs is made, replaced, "
         "scaled down, rolled or drained"),
    flag("mcm-aliases", &BehaviourOptions::mcm_aliases,
         "read keys of machine-controller-manager in the place of ours, which win where both are there"),
    flag("feature-gates", &BehaviourOptions::feature_gates, "Name=true|false, ..."),
};
constexpr std::array kClients = {
    flag("kube-api-qps", &ClientOptions::kube_api_qps,
         "requests a second to the management cluster; 0 or less: no limit"),
    flag("kube-api-burst", &ClientOptions::kube_api_burst, "requests above that rate for a moment"),
    flag("clustercache-client-qps", &ClientOptions::clustercache_client_qps,
         "requests a second to one workload cluster"),
    flag("clustercache-client-burst", &ClientOptions::clustercache_client_burst,
         "requests above that rate for a moment"),
    flag("workload-denied-cidrs", &ClientOptions::workload_denied_cidrs,
         "networks no workload cluster's kubeconfig Secret may lead to (10.0.0.0/8,fd00::/8, ...), besides "
         "link-local ones"),
    flag("workload-plain-http-on-loopback", &ClientOptions::workload_plain_http_on_loopback,
         "let kubeconfig Secrets name http:// servers on this machine: for tests"),
};
constexpr std::array kServers = {
    flag("webhook-port", &ServerOptions::webhook_port, "port of the webhook server; 0: none", kPort),
    flag("webhook-cert-dir", &ServerOptions::webhook_cert_dir, "folder of the webhook server's certificate"),
    flag("webhook-cert-name", &ServerOptions::webhook_cert_name, "file of the certificate"),
    flag("webhook-key-name", &ServerOptions::webhook_key_name, "file of its key"),
    flag(
        "webhook-self-managed-certs", &ServerOptions::webhook_self_managed_certs,
        "make the webhook server's certificate, keep it in Secret capi-webhook-self-managed-cert and write "
        "its CA into CRDs and webhook configurations: for clusters without cert-manager; files are not read"),
    flag("webhook-self-managed-hosts", &ServerOptions::webhook_self_managed_hosts,
         "names and addresses, besides the Service's, that the certificate is for; clientConfigs with a URL "
         "of such a host get the CA, too"),
    flag("webhook-self-managed-settle", &ServerOptions::webhook_self_managed_settle,
         "how long a new CA stands in every bundle before a certificate of it is served: the time within "
         "which each API server has read the bundles"),
    flag("health-addr", &ServerOptions::health_addr, "address of /healthz and /readyz; 0: none"),
    flag("diagnostics-address", &ServerOptions::diagnostics_address,
         "address of /metrics and /debug; 0: none"),
    flag("insecure-diagnostics", &ServerOptions::insecure_diagnostics,
         "serve /metrics alone, over plain HTTP and to anybody"),
    flag("tls-min-version", &ServerOptions::tls_min_version, "oldest TLS version our servers speak",
         {.choices = "VersionTLS12|VersionTLS13"}),
    flag("tls-cipher-suites", &ServerOptions::tls_cipher_suites,
         "accepted, without effect: OpenSSL's own choice is used"),
    flag("profiler-address", &ServerOptions::profiler_address, "accepted, without effect: use perf"),
    flag("contention-profiling", &ServerOptions::contention_profiling, "accepted, without effect: use perf"),
    flag("runtime-extension-client-cert-file", &ServerOptions::runtime_extension_client_cert_file,
         "accepted, without effect: runtime extensions are not called"),
    flag("runtime-extension-client-key-file", &ServerOptions::runtime_extension_client_key_file,
         "accepted, without effect: runtime extensions are not called"),
};
void bind(Flags& flags, Options& options) {
  flags.add("Management cluster", options.scope, kScope);
  program::add_election(flags, options.election);
  flags.add("Leader election", options.election, kLease)
      .add("Leader election", options.scope, kNeighbours)
      .add("Controllers", options.concurrency, kConcurrency)
      .add("Behaviour", options.behaviour, kBehaviour)
      .add("API clients", options.clients, kClients)
      .add("Servers", options.servers, kServers);
  program::add_logging(flags, options.logging);
  program::add_process(flags, options.process);
}

Result<void> check_webhooks(const ServerOptions& servers) {
  if (!servers.webhook_self_managed_certs) return {};
  if (servers.webhook_port == 0)
    return fail(Code::Invalid, "--webhook-self-managed-certs needs a webhook server: --webhook-port is 0");
  if (servers.webhook_self_managed_settle < std::chrono::seconds(1))
    return fail(Code::Invalid, "--webhook-self-managed-settle must be at least 1s");
  return {};
}

// Its limits and the places it gives are those of all namespaces.
Result<void> check_fleet_policy(const ScopeOptions& scope) {
  if (scope.owns_fleet_policy != "true" || scope.namespace_.empty()) return {};
  return fail(Code::Invalid,
              "--owns-fleet-policy=true together with --namespace: whoever grants deletions has to see all "
              "namespaces; leave out one of the two");
}

Result<void> check(const Options& options) {
  TRY(check_fleet_policy(options.scope));
  TRY(program::check(options.election));
  const auto& behaviour = options.behaviour;
  if (behaviour.remote_conditions_grace_period < std::chrono::minutes(2))
    return fail(Code::Invalid, "--remote-conditions-grace-period must be at least 2m");
  if (behaviour.remote_conditions_grace_period <= behaviour.remote_connection_grace_period)
    return fail(Code::Invalid,
                "--remote-conditions-grace-period must be longer than --remote-connection-grace-period");
  TRY(parse_listen_address("health-addr", options.servers.health_addr));
  TRY(parse_listen_address("diagnostics-address", options.servers.diagnostics_address));
  TRY(workload_addresses(options.clients));
  TRY(left_out_controllers(options.behaviour.controllers));
  TRY(migration_phases(options.behaviour.skip_crd_migration_phases));
  return check_webhooks(options.servers);
}

}  // namespace

Result<CommandLine> read_options(std::span<const char* const> words) {
  return program::read_command_line<Options>(
      words, {.program = "capstan", .usage = kUsage, .bind = bind, .check = check});
}

bool owns_fleet_policy(const ScopeOptions& scope) {
  if (scope.owns_fleet_policy != "auto") return scope.owns_fleet_policy == "true";
  return scope.watch_filter.empty() && scope.namespace_.empty();
}

Result<net::AddressRules> workload_addresses(const ClientOptions& options) {
  net::AddressRules rules{.plain_http_on_loopback = options.workload_plain_http_on_loopback};
  for (const std::string& text : options.workload_denied_cidrs) {
    auto network = net::parse_ip_network(text);
    if (!network) {
      return fail(Code::Invalid, "--workload-denied-cidrs " + text +
                                     ": expected an address and a length, as 10.0.0.0/8 or fd00::/8");
    }
    rules.denied.push_back(std::move(*network));
  }
  return rules;
}

// Later words count more, as in "*,-machinepool".
Result<std::set<std::string, std::less<>>> left_out_controllers(const StringList& list) {
  const auto names = controllers::controller_names();
  std::set<std::string, std::less<>> left_out(names.begin(), names.end());
  for (const std::string& word : list) {
    const bool off = word.starts_with('-');
    const std::string_view name = std::string_view(word).substr(off ? 1 : 0);
    if (word == "*") {
      left_out.clear();
    } else if (std::ranges::find(names, name) == names.end()) {
      return fail(Code::Invalid, fmt::format("--controllers {}: there is no such controller; there are {}",
                                             word, fmt::join(names, ", ")));
    } else if (off) {
      left_out.emplace(name);
    } else {
      left_out.erase(std::string(name));
    }
  }
  return left_out;
}

Result<controllers::crdmigration::Phases> migration_phases(const StringList& skipped) {
  namespace migration = controllers::crdmigration;
  migration::Phases phases;
  for (const std::string& word : skipped) {
    if (word == migration::kStorageVersionMigration) {
      phases.storage_versions = false;
    } else if (word == migration::kCleanupManagedFields) {
      phases.managed_fields = false;
    } else {
      return fail(Code::Invalid,
                  fmt::format("--skip-crd-migration-phases {}: there is no such phase; there are {}", word,
                              fmt::join(migration::kPhaseNames, ", ")));
    }
  }
  return phases;
}

}  // namespace capstan::manager
