#include "bootstrap/access/act.h"

#include <boost/json.hpp>
#include <variant>

#include "base/try.h"
#include "bootstrap/token.h"
#include "kube/resources.h"

namespace capstan::bootstrap::access {
namespace {

kube::ObjectKey key_of(std::string_view binding) { return {.name = std::string(binding)}; }

Result<void> remove(kube::Client& client, const kube::Resource& resource, const kube::ObjectKey& key,
                    const Deadline& deadline) {
  const auto removed = client.remove(resource, key, {}, deadline);
  if (!removed && removed.error().code == Code::NotFound) return {};
  return removed;
}

// Writes to the workload cluster of one Cluster.
class Writes {
 public:
  Writes(kube::Client& client, const ObjectKey& cluster, const Deadline& deadline)
      : client_(client), cluster_(cluster), deadline_(deadline) {}

  Result<void> operator()(const CreateBinding& action);
  Result<void> operator()(const RepairBinding& action);
  Result<void> operator()(const RemoveBinding& action);
  Result<void> operator()(const RemoveOrphan& action);

 private:
  kube::Client& client_;
  const ObjectKey& cluster_;
  const Deadline& deadline_;
};

Result<void> Writes::operator()(const CreateBinding& action) {
  TRY(client_.create(cluster_role_bindings(), key_of(action.binding.name),
                     binding_object(action.binding, cluster_), {}, deadline_));
  return {};
}

Result<void> Writes::operator()(const RepairBinding& action) {
  TRY(client_.patch(cluster_role_bindings(), key_of(action.binding.name),
                    repair_patch(action.binding, cluster_), {}, deadline_));
  return {};
}

Result<void> Writes::operator()(const RemoveBinding& action) {
  return remove(client_, cluster_role_bindings(), key_of(action.name), deadline_);
}

Result<void> Writes::operator()(const RemoveOrphan& action) {
  return remove(client_, kube::resources::secrets(), key_of_token(action.token_id), deadline_);
}

}  // namespace

Result<void> act(const TurnContext& with, const Observation& seen, const Plan& plan) {
  const auto client = TRY(with.deps.workloads.of(seen.cluster, with.context.deadline));
  Writes writes(*client, seen.cluster, with.context.deadline);
  for (const Action& action : plan.actions) TRY(std::visit(writes, action));
  return {};
}

}  // namespace capstan::bootstrap::access
