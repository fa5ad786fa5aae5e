// Everything that can be said to capstan-provider on its command line; flags that capstan has too mean the
// same. Filled by read_options() once, then constant.
#pragma once

#include <span>
#include <string>

#include "base/result.h"
#include "cmd/program/flags.h"
#include "cmd/program/process.h"

namespace capstan::provider {

struct ScopeOptions {
  std::string kubeconfig = {};  // empty: in-cluster
  StringList providers = {"bootstrap", "infrastructure"};
  std::string driver = {};
  std::string drivers = {};  // a file; empty: `driver` says what there is
};

struct WorkOptions {
  int cloud_config = 10;
  int driver_machine = 100;
  int driver_cluster = 10;
  int driver_machine_pool = 10;
  double kube_api_qps = 100;
  int kube_api_burst = 200;
};

struct EndpointOptions {
  std::string health_addr = ":9440";
  std::string diagnostics_address = ":8443";
  bool insecure_diagnostics = false;
  std::string tls_min_version = "VersionTLS12";
};

struct Options {
  program::ElectionOptions election = {};
  ScopeOptions scope = {};
  WorkOptions work = {};
  EndpointOptions endpoints = {};
  program::LoggingOptions logging = {};
  program::ProcessOptions process = {};

  bool runs(std::string_view provider) const;
};

using CommandLine = program::CommandLine<Options>;

inline constexpr std::string_view kBootstrap = "bootstrap";
inline constexpr std::string_view kInfrastructure = "infrastructure";
inline constexpr std::string_view kSimulated = "simulated";

// The error names the flag and what it takes.
Result<CommandLine> read_options(std::span<const char* const> words);

}  // namespace capstan::provider
