// One document per kind with every field of its schema in it, and an unknown field in every object that
// keeps such fields: what round trips, conversions and servers are tried with.
#pragma once

#include <string_view>

namespace capstan::builders {

std::string_view full_cluster();
std::string_view full_machine();
std::string_view full_machine_set();
std::string_view full_machine_deployment();
std::string_view full_machine_pool();
std::string_view full_machine_health_check();
std::string_view full_machine_drain_rule();

}  // namespace capstan::builders
