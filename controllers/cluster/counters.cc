#include "controllers/cluster/counters.h"

#include <map>

#include "api/conditions/conditions.h"
#include "api/contract/control_plane.h"
#include "api/names.h"
#include "api/v1beta2/version_order.h"

namespace capstan::controllers::cluster {
namespace {

namespace condition = api::condition;
using Count = std::optional<std::int32_t>;

constexpr std::size_t kMaxVersions = 32;

// Sums up; a number that no descendant reports stays absent.
class Sum {
 public:
  void add(Count& total, const Count& part) {
    if (part) total = total.value_or(0) + *part;
  }
  void add_version(const Text& version, std::int32_t replicas) {
    if (!version.empty() && replicas > 0) versions_[version] += replicas;
  }
  // Lowest first.
  api::List<api::VersionCount> versions() const;

  api::ReplicaCounts counts = {};

 private:
  std::map<Text, std::int32_t> versions_ = {};
};

bool is_older(const api::VersionCount& left, const api::VersionCount& right) {
  const auto a = Version::parse_tolerant(left.version);
  const auto b = Version::parse_tolerant(right.version);
  if (!a || !b) return !a && b;
  return api::compare_with_build(*a, *b) == api::VersionOrder::Older;
}

api::List<api::VersionCount> Sum::versions() const {
  std::vector<api::VersionCount> list;
  for (const auto& [version, replicas] : versions_)
    list.push_back({.version = version, .replicas = replicas});
  std::ranges::stable_sort(list, is_older);
  if (list.size() > kMaxVersions) list.resize(kMaxVersions);
  return api::List<api::VersionCount>(std::move(list));
}

void add_machine(const api::Machine& machine, Sum& sum) {
  const auto one_if = [&](std::string_view type) {
    return Count(api::conditions::is_true(machine.status.conditions, type) ? 1 : 0);
  };
  sum.add(sum.counts.desired_replicas, 1);
  sum.add(sum.counts.replicas, 1);
  sum.add(sum.counts.ready_replicas, one_if(condition::kReady));
  sum.add(sum.counts.available_replicas, one_if(condition::kAvailable));
  sum.add(sum.counts.up_to_date_replicas, one_if(condition::kUpToDate));
  const Text& runs = machine.status.node_info->kubelet_version;
  sum.add_version(runs.empty() ? machine.spec.version : runs, 1);
}

template <typename T>
void add_owned(const std::vector<Snapshot<T>>& objects, const api::Cluster& cluster, Sum& sum) {
  for (const auto& object : objects) {
    if (!is_owned(object->metadata, cluster)) continue;
    sum.add(sum.counts.desired_replicas, object->spec.replicas);
    sum.add(sum.counts.replicas, object->status.replicas);
    sum.add(sum.counts.ready_replicas, object->status.ready_replicas);
    sum.add(sum.counts.available_replicas, object->status.available_replicas);
    sum.add(sum.counts.up_to_date_replicas, object->status.up_to_date_replicas);
    for (const auto& each : object->status.versions) sum.add_version(each.version, each.replicas.value_or(0));
  }
}

// What belongs to others in the block stays.
void put(const Sum& sum, std::optional<api::ReplicaCounts>& into) {
  api::ReplicaCounts counts = sum.counts;
  counts.versions = sum.versions();
  if (into) {
    counts.upgrade_plan = into->upgrade_plan;
    counts.unknown = into->unknown;
  }
  into = std::move(counts);
}

void take(Count& into, const Result<Count>& reported) {
  if (reported && *reported) into = *reported;
}

void copy_control_plane(const Referred& referred, api::ReplicaCounts& counts) {
  const api::contract::Foreign object(*referred.object);
  const api::contract::ControlPlane view(object, referred.contract);
  take(counts.desired_replicas, view.desired_replicas());
  take(counts.replicas, view.replicas());
  take(counts.ready_replicas, view.ready_replicas());
  take(counts.available_replicas, view.available_replicas());
  take(counts.up_to_date_replicas, view.up_to_date_replicas());
  if (auto versions = view.versions()) counts.versions = api::List<api::VersionCount>(std::move(*versions));
}

void count_control_plane(const Observation& seen, api::Cluster& after) {
  auto& into = after.status.control_plane;
  if (!seen.control_plane.wanted) {
    Sum sum;
    for (const auto& machine : seen.descendants.control_plane_machines) add_machine(*machine, sum);
    return put(sum, into);
  }
  if (seen.control_plane.object) {
    if (!into) into.emplace();
    return copy_control_plane(seen.control_plane, *into);
  }
  if (seen.control_plane.problem.empty() || !into) put({}, into);
}

void count_workers(const Observation& seen, api::Cluster& after) {
  Sum sum;
  add_owned(seen.descendants.pools, *seen.cluster, sum);
  add_owned(seen.descendants.deployments, *seen.cluster, sum);
  add_owned(seen.descendants.sets, *seen.cluster, sum);
  for (const auto& machine : seen.descendants.worker_machines) {
    if (is_owned(machine->metadata, *seen.cluster) && !is_pool_machine(*machine)) add_machine(*machine, sum);
  }
  put(sum, after.status.workers);
}

}  // namespace

void count_replicas(const Observation& seen, api::Cluster& after) {
  count_control_plane(seen, after);
  count_workers(seen, after);
}

}  // namespace capstan::controllers::cluster
