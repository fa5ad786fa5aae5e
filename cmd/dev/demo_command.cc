#include "cmd/dev/demo_command.h"

#include <fmt/format.h>
#include <unistd.h>

#include <boost/json.hpp>
#include <functional>
#include <iostream>

#include "api/core/node.h"
#include "base/options.h"
#include "base/try.h"
#include "cmd/dev/fleet_watch.h"
#include "cmd/dev/manifests.h"
#include "cmd/dev/sample.h"
#include "cmd/dev/screen.h"
#include "cmd/dev/stack.h"
#include "cmd/program/signals.h"
#include "kube/typed.h"

namespace capstan::dev {
namespace {

namespace json = boost::json;

constexpr std::string_view kBefore = "v1.35.0";
constexpr std::string_view kAfter = "v1.36.0";
constexpr std::int32_t kControlPlanes = 1;  // of the sample; stays on its version
const kube::ObjectKey kCluster{.namespace_ = "default", .name = "demo"};
const kube::ObjectKey kWorkers{.namespace_ = "default", .name = "demo-workers"};

struct Options {
  Nanoseconds step_timeout = std::chrono::minutes(1);
  bool json = false;
  bool verbose = false;
};

constexpr std::array kFlags = {
    flag("step-timeout", &Options::step_timeout, "how long each step may take"),
    flag("json", &Options::json, "one JSON document per change instead of lines"),
    flag("verbose", &Options::verbose, "the manager's log, on standard error"),
};

constexpr std::string_view kUsage = R"(capstan-dev demo: a fleet comes up, grows and rolls

usage: capstan-dev demo [flags]

Brings one cluster with a MachineDeployment of 3 to Available, scales it to 5, rolls it to a new
version, and ends with 0 only if Machines, Nodes and VMs are what was promised.
)";

struct Promise {
  std::int32_t machines = 0;
  std::string version = {};
};

class Demo {
 public:
  Demo(const Options& options, const manager::Seams& seams, std::stop_token stop, const Log& log)
      : options_(options),
        seams_(seams),
        stop_(std::move(stop)),
        log_(log),
        screen_(seams.clock, options.json ? Show::Json : Show::Lines) {}

  Result<void> play() {
    screen_.say("starting: API server, simulated cloud, providers, manager");
    manager::Options manager;
    manager.clients.kube_api_qps = 0;
    manager.servers.health_addr = "0";
    manager.servers.diagnostics_address = "0";
    manager.servers.webhook_port = 0;
    stack_ = TRY(Stack::start(seams_, {.manager = manager}, log_, stop_));
    watch_ = std::make_unique<FleetWatch>(seams_.clock, seams_.threads, stack_->client());
    TRY(watch_->start(step()));

    screen_.say("");
    screen_.say(
        fmt::format("1/3  one cluster: a control plane Machine and a MachineDeployment of 3 on {}", kBefore));
    for (const auto& manifest : sample({.machines = 3, .version = std::string(kBefore)}))
      TRY(apply_manifest(stack_->client(), manifest, step()));
    TRY(settle({.machines = 3, .version = std::string(kBefore)}));

    screen_.say("");
    screen_.say("2/3  scale it to 5");
    TRY(change({{"spec", {{"replicas", 5}}}}));
    TRY(settle({.machines = 5, .version = std::string(kBefore)}));

    screen_.say("");
    screen_.say(fmt::format("3/3  roll it to {}, one at a time", kAfter));
    TRY(change({{"spec", {{"template", {{"spec", {{"version", kAfter}}}}}}}}));
    TRY(settle({.machines = 5, .version = std::string(kAfter)}));
    TRY(check_workload_cluster({.machines = 5, .version = std::string(kAfter)}));
    screen_.say("");
    screen_.say(fmt::format("done: 5 workers, each a Machine, a ready Node and a VM, all on {}", kAfter));
    watch_.reset();
    return {};
  }

