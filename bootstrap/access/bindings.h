// What the holders of our bootstrap tokens may do in a workload cluster: three ClusterRoleBindings to roles
// that every Kubernetes has ("TLS bootstrapping" in its documentation). Made for the first CloudConfig of a
// Cluster that joins machines, removed after the last. Their labels say which Cluster that is, for another
// one may lead to the same workload cluster. Pure.
#pragma once

#include <boost/json/fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "kube/resource.h"

namespace capstan::bootstrap::access {

// The group may do what the ClusterRole says.
struct Binding {
  std::string_view name = {};
  std::string_view role = {};
  std::string_view group = {};
};
// A kubelet asks for its first certificate, is given it, and renews it later on.
std::span<const Binding> bindings();

const kube::Resource& cluster_role_bindings();
// The whole object, ready to be created.
boost::json::value binding_object(const Binding& binding, const kube::ObjectKey& cluster);
// The patch that puts labels and subjects right.
boost::json::value repair_patch(const Binding& binding, const kube::ObjectKey& cluster);
// Selects ours.
std::string our_bindings();

// Of a list, as the server gave it; null: none has that name.
const boost::json::value* find_binding(const boost::json::array& present, std::string_view name);
// The Cluster it was made for; nothing when its labels do not say.
std::optional<kube::ObjectKey> made_for(const boost::json::value& object);

enum class BindingState {
  Missing,
  Right,
  Altered,    // other labels or subjects
  Foreign,    // another role, which can't be changed: it is made anew
  OfAnother,  // made for another Cluster, which is still there
};
// How an object of that name compares with the one that is made for this Cluster.
BindingState state_of(const Binding& binding, const kube::ObjectKey& cluster,
                      const boost::json::value& object);

}  // namespace capstan::bootstrap::access
