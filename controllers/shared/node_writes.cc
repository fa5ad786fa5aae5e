#include "controllers/shared/node_writes.h"

#include <algorithm>
#include <boost/json.hpp>

#include "api/schema/encode.h"
#include "base/try.h"
#include "kube/resources.h"
#include "kube/typed.h"

namespace capstan::controllers {
namespace {

namespace json = boost::json;

// When a watch has surely brought what was written, or never will.
constexpr Nanoseconds kRemembered = std::chrono::seconds(30);

DisputedFields disputed_by(const NodeChange& change);
Result<api::ResourceVersion> write_change(const NodeToWrite& what, const Deadline& deadline);

}  // namespace

Result<void> write_node(const ActContext& with, NodeWrites& writes, const kube::ObjectKey& writer,
                        const NodeToWrite& what) {
  const auto key = kube::key_of(what.node);
  const Contests::Target target{.client = what.client, .resource = kube::resources::nodes(), .key = key};
  const auto fields = disputed_by(what.change);
  if (!with.contests.may_write(writer, target, fields, with.deps.clock, with.context.deadline)) return {};
  const auto written = write_change(what, with.context.deadline);
  if (!written && written.error().code == Code::NotFound) return {};
  if (!written) return fail(written.error().context("patch Node " + what.node.metadata.name.str()));
  writes.wrote(writer, what.node.metadata.uid, *written);
  with.contests.wrote(writer, target, fields, with.deps.clock);
  return {};
}

void NodeWrites::wrote(const kube::ObjectKey& writer, const api::Uid& node, api::ResourceVersion version) {
  const SteadyTime now = clock_.steady_now();
  writers_.with([&](auto& writers) {
    Writes& writes = writers[writer];
    writes.nodes[node] = {.version = version, .until = now + kRemembered};
    // A Node that is as wanted is not asked about again: most writes are never looked up.
    if (now - writes.swept < kRemembered) return;
    writes.swept = now;
    std::erase_if(writes.nodes, [&](const auto& each) { return each.second.until <= now; });
  });
}

bool NodeWrites::is_behind(const kube::ObjectKey& writer, const api::Node& node) {
  const SteadyTime now = clock_.steady_now();
  return writers_.with([&](auto& writers) {
    const auto writes = writers.find(writer);
    if (writes == writers.end()) return false;
    auto& nodes = writes->second.nodes;
    const auto found = nodes.find(node.metadata.uid);
    if (found == nodes.end()) return false;
    const bool behind = node.metadata.resource_version < found->second.version && now < found->second.until;
    if (!behind) nodes.erase(found);
    if (nodes.empty()) writers.erase(writes);
    return behind;
  });
}

void NodeWrites::forget(const kube::ObjectKey& writer) {
  writers_.with([&](auto& writers) { writers.erase(writer); });
}

std::size_t NodeWrites::size() const {
  return writers_.with([](const auto& writers) {
    std::size_t writes = 0;
    for (const auto& [writer, of_writer] : writers) writes += of_writer.nodes.size();
    return writes;
  });
}

namespace {

void add_disputed(std::string_view map, const std::vector<NodeChange::Entry>& entries, DisputedFields& into) {
  for (const auto& [key, value] : entries)
    into[disputed_key(map, key)] = value ? "=" + value->str() : std::string();
}

DisputedFields disputed_by(const NodeChange& change) {
  DisputedFields fields;
  if (change.uncordon) return fields;
  add_disputed("status.capacity", change.capacity, fields);
  add_disputed("metadata.labels", change.labels, fields);
  add_disputed("metadata.annotations", change.annotations, fields);
  if (!change.taints) return fields;
  std::string& taints = fields["spec.taints"];
  for (const auto& taint : *change.taints)
    taints += taint.key.str() + "=" + taint.value.str() + ":" + taint.effect.str() + " ";
  return fields;
}

json::object entries_of(const std::vector<NodeChange::Entry>& entries) {
  json::object members;
  for (const auto& [key, value] : entries)
    members[key.view()] = value ? json::value(value->view()) : json::value(nullptr);
  return members;
}

bool is_bound(const NodeChange& change) { return change.taints || change.uncordon; }

json::value capacity_patch(api::ResourceVersion version, const NodeChange& change) {
  json::object patch{{"status", {{"capacity", entries_of(change.capacity)}}}};
  if (is_bound(change)) patch["metadata"] = {{"resourceVersion", version.str()}};
  return patch;
}

// Keys of maps have one writer each. A list of taints and the cordon have several: the patch is bound to the
// version they were read in.
json::value node_patch(api::ResourceVersion version, const NodeChange& change) {
  json::object metadata;
  json::object spec;
  if (!change.labels.empty()) metadata["labels"] = entries_of(change.labels);
  json::object annotations = entries_of(change.annotations);
  for (const Text& key : change.marks_off) annotations[key.view()] = nullptr;
  if (!annotations.empty()) metadata["annotations"] = std::move(annotations);
  if (change.uncordon) spec["unschedulable"] = nullptr;
  if (change.taints) {
    json::array taints;
    for (const auto& taint : *change.taints) taints.push_back(api::to_json(taint));
    spec["taints"] = taints.empty() ? json::value(nullptr) : json::value(std::move(taints));
  }
  if (is_bound(change)) metadata["resourceVersion"] = version.str();
  json::object patch{{"metadata", std::move(metadata)}};
  if (!spec.empty()) patch["spec"] = std::move(spec);
  return patch;
}

json::value json_of(const api::NodeCondition& condition) {
  return {{"type", condition.type.view()},
          {"status", condition.status.view()},
          {"reason", condition.reason.view()},
          {"message", condition.message.view()},
          {"lastTransitionTime", condition.last_transition_time.to_string()}};
}

// The caches leave heartbeats out, so the list is taken from a live read and replaced in its version.
json::value condition_patch(const json::value& live, const api::NodeCondition& condition) {
  json::array conditions;
  const auto* status = live.as_object().if_contains("status");
  const auto* present =
      status != nullptr && status->is_object() ? status->get_object().if_contains("conditions") : nullptr;
  if (present != nullptr && present->is_array()) conditions = present->get_array();
  const auto is_same = [&](const json::value& each) {
    const auto* type = each.is_object() ? each.get_object().if_contains("type") : nullptr;
    return type != nullptr && type->is_string() && type->get_string() == condition.type.view();
  };
  const auto known = std::ranges::find_if(conditions, is_same);
  if (known != conditions.end()) conditions.erase(known);
  conditions.push_back(json_of(condition));
  return {{"metadata", {{"resourceVersion", live.at("metadata").at("resourceVersion")}}},
          {"status", {{"conditions", std::move(conditions)}}}};
}

// Nothing is said of another Node of that name.
Result<api::ResourceVersion> write_condition(const NodeToWrite& what, const Deadline& deadline) {
  const auto& nodes = kube::resources::nodes();
  const auto key = kube::key_of(what.node);
  const auto live = TRY(what.client.get(nodes, key, deadline));
  const auto seen = TRY(api::from_json<api::Node>(live));
  if (seen.metadata.uid != what.node.metadata.uid)
    return fail(Code::NotFound, "Node " + what.node.metadata.name.str() + " is another one by now");
  const bool has_changed = seen.metadata.resource_version != what.node.metadata.resource_version;
  if (has_changed && is_bound(what.change))
    return fail(Code::Conflict, "Node " + what.node.metadata.name.str() + " has changed");
  const auto written =
      TRY(kube::patch_briefly(what.client, nodes, key, condition_patch(live, *what.change.condition),
                              {.subresource = "status"}, deadline));
  return written.metadata.resource_version;
}

bool is_of_status_alone(const NodeChange& change) {
  NodeChange rest = change;
  rest.condition.reset();
  rest.capacity.clear();
  return rest == NodeChange();
}

Result<api::ResourceVersion> write_change(const NodeToWrite& what, const Deadline& deadline) {
  const auto& nodes = kube::resources::nodes();
  const auto key = kube::key_of(what.node);
  api::ResourceVersion version = what.node.metadata.resource_version;
  if (what.change.condition) version = TRY(write_condition(what, deadline));
  if (!what.change.capacity.empty()) {
    const auto written = TRY(kube::patch_briefly(
        what.client, nodes, key, capacity_patch(version, what.change), {.subresource = "status"}, deadline));
    version = written.metadata.resource_version;
  }
  if (is_of_status_alone(what.change)) return version;
  const auto written =
      TRY(kube::patch_briefly(what.client, nodes, key, node_patch(version, what.change), {}, deadline));
  return written.metadata.resource_version;
}

}  // namespace
}  // namespace capstan::controllers
