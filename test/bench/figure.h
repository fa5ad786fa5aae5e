// One figure of scripts/bench: a name, a limit, and how it is measured. Each is measured in a process of its
// own, so that one figure's memory and warm caches are not another's.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>

namespace capstan::bench {

enum class Bound { AtMost, AtLeast };

// Where the things to be measured are.
struct Place {
  std::string programs = {};  // folder of capstan, capstan-dev
  std::string crds = {};      // config/crd/bases
  std::string upstream = {};  // folder of upstream's core manager, `core`, and of its CRDs, `crds`
  bool realistic = false;     // comparisons with upstream: realistic_cloud.h, not one that answers at once
  int machines = 0;           // instead of a figure's own number, for a quick look; 0: its own
};

// Several figures of one run, by name.
using Values = std::map<std::string, double, std::less<>>;

struct Figure {
  std::string_view name = {};
  std::string_view unit = {};
  double limit = 0;
  Bound bound = Bound::AtMost;
  // Throws std::runtime_error when it can't be measured: then the figure does not hold.
  double (*measure)(const Place&) = nullptr;
  Values (*measure_all)(const Place&) = nullptr;  // instead: figures with the same one share its run
};

double cache_bytes_per_machine(const Place&);
double cache_list_peak_mb(const Place&);
double decode_ratio(const Place&);
double watch_idle_kb(const Place&);
double queue_keys_per_second(const Place&);
double manager_cold_start_ms(const Place&);
double manager_binary_mb(const Place&);
double apiserver_writes_ratio(const Place&);
double fleet_seeds_per_minute(const Place&);
double fleet_at_rest_in_virtual_time(const Place&);
double drain_evictions_per_pod(const Place&);
double convert_ratio(const Place&);
double migration_seconds_per_1000(const Place&);
double webhook_admission_p99_ms(const Place&);
double standby_first_write_s(const Place&);
double takeover_writes(const Place&);
double memory_beside_upstream(const Place&);
double agent_binary_mb(const Place&);
double agent_peak_rps(const Place&);
double driver_cpu_ratio(const Place&);
double driver_hang_ratio(const Place&);
Values fleet_machine_costs(const Place&);
Values fleet_roll_costs(const Place&);
Values times_added(const Place&);
Values costs_beside_upstream(const Place&);  // limits of clients lifted
Values costs_beside_upstream_as_shipped(const Place&);
Values fleet_cost_growth(const Place&);
Values fleet_at_rest(const Place&);
Values health_costs(const Place&);
Values pool_costs(const Place&);
Values fleet_grant_costs(const Place&);
Values webhook_costs_under_attack(const Place&);
Values image_costs(const Place&);
Values orphan_costs(const Place&);
Values policy_costs(const Place&);
Values brake_costs(const Place&);
Values bootstrap_costs(const Place&);
Values agent_costs(const Place&);
Values driver_call_costs(const Place&);

std::span<const Figure> figures();

}  // namespace capstan::bench