 private:
  Deadline step() const { return Deadline::in(seams_.clock, options_.step_timeout, stop_); }

  Result<void> change(const json::value& patch) {
    const auto patched = stack_->client().patch(kube::resource_of(api::resource<api::MachineDeployment>),
                                                kWorkers, patch, {}, step());
    if (!patched) return fail(patched.error().context("change the MachineDeployment"));
    return {};
  }

  static bool kept(const Fleet& fleet, const Promise& promise) {
    if (!fleet.settled() || fleet.groups.size() != 1) return false;
    const auto workers = [](const MachineRow& row) { return row.owner == kWorkers.name; };
    const auto right = [&](const MachineRow& row) { return workers(row) && row.version == promise.version; };
    return std::ranges::count_if(fleet.machines, workers) == promise.machines &&
           std::ranges::count_if(fleet.machines, right) == promise.machines;
  }

  Result<void> settle(const Promise& promise) {
    const bool settled = watch_->follow(step(), [&](const Fleet& fleet) {
      screen_.show(fleet);
      return kept(fleet, promise);
    });
    if (settled) return {};
    if (stop_.stop_requested()) return fail(Code::Cancelled, "told to stop");
    return fail(Code::Timeout,
                fmt::format("not {} Machines on {} within {} s:\n{}", promise.machines, promise.version,
                            std::chrono::duration_cast<Seconds>(options_.step_timeout).count(),
                            table(watch_->look(), 10)));
  }

  // Not what the controllers say, but what is there.
  Result<void> check_workload_cluster(const Promise& promise) {
    const auto client = stack_->control_planes().client(kCluster);
    if (!client) return fail(Code::NotFound, "the workload cluster has no API server");
    const auto nodes = TRY(kube::list<api::Node>(*client, {}, step()));
    std::int32_t ready = 0;
    for (const auto& node : nodes.items) {
      const auto* condition = node.condition("Ready");
      const bool runs = condition != nullptr && condition->status == "True";
      ready += runs && node.status.node_info->kubelet_version == promise.version ? 1 : 0;
    }
    const auto vms = stack_->cloud().vms().size();
    const std::int32_t all = promise.machines + kControlPlanes;
    if (ready != promise.machines || std::cmp_not_equal(nodes.items.size(), all) ||
        std::cmp_not_equal(vms, all))
      return fail(Code::Internal, fmt::format("{} Nodes, {} of them ready on {}, and {} VMs, instead of {}",
                                              nodes.items.size(), ready, promise.version, vms, all));
    return {};
  }

  const Options& options_;
  const manager::Seams& seams_;
  const std::stop_token stop_;
  const Log log_;
  Screen screen_;
  std::unique_ptr<Stack> stack_;
  std::unique_ptr<FleetWatch> watch_;  // its streams end before the stack's clients
};

int run(const Options& options) {
  SystemClock clock;
  SystemThreads threads;
  SystemRandomness randomness;
  const program::Signals signals(threads);
  DescriptorSink sink(STDERR_FILENO);
  const Log log(sink, clock, {.levels = {.all = options.verbose ? Level::Info : Level::Error}});
  const manager::Seams seams{clock, threads, randomness};
  Demo demo(options, seams, signals.stop(), log);
  const auto played = demo.play();
  if (played) return 0;
  std::cerr << "capstan-dev demo: " << played.error().describe() << "\n";
  return 1;
}

}  // namespace

int demo_command(std::span<const char* const> words) {
  Options options;
  Flags flags;
  flags.add("demo", options, kFlags);
  const auto arguments = flags.parse(words);
  if (!arguments) {
    std::cerr << "capstan-dev demo: " << arguments.error().message << "\n";
    return 2;
  }
  if (arguments->help) {
    std::cout << flags.help(kUsage);
    return 0;
  }
  if (!arguments->completion.empty()) {
    std::cout << flags.completion("capstan-dev demo");
    return 0;
  }
  return run(options);
}

}  // namespace capstan::dev
