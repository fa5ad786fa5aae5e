// What the agents of one NodeConfig may do in a workload cluster: read its Secret and no other, by a Role,
// and ask for their next certificate, by the ClusterRole that every Kubernetes has for that. Bound to the
// group that their certificates name as organization. Pure.
#pragma once

#include <boost/json.hpp>
#include <string>
#include <vector>

#include "api/meta/object_key.h"
#include "kube/resource.h"

namespace capstan::bootstrap::nodeconfig {

// One object that gives a right: the whole of it, ready to be created.
struct Right {
  api::ObjectKey node_config = {};
  kube::Resource resource = {};
  api::ObjectKey key = {};
  boost::json::object object = {};
};
// The Role, its RoleBinding, and the ClusterRoleBinding; always as many, in this order.
std::vector<Right> rights_of(const api::ObjectKey& node_config);

enum class RightState {
  Missing,
  Right,
  Altered,  // rules, subjects or labels are others
  Foreign,  // binds another role, which can't be changed: it is made anew
};
RightState state_of(const Right& wanted, const boost::json::value& present);
// The patch that puts it right.
boost::json::value repair_patch(const Right& wanted);

// The group of its agents.
std::string agent_group(const api::ObjectKey& node_config);

}  // namespace capstan::bootstrap::nodeconfig
