#include "cmd/manager/process.h"

#include <unistd.h>

#include <cstdlib>

#include "base/log.h"
#include "base/randomness.h"
#include "base/try.h"
#include "cmd/manager/signals.h"
#include "cmd/manager/wiring.h"
#include "kubeconfig/connect.h"
#include "net/file_limit.h"

namespace capstan::manager {
namespace {

constexpr std::uint64_t kDescriptors = 65536;  // a watch per workload cluster
constexpr int kDebugVerbosity = 4;

std::optional<std::string> environment(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

LogOptions log_options(const LoggingOptions& options) {
  LogOptions log{.format = options.format == "json" ? LogFormat::Json : LogFormat::Text};
  log.levels.all = options.verbosity >= kDebugVerbosity ? Level::Debug
                   : options.verbosity > 0              ? Level::Info
                                                        : Level::Error;
  for (const auto& [component, level] : options.vmodule)
    log.levels.components[component] =
        std::atoi(level.c_str()) >= kDebugVerbosity ? Level::Debug : Level::Info;
  return log;
}

Result<kube::Connection> pod_connection() {
  return kube::in_cluster({.service_host = environment("KUBERNETES_SERVICE_HOST").value_or(""),
                           .service_port = environment("KUBERNETES_SERVICE_PORT").value_or("")});
}

Result<kube::Connection> connection(const ScopeOptions& options) {
  if (!options.kubeconfig.empty()) return kubeconfig::load(options.kubeconfig);
  return pod_connection();
}

// The pod we run in, if the downward API names it: a workload cluster that turns out to be ours is reached
// from inside.
std::optional<kubeconfig::OwnPod> own_pod() {
  const auto ns = environment("POD_NAMESPACE");
  const auto name = environment("POD_NAME");
  const auto uid = environment("POD_UID");
  if (!ns || !name || !uid) return {};
  auto server = pod_connection();
  if (!server) return {};
  return kubeconfig::OwnPod{
      .key = {.namespace_ = *ns, .name = *name}, .uid = *uid, .server = std::move(*server)};
}

Surroundings surroundings() {
  char host[256] = {};
  gethostname(host, sizeof host - 1);
  return {.host_name = environment("POD_NAME").value_or(host),
          .pod_namespace = environment("POD_NAMESPACE").value_or("capi-system"),
          .proxies = net::proxy_rules(environment),
          .own_pod = own_pod()};
}

int exit_code(const Error& error) {
  switch (error.code) {
    case Code::Unavailable:
    case Code::Timeout:
    case Code::NotConnected:
    case Code::Unauthorized:
    case Code::Forbidden: return kApiServerRefused;
    case Code::NotFound:
    case Code::AlreadyExists:
    case Code::Conflict:
    case Code::Invalid:
    case Code::RateLimited:
    case Code::Gone:
    case Code::Cancelled:
    case Code::Exhausted:
    case Code::Internal: return kFailed;
  }
  return kFailed;
}

Result<void> run_until_stopped(const CommandLine& line, const Log& log, const Seams& seams,
                               const std::stop_token& stop) {
  auto to = TRY(connection(line.options.scope));
  auto wiring = TRY(Wiring::make(seams, line.options, surroundings(), std::move(to), log));
  TRY(wiring->start(stop));
  if (!line.options.process.exit_when_ready) seams.threads.pause(Deadline::never(stop));
  log.info("stopping");
  wiring->stop();
  return {};
}

}  // namespace

int run(const CommandLine& line) {
  SystemClock clock;
  SystemThreads threads;
  SystemRandomness randomness;
  const Signals signals(threads);
  DescriptorSink sink(STDERR_FILENO);
  const Log log(sink, clock, log_options(line.options.logging));
  for (const auto& [name, value] : line.effective) log.debug("flag", {{"name", name}, {"value", value}});
  if (const auto limit = net::raise_file_limit(kDescriptors); !limit)
    log.info("the limit of open files stays low", {{"error", limit.error()}});
  const auto ended = run_until_stopped(line, log, {clock, threads, randomness}, signals.stop());
  if (ended || signals.stop().stop_requested()) return kStopped;
  log.error("capstan ends", {{"error", ended.error()}});
  return exit_code(ended.error());
}

}  // namespace capstan::manager
