#include "controllers/machine/act.h"

#include <boost/json.hpp>

#include "api/schema/encode.h"
#include "base/try.h"
#include "kube/resources.h"
#include "kube/typed.h"
#include "runtime/ownership.h"

namespace capstan::controllers::machine {
namespace {

namespace json = boost::json;

// When a watch has surely brought what was written, or never will.
constexpr Nanoseconds kRemembered = std::chrono::seconds(30);

json::value claim_patch(const api::Machine& machine, const ExternalSeen& external, const Claim& claim);
json::value node_patch(const api::Node& node, const NodeChange& change);
DisputedFields disputed_by(const ExternalSeen& external, const api::Machine& machine, const Claim& claim);
DisputedFields disputed_by(const NodeChange& change);

}  // namespace

Result<api::Machine> write_machine(const ActContext& with, const Observation& seen, const Plan& plan) {
  auto written = TRY(kube::patch(with.deps.client, *seen.machine, plan.wanted, with.context.deadline));
  if (!written) return *seen.machine;
  with.host.consistency.wrote(kube::key_of(*seen.machine), with.deps.caches.machines,
                              written->metadata.resource_version);
  return std::move(*written);
}

Result<void> write_claim(const ActContext& with, const api::Machine& machine, const ExternalSeen& external,
                         const std::optional<Claim>& claim) {
  if (!claim) return {};
  const auto key = kube::key_of(machine);
  const Contests::Target target{
      .client = with.deps.client, .resource = external.resource, .key = external.key};
  const auto fields = disputed_by(external, machine, *claim);
  if (!with.contests.may_write(key, target, fields, with.deps.clock, with.context.deadline)) return {};
  const auto written = kube::patch_briefly(with.deps.client, external.resource, external.key,
                                           claim_patch(machine, external, *claim), {}, with.context.deadline);
  if (!written && written.error().code == Code::NotFound) return {};  // the cache will tell
  if (!written) return fail(written.error().context("take over " + external.resource.kind));
  with.host.consistency.wrote(key, *external.cache, written->metadata.resource_version);
  with.contests.wrote(key, target, fields, with.deps.clock);
  return {};
}

Result<void> write_node(const ActContext& with, const Observation& seen, const Plan& plan) {
  const auto machine = kube::key_of(*seen.machine);
  if (!plan.node_change) {
    with.node_writes.forget(machine);  // seen, or needed no longer
    return {};
  }
  const api::Node& node = *seen.node.node;
  if (with.node_writes.is_behind(machine, node)) return {};
  const auto key = kube::key_of(node);
  const Contests::Target target{
      .client = seen.workload->client(), .resource = kube::resources::nodes(), .key = key};
  const auto fields = disputed_by(*plan.node_change);
  if (!with.contests.may_write(machine, target, fields, with.deps.clock, with.context.deadline)) return {};
  const auto written = kube::patch_briefly(seen.workload->client(), kube::resources::nodes(), key,
                                           node_patch(node, *plan.node_change), {}, with.context.deadline);
  if (!written && written.error().code == Code::NotFound) return {};
  if (!written) return fail(written.error().context("patch Node " + node.metadata.name.str()));
  with.node_writes.wrote(machine, node.metadata.uid, written->metadata.resource_version);
  with.contests.wrote(machine, target, fields, with.deps.clock);
  return {};
}

void NodeWrites::wrote(const kube::ObjectKey& machine, const api::Uid& node, api::ResourceVersion version) {
  const Write write{.node = node, .version = version, .until = clock_.steady_now() + kRemembered};
  writes_.with([&](auto& writes) { writes[machine] = write; });
}

bool NodeWrites::is_behind(const kube::ObjectKey& machine, const api::Node& node) {
  const SteadyTime now = clock_.steady_now();
  return writes_.with([&](auto& writes) {
    const auto found = writes.find(machine);
    if (found == writes.end()) return false;
    const Write& write = found->second;
    const bool behind = write.node == node.metadata.uid && node.metadata.resource_version < write.version &&
                        now < write.until;
    if (!behind) writes.erase(found);
    return behind;
  });
}

void NodeWrites::forget(const kube::ObjectKey& machine) {
  writes_.with([&](auto& writes) { writes.erase(machine); });
}

namespace {

json::value claim_patch(const api::Machine& machine, const ExternalSeen& external, const Claim& claim) {
  json::value patch = runtime::owners_patch(claim.owners, external.object->metadata.resource_version);
  if (claim.label) {
    patch.at("metadata").as_object()["labels"] = {
        {api::label::kClusterName, machine.spec.cluster_name.view()}};
  }
  return patch;
}

DisputedFields disputed_by(const ExternalSeen& external, const api::Machine& machine, const Claim& claim) {
  api::ObjectMeta wanted = external.object->metadata;
  wanted.owner_references = claim.owners;
  if (claim.label) wanted.labels.set(Text(api::label::kClusterName), machine.spec.cluster_name);
  return disputed_fields(external.object->metadata, wanted);
}

DisputedFields disputed_by(const NodeChange& change) {
  DisputedFields fields;
  for (const auto& [key, value] : change.labels)
    fields[disputed_key("metadata.labels", key)] = value ? "=" + value->str() : std::string();
  for (const auto& [key, value] : change.annotations)
    fields[disputed_key("metadata.annotations", key)] = value ? "=" + value->str() : std::string();
  if (!change.taints) return fields;
  std::string& taints = fields["spec.taints"];
  for (const auto& taint : *change.taints)
    taints += taint.key.str() + "=" + taint.value.str() + ":" + taint.effect.str() + " ";
  return fields;
}

json::object entries_of(const std::vector<NodeChange::Entry>& entries) {
  json::object members;
  for (const auto& [key, value] : entries) {
    members[key.view()] = value ? json::value(value->view()) : json::value(nullptr);
  }
  return members;
}

// Keys of maps are nobody else's business; a list of taints is everybody's, so it is bound to what we saw.
json::value node_patch(const api::Node& node, const NodeChange& change) {
  json::object metadata;
  if (!change.labels.empty()) metadata["labels"] = entries_of(change.labels);
  if (!change.annotations.empty()) metadata["annotations"] = entries_of(change.annotations);
  json::object patch;
  if (change.taints) {
    metadata["resourceVersion"] = node.metadata.resource_version.str();
    json::array taints;
    for (const auto& taint : *change.taints) taints.push_back(api::to_json(taint));
    patch["spec"] = {{"taints", taints.empty() ? json::value(nullptr) : json::value(std::move(taints))}};
  }
  patch["metadata"] = std::move(metadata);
  return patch;
}

}  // namespace
}  // namespace capstan::controllers::machine
