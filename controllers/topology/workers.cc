#include "controllers/topology/workers.h"

#include <fmt/format.h>

#include "base/hash.h"

namespace capstan::controllers::topology {
namespace {

// Order counts; so do absent values.
class Digest {
 public:
  void add(std::string_view text) { state_ = hash_combine(state_, hash_bytes(text)); }
  void add(std::int64_t number) { state_ = hash_combine(state_, static_cast<std::uint64_t>(number)); }
  void add(const std::optional<std::int32_t>& count) { add(std::int64_t{count.value_or(-1)}); }
  std::string text() const { return fmt::format("{:016x}", state_); }

 private:
  std::uint64_t state_ = 0;
};

// Both kinds have the same counters. Messages and times of conditions are read by people only.
template <typename T>
void add_group(Digest& digest, const T& group) {
  digest.add(group.metadata.name.view());
  digest.add(group.metadata.uid.str());
  digest.add(group.metadata.generation);
  digest.add(std::int64_t{group.metadata.deleting()});
  const auto& status = group.status;
  for (const auto& count :
       {status.replicas, status.ready_replicas, status.available_replicas, status.up_to_date_replicas})
    digest.add(count);
  for (const auto& version : status.versions) {
    digest.add(version.version.view());
    digest.add(version.replicas);
  }
  for (const auto& condition : status.conditions) {
    digest.add(condition.type.view());
    digest.add(condition.status.view());
  }
}

}  // namespace

std::string digest(const Workers& workers) {
  Digest digest;
  for (const auto& deployment : workers.deployments) add_group(digest, *deployment);
  digest.add("pools");
  for (const auto& pool : workers.pools) {
    add_group(digest, *pool);
    for (const auto& node : pool->status.node_refs) digest.add(node.name.view());
  }
  return digest.text();
}

std::optional<std::string> next_digest(const api::Cluster& cluster, const Workers& workers) {
  const Text* noted = cluster.metadata.annotations.find(kWorkers);
  if (noted == nullptr && workers.none()) return std::nullopt;
  auto now = digest(workers);
  if (noted != nullptr && *noted == now) return std::nullopt;
  return now;
}

}  // namespace capstan::controllers::topology
