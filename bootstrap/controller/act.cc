#include "bootstrap/controller/act.h"

#include <boost/json.hpp>

#include "bootstrap/data_secret.h"
#include "kube/resources.h"

namespace capstan::bootstrap::controller {
namespace {

Effects perform(const ActContext& with, const CreateSecret& action) {
  kube::Client& client = with.deps.client;
  const auto& secrets = kube::resources::secrets();
  const auto object = secret_object(
      {.key = action.key, .cluster = action.cluster, .owner = action.owner, .value = action.value});
  const auto created = client.create(secrets, action.key, object, {}, with.context.deadline);
  if (created) return {.secret_name = action.key.name};
  if (created.error().code != Code::AlreadyExists) return {.error = created.error()};
  const auto present = client.get(secrets, action.key, with.context.deadline);
  if (!present) return {.error = present.error()};
  if (belongs_to(*present, action.owner)) return {.secret_name = action.key.name};
  return {.taken = "Secret " + action.key.describe() +
                   " exists and belongs to somebody else; delete it or rename the " + action.for_kind};
}

Effects perform(const ActContext&, const RestoreStatus& action) {
  return {.secret_name = action.secret_name};
}

}  // namespace

// A plan has one action at most.
Effects act(const ActContext& with, const Plan& plan) {
  if (plan.actions.empty()) return {};
  return std::visit([&](const auto& action) { return perform(with, action); }, plan.actions.front());
}

}  // namespace capstan::bootstrap::controller
