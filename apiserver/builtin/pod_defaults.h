// Defaults of a pod spec that depend on other fields; shared by pods and the templates of workloads. Pure.
#pragma once

#include <boost/json/fwd.hpp>

namespace capstan::apiserver {

void fill_pod(boost::json::object& pod);
void fill_pod_spec(boost::json::object& spec);
// spec.template.spec of a workload.
void fill_template(boost::json::object& workload);

}  // namespace capstan::apiserver
