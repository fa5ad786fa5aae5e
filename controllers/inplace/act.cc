#include "controllers/inplace/act.h"

#include <fmt/format.h>

#include <boost/json.hpp>

#include "api/names.h"
#include "api/policy/names.h"
#include "api/v1beta2/syntax.h"
#include "base/safeguards.h"
#include "base/try.h"
#include "controllers/drain/cordon.h"
#include "kube/resources.h"
#include "kube/typed.h"
#include "runtime/note.h"
#include "runtime/ownership.h"

namespace capstan::controllers::inplace {
namespace {

namespace json = boost::json;
using api::NoteCode;
using api::policy::annotation::kInPlaceUpdate;

void set_mark(const std::optional<UpdateMark>& mark, api::Machine& machine) {
  auto& annotations = machine.metadata.annotations;
  if (mark) {
    annotations.set(Text(kInPlaceUpdate), Text(to_text(*mark)));
  } else {
    annotations.erase(kInPlaceUpdate);
  }
}

std::string in_words(const MarkMachine& action) {
  const std::string_view machine = action.machine->metadata.name.view();
  if (action.news == NoteCode::InPlaceUpdateBegan)
    return fmt::format("Machine {} is to be updated in place to MachineSet {}", machine, action.to->set);
  if (action.news == NoteCode::InPlaceUpdateGivenUp)
    return fmt::format(
        "Machine {} is not updated in place: nothing asks for that any more, and the rollout goes on by its "
        "strategy",
        machine);
  if (action.news == NoteCode::InPlaceUpdated) return fmt::format("Machine {} was updated in place", machine);
  return fmt::format("Machine {} could not be updated in place: {}", machine, action.to->why);
}

// The labels by which its MachineSet knows it; the set itself applies whatever else its template wants.
void relabel(const api::MachineSet& set, api::Machine& machine) {
  auto& labels = machine.metadata.labels;
  labels.set(Text(api::label::kSetName), Text(api::label_value(set.metadata.name)));
  for (const auto& [key, value] : set.spec.selector.match_labels) labels.set(key, value);
}

json::object entries_of(const std::vector<NodeChange::Entry>& entries) {
  json::object members;
  for (const auto& [key, value] : entries)
    members[key.view()] = value ? json::value(value->view()) : json::value(nullptr);
  return members;
}

// Labels have one writer at each step. A cordon may be a user's by now: its patch is bound to the version
// that was seen.
json::value node_patch(const ChangeNode& action) {
  json::object annotations = entries_of(action.change.annotations);
  for (const Text& key : action.change.marks_off) annotations[key.view()] = nullptr;
  json::object metadata{{"labels", entries_of(action.change.labels)},
                        {"annotations", std::move(annotations)}};
  if (!action.change.uncordon) return {{"metadata", std::move(metadata)}};
  metadata["resourceVersion"] = action.node->metadata.resource_version.str();
  return {{"metadata", std::move(metadata)}, {"spec", {{"unschedulable", nullptr}}}};
}

class Acting {
 public:
  explicit Acting(const Ground& ground) : ground_(ground), with_(ground.with) {}

  Result<Done> operator()(const MarkMachine& action) {
    ground_.updates.forget(action.machine);
    api::Machine after = *action.machine;
    set_mark(action.to, after);
    if (!TRY(write(*action.machine, after)) || !action.news) return Done();
    record(*action.news, action);
    return Done();
  }

  Result<Done> operator()(const ChangeNode& action) {
    const auto workload = TRY(with_.deps.workload_clusters.get(kube::key_of(ground_.drain.cluster)));
    auto written = patch_node(workload->client(), action);
    if (!written && written.error().code == Code::Conflict) {
      const auto live = as_it_is(workload->client(), action);
      written = live ? patch_node(workload->client(), *live) : Result<api::Written>(fail(live.error()));
    }
    if (!written && written.error().code == Code::NotFound) return Done();
    if (!written) return fail(written.error().context("patch Node " + action.node->metadata.name.str()));
    ground_.updates.node_writes().wrote(kube::key_of(*action.machine), action.node->metadata.uid,
                                        written->metadata.resource_version);
    return Done();
  }

  Result<Done> operator()(const DrainNode& action) {
    const auto report = ground_.updates.drain(with_, action, ground_.drain);
    if (report.done) return (*this)(MarkMachine{.machine = action.machine, .to = action.mark});
    const std::string& why = report.trouble ? report.trouble->message : report.message;
    return Done{.recheck = report.recheck,
                .held = fmt::format("Machine {} is to be updated in place, and its Node is drained: {}",
                                    action.machine->metadata.name.view(), why)};
  }

