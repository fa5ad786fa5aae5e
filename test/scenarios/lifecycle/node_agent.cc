#include "test/scenarios/lifecycle/node_agent.h"

#include <gtest/gtest.h>

#include <boost/json.hpp>

#include "api/core/node.h"
#include "api/policy/names.h"
#include "kube/resources.h"
#include "kube/typed.h"

namespace capstan::scenarios {
namespace {

namespace json = boost::json;
namespace label = api::policy::label;

void report_result(kube::Client& cluster, const api::Node& node, bool failed) {
  json::object metadata{{"labels", {{label::kUpdateResult, failed ? "failed" : "successful"}}}};
  if (failed)
    metadata["annotations"] = {{api::policy::annotation::kUpdateFailedReason, "kubelet does not start"}};
  const auto patched =
      cluster.patch(kube::resources::nodes(), {.namespace_ = {}, .name = node.metadata.name.str()},
                    {{"metadata", std::move(metadata)}}, {}, Deadline::never());
  ASSERT_TRUE(patched) << patched.error().describe();
}

}  // namespace

void NodeAgent::work(kube::Client& cluster, Time now, const std::map<std::string, int>& numbers) {
  const auto listed = kube::list<api::Node>(cluster, {}, Deadline::never());
  for (const auto& node : listed->items) {
    const auto ready = node.metadata.labels.value_or_empty(label::kReadyForUpdate);
    const auto known = numbers.find(node.metadata.name.str());
    if (ready.empty() || known == numbers.end() || node.metadata.labels.contains(label::kUpdateResult))
      continue;
    const auto key = node.metadata.name.str() + " " + std::string(ready);
    const Time since = began.try_emplace(key, now).first->second;
    if (silent.contains(known->second) || now - since < takes) continue;
    began.erase(key);
    report_result(cluster, node, fails.contains(known->second));
  }
}

}  // namespace capstan::scenarios
