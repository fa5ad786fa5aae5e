#include "controllers/drain/probes.h"

namespace capstan::controllers::drain {
namespace {

constexpr std::array kResults = {EvictionResult::Accepted, EvictionResult::RefusedByBudget,
                                 EvictionResult::Failed, EvictionResult::CrowdedOut};

}  // namespace

std::string_view to_string(EvictionResult result) {
  switch (result) {
    case EvictionResult::Accepted: return "accepted";
    case EvictionResult::RefusedByBudget: return "refused_by_budget";
    case EvictionResult::Failed: return "failed";
    case EvictionResult::CrowdedOut: return "crowded_out";
  }
  return {};
}

Probes::Probes(Metrics* metrics) {
  if (metrics == nullptr) return;
  evictions = {
      metrics->counters("capstan_drain_evictions_total",
                        "Evictions asked for by drains of Machines and MachinePools, by result", {"result"}),
      kResults};
}

}  // namespace capstan::controllers::drain
