#include "cmd/dev/rollout_demo.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>

#include "api/core/node.h"
#include "base/try.h"
#include "cmd/dev/manifests.h"
#include "cmd/dev/sample.h"
#include "kube/typed.h"

namespace capstan::dev {
namespace {

namespace json = boost::json;

constexpr std::string_view kBefore = "v1.35.0";
constexpr std::string_view kAfter = "v1.36.0";
constexpr std::int32_t kControlPlanes = 1;  // of the sample; stays on its version

struct Promise {
  std::int32_t machines = 0;
  std::string version = {};
};

class RolloutDemo {
 public:
  explicit RolloutDemo(DemoStage& stage) : stage_(stage) {}

  Result<void> play() {
    stage_.say_step(
        fmt::format("1/3  one cluster: a control plane Machine and a MachineDeployment of 3 on {}", kBefore));
    for (const auto& manifest : sample({.machines = 3, .version = std::string(kBefore)}))
      TRY(apply_manifest(stage_.client(), manifest, stage_.step()));
    TRY(settle({.machines = 3, .version = std::string(kBefore)}));

    stage_.say_step("2/3  scale it to 5");
    TRY(change({{"spec", {{"replicas", 5}}}}));
    TRY(settle({.machines = 5, .version = std::string(kBefore)}));

    stage_.say_step(fmt::format("3/3  roll it to {}, one at a time", kAfter));
    TRY(change({{"spec", {{"template", {{"spec", {{"version", kAfter}}}}}}}}));
    TRY(settle({.machines = 5, .version = std::string(kAfter)}));
    TRY(check_workload_cluster({.machines = 5, .version = std::string(kAfter)}));
    stage_.say_step(fmt::format("done: 5 workers, each a Machine, a ready Node and a VM, all on {}", kAfter));
    return {};
  }

 private:
  Result<void> change(const json::value& patch) {
    const auto patched = stage_.client().patch(kube::resource_of(api::resource<api::MachineDeployment>),
                                               kDemoWorkers, patch, {}, stage_.step());
    if (!patched) return fail(patched.error().context("change the MachineDeployment"));
    return {};
  }

  static bool kept(const Fleet& fleet, const Promise& promise) {
    if (!fleet.settled() || fleet.groups.size() != 1) return false;
    const auto workers = [](const MachineRow& row) { return row.owner == kDemoWorkers.name; };
    const auto right = [&](const MachineRow& row) { return workers(row) && row.version == promise.version; };
    return std::ranges::count_if(fleet.machines, workers) == promise.machines &&
           std::ranges::count_if(fleet.machines, right) == promise.machines;
  }

  Result<void> settle(const Promise& promise) {
    return stage_.follow([&](const Fleet& fleet) { return kept(fleet, promise); },
                         fmt::format("{} Machines on {}", promise.machines, promise.version));
  }

  // Not what the controllers say, but what is there.
  Result<void> check_workload_cluster(const Promise& promise) {
    const auto client = TRY(stage_.workload_client());
    const auto nodes = TRY(kube::list<api::Node>(*client, {}, stage_.step()));
    std::int32_t ready = 0;
    for (const auto& node : nodes.items) {
      const auto* condition = node.condition("Ready");
      const bool runs = condition != nullptr && condition->status == "True";
      ready += runs && node.status.node_info->kubelet_version == promise.version ? 1 : 0;
    }
    const auto vms = stage_.stack().cloud().vms().size();
    const std::int32_t all = promise.machines + kControlPlanes;
    if (ready != promise.machines || std::cmp_not_equal(nodes.items.size(), all) ||
        std::cmp_not_equal(vms, all))
      return fail(Code::Internal, fmt::format("{} Nodes, {} of them ready on {}, and {} VMs, instead of {}",
                                              nodes.items.size(), ready, promise.version, vms, all));
    return {};
  }

  DemoStage& stage_;
};

}  // namespace

Result<void> play_rollout(DemoStage& stage) { return RolloutDemo(stage).play(); }

}  // namespace capstan::dev
