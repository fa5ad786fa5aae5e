// Which objects the holder of a Lease reconciles: the name of the Lease of a shard, the note that Capstan
// leaves on it, and whether a manager may act beside the holder of another Lease. Pure. Used by
// runtime/leader.h (the note), runtime/lease_neighbour.h and the programs' wiring.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "api/core/lease.h"
#include "base/result.h"

namespace capstan::runtime {

// Empty: all of them.
struct ElectionScope {
  std::string namespace_ = {};
  std::string watch_filter = {};
  bool operator==(const ElectionScope&) const = default;
};

// "namespace team-a, watch filter blue", or "all objects".
std::string describe(const ElectionScope& scope);
// Is there an object that both reconcile?
bool overlap(const ElectionScope& a, const ElectionScope& b);

// `base` without a filter, `base`-FILTER with one. A filter that would make no name of a Kubernetes object is
// lower-cased, what does not fit is replaced, and a hash of the original keeps different filters apart.
std::string lease_name(std::string_view base, std::string_view watch_filter);

// The value of the annotation capstan.dev/election-scope. It names the holder it speaks of, because client
// libraries keep annotations of a Lease that they take over.
std::string scope_note(const ElectionScope& scope, std::string_view holder, std::string_view version);
// What the present holder has noted; nothing where it noted nothing, as upstream's manager.
std::optional<ElectionScope> noted_scope(const api::Lease& lease);
// The version that the present holder has noted; empty where it noted none.
std::string noted_version(const api::Lease& lease);
// What a standby of version `ours` logs of the present holder.
std::string_view why_waiting(const api::Lease& lease, std::string_view ours);

struct NeighbourRules {
  ElectionScope own = {};
  bool beside_upstream = false;  // --beside-upstream
};
// May we act while `lease`, another one than ours, is as it is? The error names Lease, holder and remedy.
Result<void> may_act_beside(const NeighbourRules& rules, const api::Lease& lease);

}  // namespace capstan::runtime
