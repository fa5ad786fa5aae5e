// The annotation of a DriverMachinePool that names the instances that go first when it shrinks. Pure.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "api/driver/driver_machine_pool.h"

namespace capstan::infrastructure::pool {

using Names = std::set<std::string, std::less<>>;

Names named_victims(const api::DriverMachinePool& pool);
// The annotation without those that are gone already.
std::string victims_left(std::string_view annotation, const std::vector<std::string>& gone);

}  // namespace capstan::infrastructure::pool
