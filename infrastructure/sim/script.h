// What a simulated cloud is like and what goes wrong in it, from a file (`--faults FILE`). The same seed and
// the same file give the same faults for the same VMs, whatever the threads do: chance is a function of seed,
// rule, VM and attempt. Values; pure functions.
//
//   seed: 7
//   latency: {create: 2s, remove: 1s, status: 50ms, list: 200ms, jitterPercent: 20}
//   quota: {vms: 100, classes: {m5.large: 10}}
//   boot: {register: 20s, ready: 5s, jitterPercent: 50}   # of register, per VM
//   heartbeat: {lease: 10s, status: 5m, grace: 40s}   # after that silence a Node is given up
//   listLag: 3s
//   faults:
//   - verb: create
//     code: ResourceExhausted
//     vms: "md-0-*"          # glob on the VM's name; "*" when left out
//     percent: 30            # 100 when left out
//     skip: 1                # attempts of each VM that go well first
//     times: 2               # hits per VM; no limit when left out
//     total: 10              # hits altogether; no limit when left out
//     effect: Happened       # the cloud does it all the same, only the answer is lost
//     after: 10m             # begins so long after the start; at once when left out
//     for: 5m                # and is over then; lasts when left out
//   - verb: list
//     missing: 50            # so many percent of the VMs are left out, and the call succeeds
//   - verb: list
//     late: 60s              # the list is so old
//   - vanish: 2m             # VMs go away by themselves so long after their creation
//     percent: 5
//   - account: other         # all credentials lead to that account; # in it: the number of the question
//   - domain: a              # VMs of that failure domain vanish, and none can be made there
//     returns: true          # they only fall silent, and are heard again when it is over
//   - join: Never            # VMs run, but no Node comes of them
//   - api: demo              # API servers of workload Clusters of that name (a glob) are away
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/instant.h"
#include "base/result.h"
#include "infrastructure/codes.h"

namespace capstan::infrastructure::sim {

enum class SimVerb { Create, Initialize, Remove, Status, List, Tag, VolumeIds, Identity };

struct Latency {
  Nanoseconds create = std::chrono::milliseconds(200);
  Nanoseconds remove = std::chrono::milliseconds(200);
  Nanoseconds status = std::chrono::milliseconds(10);
  Nanoseconds list = std::chrono::milliseconds(50);
  std::int32_t jitter_percent = 0;
  bool operator==(const Latency&) const = default;
};

struct Quota {
  std::optional<std::int64_t> vms = {};
  std::map<std::string, std::int64_t, std::less<>> classes = {};
  bool operator==(const Quota&) const = default;
};

struct FaultRule {
  std::optional<SimVerb> verb = {};        // one of these: a verb that fails,
  std::optional<Nanoseconds> vanish = {};  // VMs that go away so long after their creation,
  std::string account = {};                // credentials that lead there,
  std::string domain = {};                 // a failure domain that dies,
  bool never_joins = false;                // VMs of which no Node comes,
  std::string api = {};                    // API servers of workload Clusters that are away
  bool returns = false;                    // VMs of the failure domain do
  std::int32_t missing_percent = 0;        // of a list, instead of an error
  Nanoseconds late = {};                   // and that
  Nanoseconds after = {};
  std::optional<Nanoseconds> lasts = {};
  DriverCode code = DriverCode::Unknown;
  std::string message = {};
  std::string vms = "*";
  std::int32_t percent = 100;
  std::int64_t skip = 0;
  std::optional<std::int64_t> times = {};
  std::optional<std::int64_t> total = {};
  bool happened = false;
  std::int64_t again = 0;  // the same once more: another number makes it another rule
  bool operator==(const FaultRule&) const = default;
};

struct Script {
  std::uint64_t seed = 1;
  Latency latency = {};
  Quota quota = {};
  Nanoseconds register_after = std::chrono::seconds(2);  // from the VM's creation to its Node
  std::int32_t boot_jitter_percent = 0;                  // up to so much longer, by seed and VM
  Nanoseconds ready_after = {};                          // from the Node to its Ready; zero: born Ready
  Nanoseconds lease_every = std::chrono::seconds(10);    // zero: no Leases
  Nanoseconds status_every = std::chrono::minutes(5);    // zero: never
  Nanoseconds silence_grace = std::chrono::seconds(40);  // then a Node is given up
  Nanoseconds list_lag = {};
  std::vector<FaultRule> faults = {};
  bool operator==(const Script&) const = default;
};

// YAML or JSON. Invalid names the line when the text is no YAML, otherwise the field: "faults[1].code: no
// code is called Exausted".
Result<Script> parse_script(std::string_view text);

bool matches_glob(std::string_view pattern, std::string_view name);  // '*' and '?'

}  // namespace capstan::infrastructure::sim
