// The condition RemoteConnectionProbe: whether the workload cluster's API server answers, and since when not.
// A short silence is forgiven. Pure.
#pragma once

#include <optional>

#include "api/meta/condition.h"
#include "base/time.h"
#include "kubeconfig/reach.h"

namespace capstan::controllers::cluster {

// Upstream's default of --remote-connection-grace-period.
inline constexpr Seconds kConnectionGrace{50};
// A cluster that was never reached may take so long to come up before that is told as a failure: as long as
// five probes in a row can take.
inline constexpr Seconds kFirstContactGrace{75};

// Nothing: what the condition says already shall stay.
std::optional<api::Condition> probe_condition(const kubeconfig::Reach& reach, api::ConditionPlace before,
                                              Time now, Seconds grace = kConnectionGrace);
// In how long time alone will change that; nothing when it won't.
std::optional<Seconds> when_probe_turns(const kubeconfig::Reach& reach, Time now,
                                        Seconds grace = kConnectionGrace);

}  // namespace capstan::controllers::cluster
