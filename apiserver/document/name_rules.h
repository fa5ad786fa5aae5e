// What names, label keys and label values may look like. Each answers the complaints, in Kubernetes' words;
// none when the text is fine. Pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace capstan::apiserver {

using Complaints = std::vector<std::string>;

Complaints dns_label_complaints(std::string_view text);
Complaints dns_subdomain_complaints(std::string_view text);
Complaints qualified_name_complaints(std::string_view text);  // label keys, annotation keys, finalizers
Complaints label_value_complaints(std::string_view text);
// Names of RBAC objects: anything that can stand in a path.
Complaints path_segment_complaints(std::string_view text);

}  // namespace capstan::apiserver
