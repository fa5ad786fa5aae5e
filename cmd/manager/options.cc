#include "cmd/manager/options.h"

#include <array>
#include <charconv>

#include "base/try.h"
#include "cmd/manager/program_version.h"

namespace capstan::manager {
namespace {

constexpr std::string_view kUsage = R"(capstan: the Cluster API core manager

usage: capstan [--kubeconfig FILE] [flags]

Without --kubeconfig it uses the credentials of the pod it runs in.
Exit codes: 0 stopped as asked, 1 failed while running, 2 bad command line,
3 the API server can't be reached or refuses us, 4 the lease was lost.
)";

constexpr FlagRules kPort = {.minimum = 0, .maximum = 65535};
constexpr FlagRules kWorkers = {.minimum = 1, .maximum = 10000};

constexpr std::array kElection = {
    flag("leader-elect", &ElectionOptions::leader_elect,
         "act only while holding the lease; several processes may then run"),
    flag("leader-elect-lease-duration", &ElectionOptions::lease_duration,
         "how long others wait before taking over a lease that is not renewed"),
    flag("leader-elect-renew-deadline", &ElectionOptions::renew_deadline,
         "how long the leader tries to renew before it gives up"),
    flag("leader-elect-retry-period", &ElectionOptions::retry_period,
         "time between two tries to get or renew the lease"),
    flag("leader-elect-resource-name", &ElectionOptions::lease_name,
         "name of the Lease; upstream's own by default, so that two cores never act on one fleet"),
    flag("leader-elect-resource-namespace", &ElectionOptions::lease_namespace,
         "namespace of the Lease; empty: the one this process runs in"),
};
constexpr std::array kScope = {
    flag("kubeconfig", &ScopeOptions::kubeconfig, "kubeconfig of the management cluster; empty: in-cluster"),
    flag("namespace", &ScopeOptions::namespace_,
         "the one namespace whose objects are reconciled; empty: all"),
    flag("watch-filter", &ScopeOptions::watch_filter,
         "only objects whose label cluster.x-k8s.io/watch-filter has this value"),
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
    flag("machineset-preflight-checks", &BehaviourOptions::machineset_preflight_checks,
         "checks before a machine set makes a machine"),
    flag("skip-crd-migration-phases", &BehaviourOptions::skip_crd_migration_phases,
         "phases of the CRD migration to leave out"),
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
constexpr std::array kLogging = {
    flag("logging-format", &LoggingOptions::format, "form of a log line", {.choices = "text|json"}),
    flag("v", &LoggingOptions::verbosity, "how much is logged: 0 errors, 2 what changed, 4 why nothing did",
         {.minimum = 0, .maximum = 10}),
    flag("vmodule", &LoggingOptions::vmodule, "component=level, ..."),
    flag("log-flush-frequency", &LoggingOptions::flush_frequency,
         "accepted, without effect: every line is written at once"),
};

constexpr std::array kProcess = {
    flag("version", &ProcessOptions::version, "print name and version and exit"),
    flag("exit-when-ready", &ProcessOptions::exit_when_ready,
         "end with success once every cache is filled and the controllers run: for smoke tests and "
         "measurements"),
};

void bind(Flags& flags, Options& options) {
  flags.add("Management cluster", options.scope, kScope)
      .add("Leader election", options.election, kElection)
      .add("Controllers", options.concurrency, kConcurrency)
      .add("Behaviour", options.behaviour, kBehaviour)
      .add("API clients", options.clients, kClients)
      .add("Servers", options.servers, kServers)
      .add("Logging", options.logging, kLogging)
      .add("Process", options.process, kProcess);
}

Result<void> check(const Options& options) {
  const auto& election = options.election;
  if (election.lease_duration <= election.renew_deadline)
    return fail(Code::Invalid,
                "--leader-elect-lease-duration must be longer than --leader-elect-renew-deadline");
  if (election.renew_deadline <= election.retry_period)
    return fail(Code::Invalid,
                "--leader-elect-renew-deadline must be longer than --leader-elect-retry-period");
  const auto& behaviour = options.behaviour;
  if (behaviour.remote_conditions_grace_period < std::chrono::minutes(2))
    return fail(Code::Invalid, "--remote-conditions-grace-period must be at least 2m");
  if (behaviour.remote_conditions_grace_period <= behaviour.remote_connection_grace_period)
    return fail(Code::Invalid,
                "--remote-conditions-grace-period must be longer than --remote-connection-grace-period");
  TRY(parse_listen_address("health-addr", options.servers.health_addr));
  TRY(parse_listen_address("diagnostics-address", options.servers.diagnostics_address));
  TRY(workload_addresses(options.clients));
  return {};
}

}  // namespace

Result<CommandLine> read_options(std::span<const char* const> words) {
  CommandLine line;
  Flags flags;
  bind(flags, line.options);
  const auto arguments = TRY(flags.parse(words));
  if (arguments.help) line.print_and_exit = flags.help(kUsage);
  if (!arguments.completion.empty()) line.print_and_exit = flags.completion("capstan");
  if (line.print_and_exit.empty() && line.options.process.version)
    line.print_and_exit = version_line("capstan");
  if (!line.print_and_exit.empty()) return line;
  TRY(check(line.options));
  line.effective = flags.effective();
  return line;
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

Result<ListenAddress> parse_listen_address(std::string_view flag, std::string_view text) {
  if (text.empty() || text == "0") return ListenAddress{.off = true};
  const std::size_t colon = text.rfind(':');
  std::uint16_t port = 0;
  const auto* end = text.data() + text.size();
  const bool has_port = colon != std::string_view::npos && colon + 1 < text.size();
  const auto read = has_port ? std::from_chars(text.data() + colon + 1, end, port)
                             : std::from_chars_result{.ptr = text.data(), .ec = std::errc::invalid_argument};
  if (read.ec != std::errc() || read.ptr != end) {
    return fail(Code::Invalid, "--" + std::string(flag) + " " + std::string(text) +
                                   ": expected ADDRESS:PORT, :PORT, or 0 for none; a port is 0 to 65535");
  }
  std::string host(text.substr(0, colon));
  if (host.size() > 2 && host.front() == '[' && host.back() == ']') host = host.substr(1, host.size() - 2);
  return ListenAddress{.host = host.empty() ? "0.0.0.0" : host, .port = port};
}

}  // namespace capstan::manager
