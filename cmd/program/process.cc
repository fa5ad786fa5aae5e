#include "cmd/program/process.h"

#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "cmd/program/log_level.h"
#include "cmd/program/signals.h"
#include "kubeconfig/connect.h"
#include "net/file_limit.h"

namespace capstan::program {
namespace {

constexpr std::uint64_t kDescriptors = 65536;  // a watch per workload cluster
constexpr int kHeaps = 2;

LogOptions log_options(const LoggingOptions& options) {
  LogOptions log{.format = options.format == "json" ? LogFormat::Json : LogFormat::Text};
  log.levels.all = level_of(options.verbosity);
  for (const auto& [component, level] : options.vmodule)
    log.levels.components[component] = std::max(Level::Info, level_of(std::atoi(level.c_str())));
  return log;
}

int exit_code(const Error& error) {
  switch (error.code) {
    case Code::Unavailable:
    case Code::Timeout:
    case Code::NotConnected:
    case Code::Unauthorized:
    case Code::Forbidden: return kApiServerRefused;
    case Code::Conflict: return kScopeTaken;  // nothing else on the way to the start conflicts
    case Code::NotFound:
    case Code::AlreadyExists:
    case Code::Invalid:
    case Code::RateLimited:
    case Code::Gone:
    case Code::Cancelled:
    case Code::Exhausted:
    case Code::Internal: return kFailed;
  }
  return kFailed;
}

}  // namespace

std::optional<std::string> environment(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

std::string host_name() {
  char host[256] = {};
  gethostname(host, sizeof host - 1);
  return environment("POD_NAME").value_or(host);
}

std::string pod_namespace(std::string_view otherwise) {
  return environment("POD_NAMESPACE").value_or(std::string(otherwise));
}

Result<kube::Connection> pod_connection() {
  return kube::in_cluster({.service_host = environment("KUBERNETES_SERVICE_HOST").value_or(""),
                           .service_port = environment("KUBERNETES_SERVICE_PORT").value_or("")});
}

Result<kube::Connection> connection(const std::string& kubeconfig) {
  if (!kubeconfig.empty()) return kubeconfig::load(kubeconfig);
  return pod_connection();
}

void keep_little_in_each_thread(char** argv) {
#ifdef __GLIBC__
  if (environment("GLIBC_TUNABLES")) return;
  std::error_code unknown;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", unknown);
  if (unknown) return;
  ::setenv("GLIBC_TUNABLES", "glibc.malloc.tcache_max=256", 1);
  ::execv(program.c_str(), argv);
  ::unsetenv("GLIBC_TUNABLES");  // it did not start
#endif
}

void share_heaps() {
#ifdef M_ARENA_MAX
  if (!environment("MALLOC_ARENA_MAX")) mallopt(M_ARENA_MAX, kHeaps);
#endif
}

void give_back_memory() {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}

int run(std::string_view program, const LoggingOptions& logging, const Effective& effective,
        const Body& body) {
  share_heaps();
  SystemClock clock;
  SystemThreads threads;
  SystemRandomness randomness;
  const Signals signals(threads);
  DescriptorSink sink(STDERR_FILENO);
  const Log log(sink, clock, log_options(logging));
  for (const auto& [name, value] : effective) log.debug("flag", {{"name", name}, {"value", value}});
  if (const auto limit = net::raise_file_limit(kDescriptors); !limit)
    log.info("the limit of open files stays low", {{"error", limit.error()}});
  const auto ended = body({clock, threads, randomness}, log, signals.stop());
  if (ended || signals.stop().stop_requested()) return kStopped;
  log.error("the program ends", {{"program", program}, {"error", ended.error()}});
  return exit_code(ended.error());
}

Result<void> on_own_port(Result<void> served) {
  if (served) return served;
  Error error = std::move(served).error();
  error.code = Code::Invalid;
  return fail(std::move(error));
}

}  // namespace capstan::program
