// Everything that can be said to capstan on its command line. Upstream's names and defaults (a manifest that
// starts upstream's core starts capstan), our own behind them. Filled by read_options() once, then constant.
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <string>

#include "base/clock.h"
#include "base/options.h"
#include "base/result.h"
#include "cmd/program/flags.h"
#include "controllers/crdmigration/phases.h"
#include "net/address_rules.h"

namespace capstan::manager {

using program::ElectionOptions;
using program::ListenAddress;
using program::LoggingOptions;
using program::parse_listen_address;
using program::ProcessOptions;

struct ScopeOptions {
  std::string kubeconfig = {};  // empty: in-cluster
  std::string namespace_ = {};  // empty: all
  std::string watch_filter = {};
  bool beside_upstream = false;
  std::string owns_fleet_policy = "auto";
};

struct ConcurrencyOptions {
  int clustertopology = 50;
  int clusterclass = 10;
  int cluster = 50;
  int clustercache = 100;
  int extensionconfig = 10;
  int machine = 100;
  int machineset = 50;
  int machinedeployment = 50;
  int machinepool = 50;
  int clusterresourceset = 10;
  int machinehealthcheck = 50;
};

struct BehaviourOptions {
  StringList controllers = {"*"};
  StringList machineset_preflight_checks = {"All"};
  StringList skip_crd_migration_phases = {};
  Nanoseconds sync_period = std::chrono::minutes(10);
  StringList additional_sync_machine_labels = {};
  StringList additional_sync_machine_annotations = {};
  Nanoseconds remote_connection_grace_period = std::chrono::seconds(50);
  Nanoseconds remote_conditions_grace_period = std::chrono::minutes(5);
  Nanoseconds unmanaged_node_after = std::chrono::minutes(20);
  Nanoseconds api_loss_grace = std::chrono::seconds(30);
  bool mcm_aliases = false;
  Switches feature_gates = {{"MachinePool", true},
                            {"MachineSetPreflightChecks", true},
                            {"PriorityQueue", true},
                            {"ReconcilerRateLimiting", true},
                            {"MachineWaitForVolumeDetachConsiderVolumeAttachments", true},
                            {"ClusterTopology", false},
                            {"RuntimeSDK", false},
                            {"InPlaceUpdates", false},
                            {"MachineTaintPropagation", false},
                            {"KubeadmBootstrapFormatIgnition", false}};
};

struct ClientOptions {
  double kube_api_qps = 100;
  int kube_api_burst = 200;
  double clustercache_client_qps = 20;
  int clustercache_client_burst = 30;
  StringList workload_denied_cidrs = {};
  bool workload_plain_http_on_loopback = false;
};

struct ServerOptions {
  int webhook_port = 9443;
  std::string webhook_cert_dir = "/tmp/k8s-webhook-server/serving-certs/";
  std::string webhook_cert_name = "tls.crt";
  std::string webhook_key_name = "tls.key";
  bool webhook_self_managed_certs = false;
  StringList webhook_self_managed_hosts = {};
  Nanoseconds webhook_self_managed_settle = std::chrono::seconds(30);
  std::string health_addr = ":9440";
  std::string diagnostics_address = ":8443";
  bool insecure_diagnostics = false;
  std::string tls_min_version = "VersionTLS12";
  StringList tls_cipher_suites = {};
  std::string profiler_address = {};
  bool contention_profiling = false;
  std::string runtime_extension_client_cert_file = {};
  std::string runtime_extension_client_key_file = {};
};

struct Options {
  ElectionOptions election = {};
  ScopeOptions scope = {};
  ConcurrencyOptions concurrency = {};
  BehaviourOptions behaviour = {};
  ClientOptions clients = {};
  ServerOptions servers = {};
  LoggingOptions logging = {};
  ProcessOptions process = {};
};

// What the command line asked for besides starting.
using CommandLine = program::CommandLine<Options>;

// The error names the flag and what it takes.
Result<CommandLine> read_options(std::span<const char* const> words);

// Where the servers of workload clusters may be; the error names the flag.
Result<net::AddressRules> workload_addresses(const ClientOptions& options);

// Whether this manager grants deletions; of managers that share a fleet by labels a person names the one.
bool owns_fleet_policy(const ScopeOptions& scope);

// The controllers that --controllers leaves out; the error names the flag.
Result<std::set<std::string, std::less<>>> left_out_controllers(const StringList& list);

// The phases that --skip-crd-migration-phases leaves; the error names the flag.
Result<controllers::crdmigration::Phases> migration_phases(const StringList& skipped);

}  // namespace capstan::manager
