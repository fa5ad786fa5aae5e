#include "cmd/dev/demo_stage.h"

#include <fmt/format.h>

#include "base/try.h"

namespace capstan::dev {
namespace {

constexpr std::size_t kRowsOfATable = 10;
constexpr Nanoseconds kPoll = std::chrono::milliseconds(100);

}  // namespace

DemoStage::DemoStage(const DemoOptions& options, const manager::Seams& seams, std::stop_token stop,
                     const Log& log)
    : options_(options),
      seams_(seams),
      stop_(std::move(stop)),
      log_(log),
      screen_(seams.clock, options.json ? Show::Json : Show::Lines) {}

Result<void> DemoStage::start(const infrastructure::sim::Script& cloud) {
  screen_.say("starting: API server, simulated cloud, providers, manager");
  manager::Options manager;
  manager.clients.kube_api_qps = 0;
  manager.servers.health_addr = "0";
  manager.servers.diagnostics_address = "0";
  manager.servers.webhook_port = 0;
  stack_ = TRY(Stack::start(seams_, {.cloud = cloud, .manager = manager}, log_, stop_));
  watch_ = std::make_unique<FleetWatch>(seams_.clock, seams_.threads, stack_->client());
  return watch_->start(step());
}

Result<void> DemoStage::follow(const std::function<bool(const Fleet&)>& wanted, const std::string& what) {
  const bool reached = watch_->follow(step(), [&](const Fleet& fleet) {
    screen_.show(fleet);
    return wanted(fleet);
  });
  return ended(reached, what);
}

Result<void> DemoStage::await(const kube::ObjectKey& machine,
                              const std::function<bool(const api::Machine&)>& wanted,
                              const std::string& what) {
  return ended(watch_->await(step(), machine, wanted), machine.name + " " + what);
}

Result<void> DemoStage::poll(const std::function<Result<bool>()>& reached, const std::string& what) {
  const Deadline deadline = step();
  while (!TRY(reached())) {
    screen_.show(watch_->look());
    if (deadline.passed(seams_.clock.steady_now()) || deadline.stopped()) return ended(false, what);
    seams_.threads.pause(deadline.no_later_than(seams_.clock.steady_now() + kPoll));
  }
  screen_.show(watch_->look());
  return {};
}

Result<void> DemoStage::ended(bool reached, const std::string& what) const {
  if (reached) return {};
  if (stop_.stop_requested()) return fail(Code::Cancelled, "told to stop");
  return fail(Code::Timeout, fmt::format("not {} within {} s:\n{}", what,
                                         std::chrono::duration_cast<Seconds>(options_.step_timeout).count(),
                                         table(watch_->look(), kRowsOfATable)));
}

void DemoStage::say_step(const std::string& line) {
  screen_.say("");
  screen_.say(line);
}

Result<std::shared_ptr<kube::Client>> DemoStage::workload_client() {
  auto client = stack_->control_planes().client(kDemoCluster);
  if (!client) return fail(Code::NotFound, "the workload cluster has no API server");
  return client;
}

}  // namespace capstan::dev
