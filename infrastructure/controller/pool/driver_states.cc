#include "infrastructure/controller/pool/driver_states.h"

namespace capstan::infrastructure::pool {

DriverStates::DriverStates(const api::DriverMachinePoolStatus& status) {
  for (const auto& each : status.last_known_states)
    states_.emplace(each.instance_key.str(), each.last_known_state.str());
}

std::string DriverStates::of(std::string_view instance_key) const {
  const auto found = states_.find(instance_key);
  return found == states_.end() ? std::string() : found->second;
}

void DriverStates::keep(const std::string& instance_key, const DriverError& error) {
  std::string state = state_after(error, of(instance_key));
  if (state.empty()) return forget(instance_key);
  if (states_.size() < kMostDriverStates || states_.contains(instance_key))
    states_.insert_or_assign(instance_key, std::move(state));
}

void DriverStates::forget_but(const std::set<std::string>& instance_keys) {
  std::erase_if(states_, [&](const auto& each) { return !instance_keys.contains(each.first); });
}

api::List<api::DriverInstanceState> DriverStates::as_status() const {
  api::List<api::DriverInstanceState> status;
  for (const auto& [key, state] : states_)
    status.push_back({.instance_key = Text(key), .last_known_state = FreeText(state)});
  return status;
}

}  // namespace capstan::infrastructure::pool
