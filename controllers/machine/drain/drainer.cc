#include "controllers/machine/drain/drainer.h"

namespace capstan::controllers::machine {

struct Drainer::Memory {};

Drainer::Drainer(DrainerDeps deps) : deps_(std::move(deps)) {}
Drainer::~Drainer() = default;

StageReport Drainer::turn(const DrainRequest&, const Deadline&) {
  return {.recheck = Seconds(20),
          .trouble = Error{.code = Code::Unavailable, .message = "drain is being built"}};
}

StageReport Drainer::check_volumes(const DrainRequest&, const Deadline&) {
  return {.recheck = Seconds(20),
          .trouble = Error{.code = Code::Unavailable, .message = "drain is being built"}};
}

void Drainer::forget(const kube::ObjectKey& machine) {
  drains_.with([&](auto& drains) { drains.erase(machine); });
}

std::size_t Drainer::size() const {
  return drains_.with([](const auto& drains) { return drains.size(); });
}

}  // namespace capstan::controllers::machine
