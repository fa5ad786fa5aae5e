#include "bootstrap/controller/act.h"

#include <boost/json.hpp>

#include "base/try.h"
#include "bootstrap/controller/stage.h"
#include "bootstrap/data_secret.h"
#include "kube/resources.h"
#include "kube/typed.h"
#include "runtime/finalizers.h"

namespace capstan::bootstrap::controller {
namespace {

namespace json = boost::json;

// One turn's writes, and what they have come to.
class Acts {
 public:
  Acts(const ActContext& with, const Observation& seen) : with_(with), seen_(seen) {}

  Result<void> operator()(const CreateToken& action);
  Result<void> operator()(const ExtendToken& action);
  Result<void> operator()(const RemoveToken& action);
  Result<void> operator()(const CreateSecret& action);
  Result<void> operator()(const RenewSecret& action);
  Result<void> operator()(const RestoreStatus& action);
  Result<void> operator()(const NoteRemoval&);
  Result<void> operator()(const Release&);

  Effects effects = {};

 private:
  Result<void> remove_token(const RemoveToken& action);
  Result<void> take_present(const CreateSecret& action);
  const Deadline& deadline() const { return with_.context.deadline; }

  const ActContext& with_;
  const Observation& seen_;
};

Result<void> Acts::operator()(const CreateToken& action) {
  const auto client = TRY(with_.deps.workloads.of(action.cluster, deadline()));
  TRY(client->create(kube::resources::secrets(), key_of_token(action.token.id),
                     token_secret(action.token, action.owner), {}, deadline()));
  effects.token = api::bootstrap_token::kIssued;
  return {};
}

Result<void> Acts::operator()(const ExtendToken& action) {
  const auto client = TRY(with_.deps.workloads.of(action.cluster, deadline()));
  TRY(client->patch(kube::resources::secrets(), key_of_token(action.id), expiry_patch(action.expires), {},
                    deadline()));
  return {};
}

Result<void> Acts::operator()(const RemoveToken& action) {
  const auto removed = remove_token(action);
  return action.may_fail ? Result<void>() : removed;
}

Result<void> Acts::remove_token(const RemoveToken& action) {
  const auto client = TRY(with_.deps.workloads.of(action.cluster, deadline()));
  const auto removed = client->remove(kube::resources::secrets(), key_of_token(action.id), {}, deadline());
  if (!removed && removed.error().code == Code::NotFound) return {};
  return removed;
}

DataSecret stored(const api::ObjectKey& key, const Rendered& content) {
  return {.key = key, .value = content.value, .format = content.format, .token_id = content.token_id};
}

Result<void> Acts::operator()(const CreateSecret& action) {
  DataSecret wanted = stored(action.key, action.content);
  wanted.cluster = action.cluster;
  wanted.owner = action.owner;
  const auto created =
      with_.deps.client.create(kube::resources::secrets(), action.key, secret_object(wanted), {}, deadline());
  if (!created && created.error().code == Code::AlreadyExists) return take_present(action);
  if (!created) return fail(created.error());
  effects.secret_name = action.key.name;
  return {};
}

Result<void> Acts::take_present(const CreateSecret& action) {
  const auto present = TRY(with_.deps.client.get(kube::resources::secrets(), action.key, deadline()));
  if (belongs_to(present, action.owner))
    effects.secret_name = action.key.name;
  else
    effects.taken = "Secret " + action.key.describe() +
                    " exists and belongs to somebody else; delete it or rename the " + action.for_kind;
  return {};
}

Result<void> Acts::operator()(const RenewSecret& action) {
  TRY(with_.deps.client.patch(kube::resources::secrets(), action.key,
                              renewal_patch(stored(action.key, action.content), action.version), {},
                              deadline()));
  return {};
}

Result<void> Acts::operator()(const RestoreStatus& action) {
  effects.secret_name = action.secret_name;
  return {};
}

Result<void> Acts::operator()(const NoteRemoval&) {
  effects.token = api::bootstrap_token::kRemoved;
  return {};
}

Result<void> Acts::operator()(const Release&) {
  effects.object_changed = true;
  return runtime::drop_finalizer(with_.deps.client, with_.consistency, with_.deps.caches.cloud_configs,
                                 *seen_.object, api::bootstrap::finalizer::kToken, deadline());
}

}  // namespace

Effects act(const ActContext& with, const Observation& seen, const Plan& plan) {
  Acts acts(with, seen);
  for (const Action& action : plan.actions) {
    const auto done = std::visit([&](const auto& each) { return acts(each); }, action);
    if (done) continue;
    acts.effects.error = done.error();
    break;
  }
  return acts.effects;
}

}  // namespace capstan::bootstrap::controller
