// Kind <-> path of a Kubernetes API server: where a collection and an object live, names checked against
// injection, the well-known kinds we talk to. RemoteClient, discovery and the embedded server use it. Pure
// functions.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "kube/resource.h"

namespace capstan::kube {

// "/apis/apps/v1/namespaces/default/deployments"; an empty namespace means all of them (or a cluster-scoped
// kind).
Result<std::string> collection_path(const Resource& resource, std::string_view namespace_);
// The same plus "/name" and, where given, "/subresource".
Result<std::string> object_path(const Resource& resource, const ObjectKey& key,
                                std::string_view subresource = {});
// "/api/v1" or "/apis/<group>/<version>": what discovery of a group version answers on.
std::string group_version_path(const Resource& resource);

// What Kubernetes calls a path segment name: not empty, not "." or "..", free of "/" and "%"; and free of
// anything that would have to be escaped in a URL.
bool is_path_segment(std::string_view name);

// How Kubernetes and Cluster API derive a CRD's plural from a kind: "DevMachine" -> "devmachines", "Proxy" ->
// "proxies".
std::string plural_of(std::string_view kind);
// "cluster.x-k8s.io/v1beta2", "Machine" -> the Resource; well-known kinds bring their own plural and scope.
Resource resource_for(std::string_view api_version, std::string_view kind, bool namespaced = true);
// The built-in kind of that group ("" is the core group), null when it is not one we know.
const Resource* well_known(std::string_view group, std::string_view kind);

struct GroupVersion {
  std::string group = {};
  std::string version = {};
  bool operator==(const GroupVersion&) const = default;
};
// "v1" -> {"", "v1"}; "apps/v1" -> {"apps", "v1"}.
GroupVersion group_version(std::string_view api_version);

// Well-known kinds, by the name of their kind.
namespace resources {
const Resource& namespaces();
const Resource& nodes();
const Resource& pods();
const Resource& secrets();
const Resource& events();
const Resource& leases();
const Resource& pod_disruption_budgets();
const Resource& custom_resource_definitions();
}  // namespace resources

}  // namespace capstan::kube
