// The objects that say how API servers reach the webhooks: which of their clientConfigs are ours, what these
// trust, and the patch that makes them trust something else. Pure.
#pragma once

#include <boost/json/fwd.hpp>
#include <string>
#include <vector>

#include "webhooks/certificates/observation.h"

namespace capstan::webhooks::certificates {

// Whose clientConfigs are ours: those that name the Service, and those with a URL of one of the hosts.
struct Reached {
  std::string namespace_ = {};  // of the Service
  std::vector<std::string> hosts = {};
};

// What the certificate has to be for, so that API servers believe it.
ServedNames served_names(const Reached& reached);

// The objects that a package of ours brings, to be read one by one.
struct TargetName {
  kube::Resource resource = {};
  kube::ObjectKey key = {};
};
std::vector<TargetName> target_names();

// Without bundles when nothing in it is ours.
Target read_target(const TargetName& name, const boost::json::value& document, const Reached& reached);

// The JSON patch, good for the version that was read: every bundle holds `pem`, and the annotation of
// cert-manager goes.
boost::json::value bundle_patch(const Target& target, const std::string& pem);

}  // namespace capstan::webhooks::certificates
