// Observations for tests of decide and report, in words: a Cluster, its provider objects, what belongs to it.
#pragma once

#include <boost/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "controllers/cluster/decide.h"
#include "controllers/cluster/effects.h"
#include "controllers/cluster/report.h"
#include "test/builders/cluster.h"
#include "test/builders/machine.h"
#include "test/builders/machine_deployment.h"
#include "test/builders/machine_set.h"

namespace capstan::controllers::cluster {

namespace json = boost::json;

api::OwnerReference by_cluster();

class Seen {
 public:
  explicit Seen(const api::Cluster& cluster);

  // `body` is JSON with spec and status.
  Seen& infrastructure(std::string_view body, bool owned = true);
  Seen& control_plane(std::string_view body, bool owned = true);
  // A Cluster of that name owns the object that this one refers to as well.
  Seen& infrastructure_of(std::string_view other);
  Seen& control_plane_of(std::string_view other);
  // The API server was asked about a kind that no cache can show.
  Seen& infrastructure_without_labels(std::string_view problem, bool exists);
  Seen& old_contract();
  Seen& machine(const api::Machine& machine);
  Seen& set(const api::MachineSet& set);
  Seen& deployment(const api::MachineDeployment& deployment);
  Seen& pool(const api::MachinePool& pool);
  Seen& reach(kubeconfig::Reach reach);
  template <typename Fn>
  Seen& with(Fn&& change) {
    std::forward<Fn>(change)(seen_);
    return *this;
  }
  const Observation& operator*() const { return seen_; }

  // What the status becomes when every action succeeds.
  api::Cluster reported() const { return reported({}); }
  api::Cluster reported(Effects effects) const;

 private:
  Seen& put(Referred& referred, std::string_view body, bool owned);

  Observation seen_ = {};
};

}  // namespace capstan::controllers::cluster
