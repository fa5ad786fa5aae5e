#include "test/simulation/fleet_apps.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <set>

#include "api/core/node.h"
#include "api/core/pod.h"
#include "api/schema/decode.h"
#include "kube/resources.h"
#include "test/fakes/memory_client.h"

namespace capstan::simulation {
namespace {

namespace json = boost::json;
using namespace std::chrono_literals;

constexpr std::string_view kApp = "app";
const Deadline kNever = Deadline::never();

template <typename T>
std::vector<T> all(const apiserver::Api& api, const kube::Resource& kind) {
  std::vector<T> found;
  for (const auto& object : api.stored_all(kind.group, kind.plural))
    found.push_back(api::from_json<T>(json::value(*object)).value());
  return found;
}

json::value pod_document(const std::string& name, const std::string& node) {
  return {{"apiVersion", "v1"},
          {"kind", "Pod"},
          {"metadata", {{"name", name}, {"namespace", "default"}, {"labels", {{"app", kApp}}}}},
          {"spec",
           {{"nodeName", node},
            {"terminationGracePeriodSeconds", 30},
            {"containers", json::array{{{"name", "c"}, {"image", "i"}}}}}}};
}

json::value budget_document(int needed) {
  const auto& kind = kube::resources::pod_disruption_budgets();
  return {{"apiVersion", kind.api_version()},
          {"kind", kind.kind},
          {"metadata", {{"name", kApp}, {"namespace", "default"}}},
          {"spec", {{"minAvailable", needed}, {"selector", {{"matchLabels", {{"app", kApp}}}}}}}};
}

// What one step sees and does, all at once.
class Hands {
 public:
  Hands(const FleetApps::Deps& deps, apiserver::Api& api)
      : deps_(deps), api_(api), client_(api, threads_, {.user = "apps", .user_agent = "apps/1"}) {
    for (const auto& node : all<api::Node>(api, kube::resources::nodes())) {
      nodes_.insert(node.metadata.name.str());
      const bool ready = std::ranges::any_of(node.status.conditions, [](const api::NodeCondition& each) {
        return each.type == "Ready" && each.status == "True";
      });
      if (ready && !node.spec.unschedulable) open_.push_back(node.metadata.name.str());
    }
  }

  void keep_budget(int needed) {
    const auto& kind = kube::resources::pod_disruption_budgets();
    const kube::ObjectKey key{"default", std::string(kApp)};
    const auto stored = api_.stored(kind.group, kind.plural, key.namespace_, key.name);
    if (stored == nullptr)
      return expect(client_.create(kind, key, budget_document(needed), {}, kNever), "budget");
    if (stored->at("spec").at("minAvailable") == json::value(needed)) return;
    expect(client_.patch(kind, key, {{"spec", {{"minAvailable", needed}}}}, {}, kNever), "budget");
    deps_.tell(fmt::format("apps: the budget wants {} Pods", needed));
  }

  // Late now and then. How many stay.
  int tend(const std::vector<PodFacts>& pods, bool& settled) {
    int staying = 0;
    for (const PodFacts& pod : pods) {
      const bool late = deps_.baton.draw(3) == 0;
      if (!nodes_.contains(pod.node) || (pod.going && !late)) {
        settled = false;
        end(pod);
        continue;
      }
      staying += pod.going ? 0 : 1;
      settled = settled && pod.healthy();
      if (!pod.going && !pod.ready && !late) ready(pod.name);
    }
    return staying;
  }

  bool can_add() const { return !open_.empty(); }
  void add(const std::string& name) {
    const std::string& node = open_[deps_.baton.draw(open_.size())];
    expect(client_.create(kube::resources::pods(), {"default", name}, pod_document(name, node), {}, kNever),
           "pod");
    deps_.tell(fmt::format("apps: {} runs on {}", name, node));
  }

  void count_budgets() {
    while (api_.run_controllers()) {
    }
  }

 private:
  void ready(const std::string& pod) {
    const json::value status = {{"phase", "Running"},
                                {"conditions", json::array{{{"type", "Ready"}, {"status", "True"}}}}};
    expect(client_.patch(kube::resources::pods(), {"default", pod}, {{"status", status}},
                         {.subresource = "status"}, kNever),
           "ready");
  }
  void end(const PodFacts& pod) {
    expect(
        client_.remove(kube::resources::pods(), {"default", pod.name}, {.grace_period_seconds = 0}, kNever),
        "end");
    deps_.tell(fmt::format("apps: {} has ended on {}", pod.name, pod.node));
  }
  template <typename Answer>
  void expect(const Result<Answer>& answer, std::string_view what) {
    if (!answer) deps_.broke(fmt::format("apps: {}: {}", what, answer.error().describe()));
  }

  const FleetApps::Deps& deps_;
  apiserver::Api& api_;
  SystemThreads threads_;  // no verb of its is a switch point
  fakes::MemoryClient client_;
  std::set<std::string> nodes_;
  std::vector<std::string> open_;
};

}  // namespace

std::vector<PodFacts> pods_of(const apiserver::Api& workload) {
  std::vector<PodFacts> facts;
  for (const auto& pod : all<api::Pod>(workload, kube::resources::pods())) {
    facts.push_back({.name = pod.metadata.name.str(),
                     .node = pod.spec.node_name.str(),
                     .going = pod.metadata.deleting(),
                     .ready = pod.ready()});
  }
  return facts;
}

FleetApps::FleetApps(Deps deps) : deps_(std::move(deps)) {
  wanted_ = 2 + static_cast<int>(deps_.baton.draw(3));
  needed_ = wanted_ - 1;
  says_ = needed_;
}

void FleetApps::run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    const auto pause = settled_ ? 15'000 : 200 + deps_.baton.draw(3000);
    deps_.baton.pause(Deadline::in(deps_.baton, Nanoseconds(1ms) * static_cast<std::int64_t>(pause), stop));
    if (apiserver::Api* const api = deps_.workload()) step(*api);
  }
}

void FleetApps::step(apiserver::Api& api) {
  settled_ = true;
  Hands hands(deps_, api);
  says_ = deps_.baton.steady_now() < closed_until_ ? wanted_ : needed_;
  hands.keep_budget(says_);
  for (int there = hands.tend(pods_of(api), settled_); there < wanted_ && hands.can_add(); ++there) {
    settled_ = false;
    hands.add(fmt::format("{}-{}", kApp, ++made_));
  }
  hands.count_budgets();
  deps_.stepped();
}

}  // namespace capstan::simulation
