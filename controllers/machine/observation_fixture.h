// Observations for tests of decisions and reports: `seen_of(a_machine())` is a Machine of a Cluster that runs
// and can be reached, with both provider objects there, owned and silent.
#pragma once

#include <boost/json.hpp>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "controllers/machine/decide.h"
#include "controllers/machine/report.h"
#include "test/builders/cluster.h"
#include "test/builders/machine.h"

namespace capstan::controllers::machine {

namespace json = boost::json;
using builders::a_cluster;
using builders::a_machine;
using builders::noon;
using builders::uid_of;

constexpr Time kNow = noon() + Seconds(3600);

// A provider's object of that kind as the cache has it, controlled by `machine`.
ExternalSeen object_of(std::string_view kind, const api::Machine& machine, json::object spec = {},
                       json::object status = {});

// The same object, changed.
template <typename Fn>
ExternalSeen changed(ExternalSeen external, Fn&& change) {
  auto object = *external.object;
  std::forward<Fn>(change)(object);
  external.object = std::make_shared<const api::contract::ContractObject>(std::move(object));
  return external;
}

ExternalSeen in_state(ExternalSeen::State state, std::string problem = {});

void bootstrap_says(Observation& seen, json::object status);
void infra_says(Observation& seen, json::object spec, json::object status);
void bootstrap_done(Observation& seen);
void infra_done(Observation& seen);
void on_node(Observation& seen, api::Node node);

Observation seen_of(api::Machine machine, api::Cluster cluster = a_cluster().running().build());

// Decided, nothing went wrong, reported.
Report reported(const Observation& seen);

}  // namespace capstan::controllers::machine
