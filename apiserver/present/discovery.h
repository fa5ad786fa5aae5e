// Discovery: which groups, versions and resources there are, in the classic and in the aggregated form, and
// the server's version. The HTTP layer calls these. Made of what the Api serves now; nothing changes.
#pragma once

#include <boost/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/api.h"
#include "apiserver/present/subresource.h"

namespace capstan::apiserver {

namespace json = boost::json;

json::object api_versions();                                               // /api
json::object group_list(const Api& api);                                   // /apis
std::optional<json::object> group(const Api& api, std::string_view name);  // /apis/G
// /apis/G/V, and /api/v1 with an empty group; nothing when no kind is served there.
std::optional<json::object> resource_list(const Api& api, std::string_view group, std::string_view version);
// apidiscovery.k8s.io/v2 APIGroupDiscoveryList: the core group alone, or all others.
json::object aggregated(const Api& api, bool core);
json::object server_version();  // /version

// What discovery and OpenAPI walk: the served versions of each group, the preferred one first.
struct ServedGroup {
  std::string name = {};
  std::vector<std::string> versions = {};
  std::vector<TypePtr> types = {};  // by plural
};
std::vector<ServedGroup> served_groups(const Api& api);

// v2 before v1 before v1beta2 before v1beta1 before v1alpha1, then any other name by letters.
bool version_goes_before(std::string_view left, std::string_view right);

}  // namespace capstan::apiserver
