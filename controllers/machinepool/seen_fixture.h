// a_pool_world(): an Observation in words, for tests of decide, report and the end of a pool.
#pragma once

#include <boost/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "controllers/machinepool/decide.h"
#include "controllers/machinepool/plan_fixture.h"
#include "controllers/machinepool/report.h"
#include "test/builders/cluster.h"
#include "test/builders/machine.h"
#include "test/builders/node.h"

namespace capstan::controllers::machinepool {

namespace json = boost::json;

inline constexpr std::string_view kPool = "mp1";
inline const kube::Resource kBoxPools{.group = "infrastructure.cluster.x-k8s.io",
                                      .version = "v1beta2",
                                      .plural = "boxpools",
                                      .kind = "BoxPool"};
inline const kube::Resource kBoxes{
    .group = "infrastructure.cluster.x-k8s.io", .version = "v1beta2", .plural = "boxes", .kind = "Box"};
inline const kube::Resource kConfigs{
    .group = "bootstrap.cluster.x-k8s.io", .version = "v1beta2", .plural = "recipes", .kind = "Recipe"};

// Pool mp1 of cluster c1 that wants three instances of BoxPool mp1, with the data of Recipe mp1.
api::MachinePool a_pool(std::int32_t replicas = 3);
std::string id_of(std::string_view node);

// --- a plan in words ---

// Nodes of all actions of that type.
template <typename Wanted>
std::vector<std::string> nodes_of_all(const Plan& plan) {
  std::vector<std::string> names;
  for (const auto& action : actions_of<Wanted>(plan)) {
    for (const auto& node : action.nodes) names.push_back(node->metadata.name.str());
  }
  return names;
}
template <typename Wanted>
bool has(const Plan& plan) {
  return !actions_of<Wanted>(plan).empty();
}
std::optional<ProviderClaim> claim_of(const Plan& plan, Provider which);
// What is to be deleted of a provider, by kind.
std::vector<std::string> removed(const Plan& plan);
// A line per action, in order.
std::vector<std::string> in_words(const Plan& plan);

// --- what is seen ---

class Seen {
 public:
  Seen();

  api::MachinePool pool = a_pool();

  Seen& infra(json::object document);
  Seen& bootstrap(json::object document);
  // Ready, with these instances.
  Seen& instances(const std::vector<std::string>& nodes, std::optional<int> replicas = {});
  Seen& v1beta1_contract();
  Seen& knows(const std::vector<std::string>& nodes);
  Seen& referred(const std::vector<std::string>& nodes);
  Seen& with(const api::Node& node);
  Seen& without_node(std::string_view name);
  Seen& connected();
  Seen& with(const builders::MachineBuilder& machine);
  // The provider has an object for each instance.
  Seen& boxes(const std::vector<std::string>& names);
  template <typename Change>
  Seen& where(Change&& change) {
    std::forward<Change>(change)(seen_);
    return *this;
  }

  Observation seen() const;
  Plan plan() const { return decide(seen()); }
  api::MachinePool reported(Effects effects = {}) const;

 private:
  Observation seen_ = {};
};

inline Seen a_pool_world() { return Seen(); }

}  // namespace capstan::controllers::machinepool
