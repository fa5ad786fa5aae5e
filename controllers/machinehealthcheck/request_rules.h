// The rules of remediation requests: of which kind they are, when an object is the request of a Machine, and
// what one that is there means. Used by decide.h and remediation_requests.h. Pure.
#pragma once

#include <string>
#include <string_view>

#include "base/time.h"
#include "controllers/machinehealthcheck/observation.h"
#include "kube/resource.h"

namespace capstan::controllers::machinehealthcheck {

// Of a check with spec.remediation.templateRef: the kind of the template, and of the requests made from it.
kube::Resource template_kind(const api::MachineHealthCheck& check);
kube::Resource request_kind(const api::MachineHealthCheck& check);
// For conditions, while the template does not exist.
std::string missing_template(const api::MachineHealthCheck& check);

// Whether `object` is a request that a check made for `machine` from the template `template_name` of the kind
// `template_groupkind` ("Kind.group"). The Machine's own infrastructure, and what a Machine controls, is
// none.
bool is_request_for(const api::Machine& machine, const kube::Resource& kind, const api::ObjectMeta& object,
                    std::string_view template_groupkind, std::string_view template_name);
// The same for the template that the check names.
bool is_request_of(const api::MachineHealthCheck& check, const api::Machine& machine,
                   const api::ObjectMeta& object);

// When to look again for a request that is on its way out.
inline constexpr Seconds kUntilRequestGone{30};

enum class Presence {
  Leaving,  // on its way out, or of an earlier Machine of that name: another one is made once it is gone
  Unsaid,   // the check's own, and the Machine does not say so yet
  Said,     // nothing is to be said of it
};
Presence judge_request(const api::MachineHealthCheck& check, const api::Machine& machine,
                       const api::ObjectMeta& request);

}  // namespace capstan::controllers::machinehealthcheck
