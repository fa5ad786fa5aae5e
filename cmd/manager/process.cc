#include "cmd/manager/process.h"

#include "base/try.h"
#include "cmd/manager/wiring.h"

namespace capstan::manager {
namespace {

constexpr std::string_view kUsualNamespace = "capi-system";

// The pod we run in, if the downward API names it: a workload cluster that turns out to be ours is reached
// from inside.
std::optional<kubeconfig::OwnPod> own_pod() {
  const auto ns = program::environment("POD_NAMESPACE");
  const auto name = program::environment("POD_NAME");
  const auto uid = program::environment("POD_UID");
  if (!ns || !name || !uid) return {};
  auto server = program::pod_connection();
  if (!server) return {};
  return kubeconfig::OwnPod{
      .key = {.namespace_ = *ns, .name = *name}, .uid = *uid, .server = std::move(*server)};
}

Surroundings surroundings() {
  return {.host_name = program::host_name(),
          .pod_namespace = program::pod_namespace(kUsualNamespace),
          .proxies = net::proxy_rules(program::environment),
          .own_pod = own_pod()};
}

Result<void> run_until_stopped(const CommandLine& line, const Seams& seams, const Log& log,
                               const std::stop_token& stop) {
  auto to = TRY(program::connection(line.options.scope.kubeconfig));
  auto wiring = TRY(Wiring::make(seams, line.options, surroundings(), std::move(to), log));
  TRY(wiring->start(stop));
  if (!line.options.process.exit_when_ready) seams.threads.pause(Deadline::never(stop));
  log.info("stopping");
  wiring->stop();
  return {};
}

}  // namespace

int run(const CommandLine& line) {
  return program::run("capstan", line.options.logging, line.effective,
                      [&](const Seams& seams, const Log& log, const std::stop_token& stop) {
                        return run_until_stopped(line, seams, log, stop);
                      });
}

}  // namespace capstan::manager
