#include "bootstrap/access/act.h"

#include <boost/json.hpp>

#include "base/try.h"
#include "bootstrap/token.h"
#include "kube/resources.h"

namespace capstan::bootstrap::access {
namespace {

namespace json = boost::json;

kube::ObjectKey key_of(std::string_view binding) { return {.name = std::string(binding)}; }

Result<void> remove(kube::Client& client, const kube::Resource& resource, const kube::ObjectKey& key,
                    const Deadline& deadline) {
  const auto removed = client.remove(resource, key, {}, deadline);
  if (!removed && removed.error().code == Code::NotFound) return {};
  return removed;
}

Result<void> perform(kube::Client& client, const CreateBinding& action, const Deadline& deadline) {
  TRY(client.create(cluster_role_bindings(), key_of(action.binding.name), binding_object(action.binding), {},
                    deadline));
  return {};
}

Result<void> perform(kube::Client& client, const RestoreSubjects& action, const Deadline& deadline) {
  const json::object patch = {{"subjects", binding_object(action.binding).at("subjects")}};
  TRY(client.patch(cluster_role_bindings(), key_of(action.binding.name), patch, {}, deadline));
  return {};
}

Result<void> perform(kube::Client& client, const RemoveBinding& action, const Deadline& deadline) {
  return remove(client, cluster_role_bindings(), key_of(action.name), deadline);
}

Result<void> perform(kube::Client& client, const RemoveOrphan& action, const Deadline& deadline) {
  return remove(client, kube::resources::secrets(), key_of_token(action.token_id), deadline);
}

}  // namespace

Result<void> act(const TurnContext& with, const Observation& seen, const Plan& plan) {
  const auto client = TRY(with.deps.workloads.of(seen.cluster, with.context.deadline));
  for (const Action& action : plan.actions)
    TRY(std::visit([&](const auto& each) { return perform(*client, each, with.context.deadline); }, action));
  return {};
}

}  // namespace capstan::bootstrap::access
