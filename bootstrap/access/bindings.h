// What the holders of our bootstrap tokens may do in a workload cluster: three ClusterRoleBindings to roles
// that every Kubernetes has ("TLS bootstrapping" in its documentation). Made for the first CloudConfig of a
// Cluster that joins machines, removed after the last. Pure.
#pragma once

#include <boost/json/fwd.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

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
boost::json::value binding_object(const Binding& binding);
// Selects ours.
std::string our_bindings();

enum class BindingState {
  Missing,
  Right,
  Altered,  // other subjects, or none
  Foreign,  // another role, which can't be changed: it is made anew
};
// `present`: objects of the list, as the server gave it.
BindingState state_of(const Binding& binding, const boost::json::array& present);

}  // namespace capstan::bootstrap::access
