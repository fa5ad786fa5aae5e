// What drivers left with their last answers about instances that are being made or removed:
// status.lastKnownStates of a group that keeps its VMs itself, by instance key. A value of one turn. Made and
// changed by work.h.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>

#include "api/driver/driver_machine_pool.h"
#include "infrastructure/codes.h"

namespace capstan::infrastructure::pool {

// 4 KB each: an object of the API server has room for no thousand of them.
inline constexpr std::size_t kMostDriverStates = 64;

class DriverStates {
 public:
  DriverStates() = default;
  explicit DriverStates(const api::DriverMachinePoolStatus& status);

  std::string of(std::string_view instance_key) const;  // empty: none
  // After a call that failed; one more than there is room for is left out.
  void keep(const std::string& instance_key, const DriverError& error);
  void forget(const std::string& instance_key) { states_.erase(instance_key); }
  // Of instances that are neither made nor removed any more.
  void forget_but(const std::set<std::string>& instance_keys);

  api::List<api::DriverInstanceState> as_status() const;

 private:
  std::map<std::string, std::string, std::less<>> states_ = {};
};

}  // namespace capstan::infrastructure::pool
