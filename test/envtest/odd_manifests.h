// Requests that an API server with Cluster API's webhooks should refuse, and odd ones that it may take: one
// or more for each rule of admission_rules.json and of the CRDs' schemas, then random combinations of the
// edits in webhook_edits.json, all by one seed. Pure functions.
#pragma once

#include <boost/json.hpp>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/randomness.h"

namespace capstan::envtest {

enum class Way { Create, Update, Status };
std::string_view to_string(Way way);

struct OddRequest {
  std::string rule = {};  // "VERSION", "Machine spec.taints[].key maxLength"
  std::string kind = {};
  Way way = Way::Create;
  boost::json::value body = {};  // the object; of the other ways what is merged into the stored one
};

// What requests are made of: test/envtest/manifests and upstream's CRDs, by kind.
struct OddSources {
  boost::json::value rules = {};  // admission_rules.json
  boost::json::value edits = {};  // webhook_edits.json: base and edits of each kind
  std::map<std::string, boost::json::value> crds = {};
};

// Each rule with each of its kinds and values.
std::vector<OddRequest> requests_of_rules(const OddSources& sources);
// Each keyword of each kind's schemas at least once, and `more` further places.
std::vector<OddRequest> requests_of_schemas(const OddSources& sources, std::size_t more, Randomness& chance);
// One to three edits each.
std::vector<OddRequest> random_requests(const OddSources& sources, std::size_t count, Randomness& chance);

}  // namespace capstan::envtest
