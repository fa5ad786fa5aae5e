// That a user wants a Machine replaced now: an annotation of the Machine, or of its Node, where users can
// write who have no access to Machines. Pure.
#pragma once

#include <string>
#include <vector>

#include "api/core/node.h"
#include "api/v1beta2/machine.h"

namespace capstan::controllers::lifecycle {

struct ReplaceRequest {
  std::string by = {};                    // "annotation capstan.dev/replace of Node n1"; empty: there is none
  std::vector<std::string> ignored = {};  // annotations that mean nothing, each with what is meant
};
// Null: there is no such Node.
ReplaceRequest replace_request(const api::Machine& machine, const api::Node* node);
// Of a request that the policy of the Machine does not heed: that, and why. Empty: there is none.
std::string unheeded_request(const api::Machine& machine, const api::Node* node);

}  // namespace capstan::controllers::lifecycle
