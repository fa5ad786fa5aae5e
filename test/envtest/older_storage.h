// What an earlier release of Cluster API has left behind: definitions whose objects are stored as v1beta1,
// and MachineSets of that version. For the suite and the figure of the migration. Pure functions.
#pragma once

#include <boost/json/fwd.hpp>
#include <string>

namespace capstan::envtest {

// Both versions served, the older one stored.
boost::json::value stored_as_v1beta1(boost::json::value crd);

struct Converter {
  std::string url = {};  // that of /convert
  std::string ca_pem = {};
};
// As config/crd has it, with a URL in the place of the Service.
boost::json::value converted_by(boost::json::value crd, const Converter& converter);

// Manifests of that many, "set-0" and so on in namespace default.
std::string machine_sets_of_v1beta1(int count);

}  // namespace capstan::envtest
