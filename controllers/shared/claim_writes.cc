#include "controllers/shared/claim_writes.h"

#include <boost/json.hpp>

#include "kube/typed.h"
#include "runtime/ownership.h"

namespace capstan::controllers {
namespace {

namespace json = boost::json;

json::value claim_patch(const Text& cluster, const ExternalSeen& external, const ProviderClaim& claim) {
  json::value patch = runtime::owners_patch(claim.owners, external.object->metadata.resource_version);
  if (claim.label) patch.at("metadata").as_object()["labels"] = {{api::label::kClusterName, cluster.view()}};
  return patch;
}

DisputedFields disputed_by(const Text& cluster, const ExternalSeen& external, const ProviderClaim& claim) {
  api::ObjectMeta wanted = external.object->metadata;
  wanted.owner_references = claim.owners;
  if (claim.label) wanted.labels.set(Text(api::label::kClusterName), cluster);
  return disputed_fields(external.object->metadata, wanted);
}

}  // namespace

Result<void> write_claim(const ActContext& with, const Claimant& claimant, const ExternalSeen& external,
                         const ProviderClaim& claim) {
  const Contests::Target target{
      .client = with.deps.client, .resource = external.resource, .key = external.key};
  const auto fields = disputed_by(claimant.cluster, external, claim);
  if (!with.contests.may_write(claimant.key, target, fields, with.deps.clock, with.context.deadline))
    return {};
  const auto written =
      kube::patch_briefly(with.deps.client, external.resource, external.key,
                          claim_patch(claimant.cluster, external, claim), {}, with.context.deadline);
  if (!written && written.error().code == Code::NotFound) return {};  // the cache will show it
  if (!written) return fail(written.error().context("take over " + external.resource.kind));
  with.host.consistency.wrote(claimant.key, *external.cache, written->metadata.resource_version);
  with.contests.wrote(claimant.key, target, fields, with.deps.clock);
  return {};
}

}  // namespace capstan::controllers
