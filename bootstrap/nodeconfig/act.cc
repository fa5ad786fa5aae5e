#include "bootstrap/nodeconfig/act.h"

#include <boost/json.hpp>

#include "api/bootstrap/names.h"
#include "base/try.h"
#include "kube/resources.h"
#include "runtime/finalizers.h"

namespace capstan::bootstrap::nodeconfig {
namespace {

// One turn's writes.
class Writes {
 public:
  Writes(const ActContext& with, const Observation& seen) : with_(with), seen_(seen) {}

  Result<void> operator()(const PutFinalizer&);
  Result<void> operator()(const CreateSecret& action);
  Result<void> operator()(const ChangeSecret& action);
  Result<void> operator()(const ReleaseWave& action);
  Result<void> operator()(const CreateRight& action);
  Result<void> operator()(const RepairRight& action);
  Result<void> operator()(const RemoveRight& action);
  Result<void> operator()(const RemoveSecret&);
  Result<void> operator()(const TakeFinalizer&);

  Effects effects = {};

 private:
  Result<std::shared_ptr<kube::Client>> workload() const;
  Result<void> patch_secret(const boost::json::value& patch) const;
  Result<void> remove(const kube::Resource& resource, const ObjectKey& key) const;
  ObjectKey key() const { return runtime::key_of(*seen_.object); }
  const Deadline& deadline() const { return with_.context.deadline; }

  const ActContext& with_;
  const Observation& seen_;
};

Result<std::shared_ptr<kube::Client>> Writes::workload() const {
  return with_.deps.workloads.of(runtime::key_of(*seen_.cluster), deadline());
}

Result<void> Writes::patch_secret(const boost::json::value& patch) const {
  const auto client = TRY(workload());
  TRY(client->patch(kube::resources::secrets(), secret_key(key()), patch, {}, deadline()));
  return {};
}

Result<void> Writes::remove(const kube::Resource& resource, const ObjectKey& which) const {
  const auto client = TRY(workload());
  const auto removed = client->remove(resource, which, {}, deadline());
  if (!removed && removed.error().code == Code::NotFound) return {};
  return removed;
}

Result<void> Writes::operator()(const PutFinalizer&) {
  TRY(runtime::ensure_finalizer(with_.deps.client, with_.consistency, with_.deps.caches.node_configs,
                                *seen_.object, api::bootstrap::finalizer::kNodeConfig, deadline()));
  effects.object_changed = true;
  return {};
}

Result<void> Writes::operator()(const CreateSecret& action) {
  const auto client = TRY(workload());
  TRY(client->create(kube::resources::secrets(), secret_key(key()),
                     secret_object(key(), action.content, action.release), {}, deadline()));
  return {};
}

Result<void> Writes::operator()(const ChangeSecret& action) {
  return patch_secret(content_patch(key(), action.content, action.release, action.version));
}

Result<void> Writes::operator()(const ReleaseWave& action) {
  return patch_secret(release_patch(action.release, action.version));
}

Result<void> Writes::operator()(const CreateRight& action) {
  const auto client = TRY(workload());
  TRY(client->create(action.right.resource, action.right.key, action.right.object, {}, deadline()));
  return {};
}

Result<void> Writes::operator()(const RepairRight& action) {
  const auto client = TRY(workload());
  TRY(client->patch(action.right.resource, action.right.key, repair_patch(action.right), {}, deadline()));
  return {};
}

Result<void> Writes::operator()(const RemoveRight& action) {
  return remove(action.right.resource, action.right.key);
}

Result<void> Writes::operator()(const RemoveSecret&) {
  return remove(kube::resources::secrets(), secret_key(key()));
}

Result<void> Writes::operator()(const TakeFinalizer&) {
  effects.object_changed = true;
  return runtime::drop_finalizer(with_.deps.client, with_.consistency, with_.deps.caches.node_configs,
                                 *seen_.object, api::bootstrap::finalizer::kNodeConfig, deadline());
}

}  // namespace

Effects act(const ActContext& with, const Observation& seen, const Plan& plan) {
  Writes writes(with, seen);
  for (const Action& action : plan.actions) {
    const auto done = std::visit([&](const auto& each) { return writes(each); }, action);
    if (done) continue;
    writes.effects.error = done.error();
    break;
  }
  return writes.effects;
}

}  // namespace capstan::bootstrap::nodeconfig
