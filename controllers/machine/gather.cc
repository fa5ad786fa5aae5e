#include "controllers/machine/gather.h"

namespace capstan::controllers::machine {

std::optional<Nanoseconds> Gather::wait(const kube::ObjectKey& machine) {
  const SteadyTime now = clock_.steady_now();
  const SteadyTime since =
      since_.with([&](auto& all) { return all.try_emplace(machine, now).first->second; });
  const Nanoseconds left = since + span_ - now;
  if (left <= Nanoseconds::zero()) return std::nullopt;
  return left;
}

void Gather::over(const kube::ObjectKey& machine) {
  since_.with([&](auto& all) { all.erase(machine); });
}

}  // namespace capstan::controllers::machine
