#include "cmd/provider/options.h"

#include <algorithm>
#include <array>

#include "base/try.h"

namespace capstan::provider {
namespace {

constexpr std::string_view kUsage = R"(capstan-provider: the bootstrap and infrastructure providers of Capstan

usage: capstan-provider [--kubeconfig FILE] [--providers LIST] (--drivers FILE | --driver=simulated) [flags]

Reconciles CloudConfig and NodeConfig (bootstrap), DriverCluster, DriverMachine and DriverMachinePool
(infrastructure) beside any core. Control planes come from a control plane provider or from the user, as does
the endpoint of a DriverCluster. Without --kubeconfig it uses the credentials of the pod it runs in.
Exit codes: 0 stopped as asked, 1 failed while running, 2 bad command line, 3 the API server can't be reached
or refuses us, 4 a lease was lost.
)";

constexpr FlagRules kWorkers = {.minimum = 1, .maximum = 10000};

constexpr std::array kScope = {
    flag("kubeconfig", &ScopeOptions::kubeconfig, "kubeconfig of the management cluster; empty: in-cluster"),
    flag("providers", &ScopeOptions::providers, "which of them run: bootstrap, infrastructure"),
    flag("drivers", &ScopeOptions::drivers,
         "file that names the drivers that make the VMs, each a program of its own (docs/drivers.md)"),
    flag("driver", &ScopeOptions::driver,
         "simulated: instead of drivers, VMs in the memory of this process, which end with it and never "
         "become Nodes: to try the provider out"),
};
constexpr std::array kLease = {
    flag("leader-elect-resource-name", &program::ElectionOptions::lease_name,
         "beginning of the names of the Leases, one for each provider; empty: "
         "controller-leader-election-capstan"),
};
constexpr std::array kWork = {
    flag("cloudconfig-concurrency", &WorkOptions::cloud_config, "CloudConfigs worked on at the same time",
         kWorkers),
    flag("drivermachine-concurrency", &WorkOptions::driver_machine,
         "DriverMachines worked on at the same time", kWorkers),
    flag("drivercluster-concurrency", &WorkOptions::driver_cluster,
         "DriverClusters worked on at the same time", kWorkers),
    flag("drivermachinepool-concurrency", &WorkOptions::driver_machine_pool,
         "DriverMachinePools worked on at the same time", kWorkers),
    flag("kube-api-qps", &WorkOptions::kube_api_qps,
         "requests a second of each provider to the management cluster; 0 or less: no limit"),
    flag("kube-api-burst", &WorkOptions::kube_api_burst, "requests above that rate for a moment"),
};
constexpr std::array kEndpoints = {
    flag("health-addr", &EndpointOptions::health_addr, "address of /healthz and /readyz; 0: none"),
    flag("diagnostics-address", &EndpointOptions::diagnostics_address,
         "address of /metrics and /debug; 0: none"),
    flag("insecure-diagnostics", &EndpointOptions::insecure_diagnostics,
         "serve /metrics alone, over plain HTTP and to anybody"),
    flag("tls-min-version", &EndpointOptions::tls_min_version, "oldest TLS version our servers speak",
         {.choices = "VersionTLS12|VersionTLS13"}),
};

void bind(Flags& flags, Options& options) {
  flags.add("Management cluster", options.scope, kScope);
  program::add_election(flags, options.election);
  flags.add("Leader election", options.election, kLease)
      .add("Controllers", options.work, kWork)
      .add("Servers", options.endpoints, kEndpoints);
  program::add_logging(flags, options.logging);
  program::add_process(flags, options.process);
}

Result<void> check_drivers(const ScopeOptions& scope) {
  if (scope.driver.empty() == scope.drivers.empty())
    return fail(Code::Invalid,
                "the infrastructure provider needs either --drivers FILE or --driver=simulated");
  if (scope.drivers.empty() && scope.driver != kSimulated)
    return fail(Code::Invalid,
                "--driver " + scope.driver + ": there is simulated only; others are named in --drivers");
  return {};
}

Result<void> check(const Options& options) {
  TRY(program::check(options.election));
  TRY(program::parse_listen_address("health-addr", options.endpoints.health_addr));
  TRY(program::parse_listen_address("diagnostics-address", options.endpoints.diagnostics_address));
  const auto known = [](const std::string& name) { return name == kBootstrap || name == kInfrastructure; };
  if (options.scope.providers.empty() || !std::ranges::all_of(options.scope.providers, known))
    return fail(Code::Invalid, "--providers takes bootstrap, infrastructure or both");
  if (!options.runs(kInfrastructure)) return {};
  return check_drivers(options.scope);
}

}  // namespace

bool Options::runs(std::string_view provider) const {
  return std::ranges::find(scope.providers, provider) != scope.providers.end();
}

Result<CommandLine> read_options(std::span<const char* const> words) {
  return program::read_command_line<Options>(
      words, {.program = "capstan-provider", .usage = kUsage, .bind = bind, .check = check});
}

}  // namespace capstan::provider
