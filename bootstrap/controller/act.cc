#include "bootstrap/controller/act.h"

#include <boost/json.hpp>

#include "bootstrap/data_secret.h"
#include "kube/resources.h"
#include "kube/typed.h"
#include "runtime/ownership.h"

namespace capstan::bootstrap::controller {
namespace {

Effects create_secret(kube::Client& client, const runtime::Context& context, const Observation& seen,
                      const Plan& plan) {
  const DataSecret wanted{
      .key = {.namespace_ = seen.object->metadata.namespace_.str(), .name = plan.secret_name},
      .cluster = seen.owner->cluster,
      .owner = runtime::controller_reference(kube::resource_of<api::CloudConfig>(), seen.object->metadata),
      .value = plan.value};
  const auto& secrets = kube::resources::secrets();
  const auto created = client.create(secrets, wanted.key, secret_object(wanted), {}, context.deadline);
  if (created) return {.has_secret = true};
  if (created.error().code != Code::AlreadyExists) return {.error = created.error()};
  const auto present = client.get(secrets, wanted.key, context.deadline);
  if (!present) return {.error = present.error()};
  if (belongs_to(*present, wanted.owner)) return {.has_secret = true};
  return {.taken = "Secret " + wanted.key.describe() +
                   " exists and belongs to somebody else; delete it or rename the " + seen.owner->kind};
}

}  // namespace

Effects act(kube::Client& client, const runtime::Context& context, const Observation& seen,
            const Plan& plan) {
  if (plan.step == Step::Restore) return {.has_secret = true};
  if (plan.step == Step::Create) return create_secret(client, context, seen, plan);
  return {};
}

}  // namespace capstan::bootstrap::controller
