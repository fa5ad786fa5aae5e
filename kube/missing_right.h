// Which right a refused request needs, as a rule that a role can take over. Pure.
#pragma once

#include <optional>
#include <string>

#include "kube/request_record.h"

namespace capstan::kube {

// {apiGroups: ["cluster.x-k8s.io"], resources: ["machines/status"], verbs: ["patch"]}; nothing when the
// request was not refused for want of a right: an admission webhook refuses with the same code.
std::optional<std::string> missing_rule(const RequestRecord& request);

}  // namespace capstan::kube
