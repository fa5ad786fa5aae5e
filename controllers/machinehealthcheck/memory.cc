#include "controllers/machinehealthcheck/memory.h"

#include <utility>

namespace capstan::controllers::machinehealthcheck {

void Memory::remember(const kube::ObjectKey& check, Machines unmarked) {
  unmarked_.with([&](auto& checks) {
    if (unmarked.empty()) {
      checks.erase(check);
    } else {
      checks[check] = std::move(unmarked);
    }
  });
}

Memory::Machines Memory::unmarked_of(const kube::ObjectKey& check) const {
  return unmarked_.with([&](const auto& checks) {
    const auto found = checks.find(check);
    return found == checks.end() ? Machines() : found->second;
  });
}

}  // namespace capstan::controllers::machinehealthcheck
