// The bootstrap data Secret as infrastructure providers read it, from any bootstrap provider: its keys, its
// type and its format ("Contract rules for BootstrapConfig" in the Cluster API book). Pure functions.
#pragma once

#include <boost/json/fwd.hpp>
#include <string>
#include <string_view>

#include "api/bootstrap/cloud_config.h"
#include "api/core/secret.h"
#include "api/meta/owner_reference.h"
#include "base/secret.h"
#include "kube/resource.h"

namespace capstan::bootstrap {

// What a machine leaves behind when its bootstrap data ran through: others wait for this file.
inline constexpr std::string_view kSuccessFile = "/run/cluster-api/bootstrap-success.complete";

struct DataSecret {
  kube::ObjectKey key = {};
  std::string cluster = {};
  api::OwnerReference owner = {};  // the bootstrap object, as controller
  Secret<std::string> value = {};
  std::string_view format = api::bootstrap_format::kCloudConfig;
  std::string token_id = {};  // of the bootstrap token in it; empty: none
};
// The whole object, ready to be created.
boost::json::value secret_object(const DataSecret& wanted);

// Other content for the Secret that is there; a conflict when it is not of that version any more.
boost::json::value renewal_patch(const DataSecret& wanted, std::string_view version);
// Of the token in it; empty: none.
std::string token_id_in(const boost::json::value& secret);

// Whether that Secret is the bootstrap object's: by kind and name, for uids change when objects move.
bool belongs_to(const boost::json::value& secret, const api::OwnerReference& owner);

}  // namespace capstan::bootstrap
