// Objects that break one rule of a CustomResourceDefinition's schema each, for every rule below its spec or
// its status: what an API server has to refuse. Pure functions.
#pragma once

#include <boost/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace capstan::envtest {

struct SchemaFault {
  std::string path = {};          // "spec.taints[].key"
  std::string keyword = {};       // of the schema: "maxLength"; "duplicate" of two list items with one key
  boost::json::value patch = {};  // merged into a good object it breaks this rule
};

// Of `part`, "spec" or "status", in that version. What is deeper than lists are long is left out: lists of
// more than 150 items, and fields whose schema takes anything.
std::vector<SchemaFault> schema_faults(const boost::json::value& crd, std::string_view version,
                                       std::string_view part);

// As kubectl patch --type=merge does it.
boost::json::value merged(boost::json::value target, const boost::json::value& patch);

}  // namespace capstan::envtest
