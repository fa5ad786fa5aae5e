// The fields of the built-in types, as text tables in the language of schema/declare.h; wire names and merge
// rules as the Kubernetes API reference states them. Read once, when the registry is built.
#pragma once

#include <string_view>

namespace capstan::apiserver {

std::string_view volume_tables();
std::string_view pod_tables();
std::string_view core_tables();
std::string_view workload_tables();
std::string_view access_tables();
std::string_view machinery_tables();

}  // namespace capstan::apiserver