  Result<Done> operator()(const MoveMachine& action) {
    api::Machine after = *action.machine;
    const auto& resource = kube::resource_of<api::MachineSet>();
    const auto others = runtime::without_owner(
        after.metadata.owner_references, runtime::controller_reference(resource, action.from->metadata));
    auto owners =
        runtime::with_controller(others, runtime::controller_reference(resource, action.to->metadata));
    if (!owners) return fail(owners.error());
    after.metadata.owner_references = std::move(*owners);
    relabel(*action.to, after);
    const api::MachineSpec& wanted = action.to->spec.machine_template.spec;
    after.spec.version = wanted.version;
    if (wanted.bootstrap.data_secret_name && !wanted.bootstrap.config_ref)
      after.spec.bootstrap.data_secret_name = wanted.bootstrap.data_secret_name;
    set_mark(action.mark, after);
    TRY(write(*action.machine, after));
    return Done();
  }

  Result<Done> operator()(const MarkBootstrap& action) {
    const auto& config = *action.machine->spec.bootstrap.config_ref;
    const auto found = with_.host.externals.resolve(config.api_group.view(), config.kind.view());
    // Of a kind that is not served there is no object.
    if (!found) return found.error().retry_after ? Result<Done>(fail(found.error())) : Done();
    const json::value body{
        {"metadata",
         {{"annotations",
           {{api::annotation::kClonedFromName, action.source.name.view()},
            {api::annotation::kClonedFromGroupKind,
             fmt::format("{}.{}", action.source.kind.view(), action.source.api_group.view())}}}}}};
    const kube::ObjectKey key{.namespace_ = action.machine->metadata.namespace_.str(),
                              .name = config.name.str()};
    const auto written =
        kube::patch_briefly(with_.deps.client, found->resource, key, body, {}, with_.context.deadline);
    if (!written && written.error().code != Code::NotFound) return fail(written.error());
    return Done();
  }

 private:
  Result<api::Written> patch_node(kube::Client& client, const ChangeNode& action) {
    return kube::patch_briefly(client, kube::resources::nodes(), kube::key_of(*action.node),
                               node_patch(action), {}, with_.context.deadline);
  }

  // The cache is behind. A cordon that is not ours any more stays; another Node of that name is not ours at
  // all.
  Result<ChangeNode> as_it_is(kube::Client& client, ChangeNode action) {
    auto live = TRY(kube::get<api::Node>(client, kube::key_of(*action.node), with_.context.deadline));
    if (live.metadata.uid != action.node->metadata.uid)
      return fail(Code::NotFound, "it is another one by now");
    const bool ours = live.metadata.annotations.value_or_empty(drain::kCordonedBy) ==
                      kube::key_of(*action.machine).describe();
    action.change.uncordon = ours && live.spec.unschedulable;
    if (!ours) action.change.marks_off.clear();
    action.node = std::make_shared<const api::Node>(std::move(live));
    return action;
  }

  // False: it is gone. Conflict: it has changed since.
  Result<bool> write(const api::Machine& before, const api::Machine& after) {
    const auto written = kube::patch_part(with_.deps.client, before, after, kube::Part::Main,
                                          kube::Lock::Always, with_.context.deadline);
    if (!written && written.error().code == Code::NotFound) return false;
    if (!written) return fail(written.error());
    if (!*written) return false;
    with_.host.consistency.wrote(kube::key_of(ground_.deployment), with_.deps.caches.machines,
                                 (*written)->metadata.resource_version);
    return true;
  }

  void record(NoteCode code, const MarkMachine& action) {
    const runtime::Note note{.code = code, .text = in_words(action)};
    record_note(with_.deps.events,
                runtime::reference_to(kube::resource_of<api::Machine>(), action.machine->metadata), note);
    record_note(
        with_.deps.events,
        runtime::reference_to(kube::resource_of<api::MachineDeployment>(), ground_.deployment.metadata),
        note);
  }

  const Ground& ground_;
  const ActContext& with_;
};

}  // namespace

Result<Done> act(const Ground& ground, const Action& action) { return std::visit(Acting(ground), action); }

Result<void> confirm(const ActContext& with, const api::Machine& machine) {
  if (is_off(Safeguard::LiveMoves)) return {};
  const auto live = kube::get<api::Machine>(with.deps.client, kube::key_of(machine), with.context.deadline);
  if (!live && live.error().code != Code::NotFound) return fail(live.error());
  if (live && live->metadata.resource_version == machine.metadata.resource_version) return {};
  return fail(Code::Conflict, fmt::format("Machine {} has changed", machine.metadata.name.view()));
}

}  // namespace capstan::controllers::inplace
