#include "test/simulation/fleet_clumsy.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/bootstrap/cloud_config.h"
#include "api/driver/driver_cluster.h"
#include "api/driver/driver_machine.h"
#include "api/names.h"
#include "api/v1beta2/cluster.h"
#include "api/v1beta2/machine.h"
#include "api/v1beta2/machine_deployment.h"
#include "api/v1beta2/machine_set.h"
#include "base/hash.h"
#include "kube/resources.h"
#include "kube/typed.h"

namespace capstan::simulation {
namespace {

using namespace std::chrono_literals;

constexpr std::uint64_t kMostActs = 3;
constexpr auto kLongestWaitForVm = 3min;
constexpr Nanoseconds kLongestHold = 2h;
constexpr Nanoseconds kTimeToAdopt = 5min;
constexpr Nanoseconds kTimeToRepair = 15min;

bool has_finalizer_of_ours(const json::object& metadata) {
  const auto* list = metadata.if_contains("finalizers");
  return list != nullptr && std::ranges::any_of(list->as_array(), [](const json::value& each) {
           return each.as_string() != kStranger && each.as_string() != kClumsy;
         });
}

}  // namespace

std::string_view to_string(ClumsyAct act) {
  switch (act) {
    case ClumsyAct::CopyMachine: return "copy-machine";
    case ClumsyAct::TypeProviderId: return "type-provider-id";
    case ClumsyAct::MistypeNumber: return "mistype-number";
    case ClumsyAct::ShareProviderId: return "share-provider-id";
    case ClumsyAct::PoolOfForeignIds: return "pool-of-foreign-ids";
    case ClumsyAct::CopyCluster: return "copy-cluster";
    case ClumsyAct::TakeReference: return "take-reference";
    case ClumsyAct::CopyDeployment: return "copy-deployment";
    case ClumsyAct::CopySet: return "copy-set";
    case ClumsyAct::RemediateByTemplate: return "remediate-by-template";
    case ClumsyAct::ReleaseMachine: return "release-machine";
    case ClumsyAct::RelabelObject: return "relabel-object";
    case ClumsyAct::InsistOnLabel: return "insist-on-label";
    case ClumsyAct::ChangeSelector: return "change-selector";
    case ClumsyAct::CopyInfrastructure: return "copy-infrastructure";
    case ClumsyAct::DropOwners: return "drop-owners";
    case ClumsyAct::ResetManagedFields: return "reset-managed-fields";
    case ClumsyAct::ForgetReplicas: return "forget-replicas";
    case ClumsyAct::RenameCluster: return "rename-cluster";
    case ClumsyAct::MisplaceReference: return "misplace-reference";
    case ClumsyAct::MistypeKind: return "mistype-kind";
    case ClumsyAct::EditKind: return "edit-kind";
    case ClumsyAct::RestoreMachine: return "restore-machine";
    case ClumsyAct::StrayMachine: return "stray-machine";
    case ClumsyAct::DeleteDefinition: return "delete-definition";
    case ClumsyAct::UnlabelDefinition: return "unlabel-definition";
    case ClumsyAct::OrphanMachines: return "orphan-machines";
    case ClumsyAct::OrphanSets: return "orphan-sets";
    case ClumsyAct::StripFinalizers: return "strip-finalizers";
    case ClumsyAct::HoldFinalizer: return "hold-finalizer";
  }
  return "";
}

bool has_clumsy_user(std::uint64_t seed) { return (mix64(seed) & 1U) != 0; }

// --- what he does, and when ---

void ClumsyUser::run(const std::stop_token& stop) {
  stop_ = stop;
  if (can_.empty()) return;
  rest_up_to(3min, stop);
  if (deps_.baton.draw(2) == 0) await_vm();
  for (std::uint64_t left = 1 + deps_.baton.draw(kMostActs); left > 0 && !stop.stop_requested(); --left) {
    do_something();
    rest_up_to(2min, stop);
    if (!mistakes_.empty() && deps_.baton.draw(3) == 0) mend(deps_.baton.draw(mistakes_.size()));
  }
  deps_.baton.pause(Deadline::never(stop));
}

// Most of what he copies is a Machine's that has its VM; the fleet has none for half of the time.
void ClumsyUser::await_vm() {
  const Deadline latest = Deadline::in(deps_.baton, kLongestWaitForVm, stop_);
  while (!latest.passed(deps_.baton.steady_now())) {
    deps_.auditor.look();
    if (draw_worker_with_vm()) return;
    rest(5s, stop_);
  }
}

void ClumsyUser::do_something() {
  for (int tries = 0; tries < 3; ++tries) {
    const ClumsyAct act = can_[deps_.baton.draw(can_.size())];
    const Do method = method_of(act);
    const bool done = method != nullptr && (this->*method)();
    deps_.auditor.look();
    if (done) return;
  }
}

ClumsyUser::Do ClumsyUser::method_of(ClumsyAct act) {
  switch (act) {
    case ClumsyAct::CopyMachine: return &ClumsyUser::copy_machine;
    case ClumsyAct::TypeProviderId: return &ClumsyUser::type_provider_id;
    case ClumsyAct::MistypeNumber: return &ClumsyUser::mistype_number;
    case ClumsyAct::ShareProviderId: return &ClumsyUser::share_provider_id;
    case ClumsyAct::PoolOfForeignIds: return &ClumsyUser::pool_of_foreign_ids;
    case ClumsyAct::CopyCluster: return &ClumsyUser::copy_cluster;
    case ClumsyAct::TakeReference: return &ClumsyUser::take_reference;
    case ClumsyAct::CopyDeployment: return &ClumsyUser::copy_deployment;
    case ClumsyAct::CopySet: return &ClumsyUser::copy_set;
    case ClumsyAct::RemediateByTemplate: return &ClumsyUser::remediate_by_template;
    case ClumsyAct::ReleaseMachine: return &ClumsyUser::release_machine;
    case ClumsyAct::RelabelObject: return &ClumsyUser::relabel_object;
    case ClumsyAct::InsistOnLabel: return &ClumsyUser::insist_on_label;
    case ClumsyAct::ChangeSelector: return &ClumsyUser::change_selector;
    case ClumsyAct::CopyInfrastructure: return &ClumsyUser::copy_infrastructure;
    case ClumsyAct::DropOwners: return &ClumsyUser::drop_owners;
    case ClumsyAct::ResetManagedFields: return &ClumsyUser::reset_managed_fields;
    case ClumsyAct::ForgetReplicas: return &ClumsyUser::forget_replicas;
    case ClumsyAct::RenameCluster: return &ClumsyUser::rename_cluster;
    case ClumsyAct::MisplaceReference: return &ClumsyUser::misplace_reference;
    case ClumsyAct::MistypeKind: return &ClumsyUser::mistype_kind;
    case ClumsyAct::EditKind: return &ClumsyUser::edit_kind;
    case ClumsyAct::RestoreMachine: return &ClumsyUser::restore_machine;
    case ClumsyAct::StrayMachine: return &ClumsyUser::stray_machine;
    case ClumsyAct::DeleteDefinition: return &ClumsyUser::delete_definition;
    case ClumsyAct::UnlabelDefinition: return &ClumsyUser::unlabel_definition;
    case ClumsyAct::OrphanMachines: return &ClumsyUser::orphan_machines;
    case ClumsyAct::OrphanSets:
      return nullptr;  // it is the fleet's user who makes the MachineDeployment again
    case ClumsyAct::StripFinalizers: return &ClumsyUser::strip_finalizers;
    case ClumsyAct::HoldFinalizer: return &ClumsyUser::hold_finalizer;
  }
  return nullptr;
}

// --- how it is taken back ---

void ClumsyUser::mend(std::size_t at) {
  const Mistake mistake = std::move(mistakes_[at]);
  mistakes_.erase(mistakes_.begin() + static_cast<std::ptrdiff_t>(at));
  deps_.tell("clumsy user: takes back: " + mistake.what);
  mistake.mend();
  deps_.auditor.look();
}

void ClumsyUser::mend_all(const std::function<bool(const Mistake&)>& which) {
  for (std::size_t at = mistakes_.size(); at-- > 0;) {
    if (which(mistakes_[at])) mend(at);
  }
}

void ClumsyUser::make_peace() {
  mend_all(
      [this](const Mistake& each) { return !each.holds && (!each.may_stay || deps_.baton.draw(2) == 0); });
  const auto holds = [](const Mistake& each) { return each.holds && !each.may_stay; };
  if (std::ranges::any_of(mistakes_, holds)) {
    rest_up_to(kLongestHold);
    mend_all(holds);
  }
  if (acts_.empty()) return;
  rest(kTimeToAdopt);
  remove_forsaken();
}

std::string ClumsyUser::deployment_uid() const {
  const auto& deployments = deps_.auditor.facts().deployments;
  const auto found = std::ranges::find(deployments, kDeployment, &DeploymentFacts::name);
  return found == deployments.end() ? std::string() : found->uid;
}

bool ClumsyUser::come_back() {
  if (!std::exchange(has_template_label_, false)) return false;
  if (deployment_uid() != labelled_deployment_) return false;
  rest(kTimeToRepair);
  deps_.tell("clumsy user: takes the label out of the template again");
  const json::value body = {
      {"spec", {{"template", {{"metadata", {{"labels", {{kClumsyLabel, nullptr}}}}}}}}}};
  return write({kube::resource_of<api::MachineDeployment>(), std::string(kDeployment)}, body);
}

// Whose owner went while they were out of it, or selects others by now: no other one selects them.
void ClumsyUser::remove_forsaken() {
  const auto sets = deps_.auditor.facts().sets;
  for (const SetFacts& each : sets) {
    if (!each.deployment.empty() || each.going || is_copy(each.name)) continue;
    deps_.tell("clumsy user: deletes MachineSet " + each.name + ", which has no owner");
    remove({kube::resource_of<api::MachineSet>(), each.name});
  }
  const auto machines = deps_.auditor.facts().machines;
  for (const MachineFacts& each : machines) {
    const bool forsaken = each.set.empty() && each.pool.empty() && each.name != kControlPlane;
    if (!forsaken || each.going || is_extra(each.name)) continue;
    deps_.tell("clumsy user: deletes Machine " + each.name + ", which has no owner");
    remove({kube::resource_of<api::Machine>(), each.name});
  }
}

void ClumsyUser::let_go() {
  mend_all([](const Mistake& each) { return each.holds || !each.may_stay; });
}

void ClumsyUser::clear_away() {
  mend_all([](const Mistake&) { return true; });
}

// --- what there should be ---

bool ClumsyUser::is_extra(std::string_view name) const {
  return is_copy(name) || name.starts_with(kHandMade) || released_.contains(std::string(name));
}

bool ClumsyUser::has_rival_selectors() const {
  const auto copy = [](const auto& each) { return is_copy(each.name); };
  const auto& facts = deps_.auditor.facts();
  return std::ranges::any_of(facts.deployments, copy) || std::ranges::any_of(facts.sets, copy);
}

bool ClumsyUser::has_renamed_clusters() const {
  return std::ranges::any_of(mistakes_, [](const Mistake& each) {
    return each.act == ClumsyAct::RenameCluster && each.what.starts_with("the Cluster of");
  });
}

bool ClumsyUser::has_misplaced_references() const {
  return std::ranges::any_of(mistakes_,
                             [](const Mistake& each) { return each.act == ClumsyAct::MisplaceReference; });
}

bool ClumsyUser::has_orphans() const {
  const auto& facts = deps_.auditor.facts();
  const auto orphan = [&](const MachineFacts& each) {
    return each.set.empty() && each.pool.empty() && each.name != kControlPlane && !is_extra(each.name);
  };
  const auto without_owner = [](const SetFacts& each) { return each.deployment.empty(); };
  const auto leaves_orphans = [](const auto& each) { return each.orphaning; };
  return std::ranges::any_of(facts.machines, orphan) || std::ranges::any_of(facts.sets, without_owner) ||
         std::ranges::any_of(facts.sets, leaves_orphans) ||
         std::ranges::any_of(facts.deployments, leaves_orphans);
}

bool ClumsyUser::is_held(const json::object& object) const {
  const auto& metadata = object.at("metadata").as_object();
  return held_.contains(std::string(metadata.at("name").as_string())) &&
         metadata.contains("deletionTimestamp");
}

bool ClumsyUser::outlives_cluster(const json::object& object) const {
  const auto outlives = [&](const json::value& name) {
    return std::ranges::any_of(outliving_, [&](const std::string& each) {
      return std::string_view(name.as_string()).starts_with(each);
    });
  };
  const auto& metadata = object.at("metadata").as_object();
  const auto* owners = metadata.if_contains("ownerReferences");
  return outlives(metadata.at("name")) ||
         (owners != nullptr && std::ranges::any_of(owners->as_array(), [&](const json::value& owner) {
            return outlives(owner.at("name"));
          }));
}

std::string ClumsyUser::wrong() const { return wrong_with_copies() + wrong_with_objects(); }

// A copy that was deleted goes, with all that came of it.
std::string ClumsyUser::wrong_with_copies() const {
  std::string text;
  for (const auto& type : deps_.api.types()) {
    if (!type->group.ends_with("cluster.x-k8s.io")) continue;
    for (const auto& object : deps_.api.stored_all(type->group, type->plural)) {
      const std::string_view name = object->at("metadata").at("name").as_string();
      const auto stays = [&](const std::string& copy) { return name.starts_with(copy); };
      if (is_copy(name) && std::ranges::none_of(copies_, stays))
        text += fmt::format("{} {} is there, which was deleted; ", type->kind, name);
    }
  }
  return text;
}

std::string ClumsyUser::wrong_with_objects() const {
  std::string text;
  for (const Object& each : objects(true)) {
    const auto document = read(each);
    if (!document || is_extra(each.name)) continue;
    const auto& metadata = document->at("metadata").as_object();
    if (metadata.contains("deletionTimestamp")) continue;
    const auto* labels = metadata.if_contains("labels");
    const auto label = [&](std::string_view key) -> std::string_view {
      const auto* value = labels == nullptr ? nullptr : labels->as_object().if_contains(key);
      return value == nullptr ? std::string_view() : std::string_view(value->as_string());
    };
    const std::string what = fmt::format("{} {}", each.kind.kind, each.name);
    const bool of_machine = each.kind.kind == "DriverMachine" || each.kind.kind == "CloudConfig";
    const bool selected = label(kPoolLabel) == kDeployment || label(kPoolLabel) == kOtherLabel;
    if (of_machine && (label(api::label::kClusterName) != kCluster || !selected))
      text += what + " lacks a label of its Machine; ";
    // That the label is ours is lost where it goes with its MachineDeployment before that was repaired.
    if (!has_template_label_ && deployment_uid() == labelled_deployment_ && !label(kClumsyLabel).empty() &&
        each.kind.kind != api::kind::kMachineDeployment)
      text += what + " has a label that its template has no more; ";
    const auto* owners = metadata.if_contains("ownerReferences");
    const bool needs_owner = each.kind.kind != api::kind::kCluster;
    if (needs_owner && (owners == nullptr || owners->as_array().empty())) text += what + " has no owner; ";
    if (each.kind.kind != "CloudConfig" && !has_finalizer_of_ours(metadata))
      text += what + " has no finalizer; ";
  }
  return text;
}

// --- small things ---

std::vector<MachineFacts> ClumsyUser::workers() const {
  std::vector<MachineFacts> found;
  for (const MachineFacts& each : deps_.auditor.facts().machines) {
    if (!each.going && !each.set.empty() && !is_extra(each.name)) found.push_back(each);
  }
  return found;
}

std::optional<MachineFacts> ClumsyUser::draw_of(const std::vector<MachineFacts>& machines) {
  if (machines.empty()) return {};
  return machines[deps_.baton.draw(machines.size())];
}

std::optional<MachineFacts> ClumsyUser::draw_worker() { return draw_of(workers()); }

std::optional<MachineFacts> ClumsyUser::draw_worker_with_vm() {
  auto found = workers();
  std::erase_if(found, [](const MachineFacts& each) { return each.provider_id.empty(); });
  return draw_of(found);
}

std::vector<ClumsyUser::Object> ClumsyUser::objects(bool with_cluster) const {
  std::vector<Object> found;
  const auto& facts = deps_.auditor.facts();
  for (const auto& each : facts.deployments)
    found.push_back({kube::resource_of<api::MachineDeployment>(), each.name});
  for (const auto& each : facts.sets) found.push_back({kube::resource_of<api::MachineSet>(), each.name});
  for (const auto& each : facts.machines) {
    if (each.set.empty()) continue;
    found.push_back({kube::resource_of<api::Machine>(), each.name});
    found.push_back({kube::resource_of<api::DriverMachine>(), each.infrastructure});
    found.push_back({kube::resource_of<api::CloudConfig>(), each.bootstrap});
  }
  if (!with_cluster) return found;
  found.push_back({kube::resource_of<api::DriverCluster>(), std::string(kCluster)});
  found.push_back({kube::resource_of<api::Cluster>(), std::string(kCluster)});
  return found;
}

// One of the fleet's that is not being deleted.
std::optional<ClumsyUser::Object> ClumsyUser::draw_object(bool with_cluster) {
  const auto all = objects(with_cluster);
  if (all.empty()) return {};
  const Object& drawn = all[deps_.baton.draw(all.size())];
  const auto document = read(drawn);
  if (!document || is_extra(drawn.name)) return {};
  if (document->at("metadata").as_object().contains("deletionTimestamp")) return {};
  return drawn;
}

std::string ClumsyUser::new_name() { return fmt::format("{}{}", kCopy, ++named_); }

std::optional<json::object> ClumsyUser::read(const Object& object) const {
  const auto stored = deps_.api.stored(object.kind.group, object.kind.plural, kNamespace, object.name);
  if (stored == nullptr) return {};
  return json::value(*stored).as_object();
}

bool ClumsyUser::write(const Object& object, const json::value& body, std::string_view subresource) {
  return deps_.client
      .patch(object.kind, named(object.name), body, {.subresource = std::string(subresource)},
             Deadline::never())
      .has_value();
}

bool ClumsyUser::create(const kube::Resource& kind, const json::object& object) {
  const auto key = named(object.at("metadata").at("name").as_string());
  const auto made = deps_.client.create(kind, key, object, {}, Deadline::never());
  if (!made) deps_.broke(fmt::format("create {} {}: {}", kind.kind, key.name, made.error().describe()));
  return made.has_value();
}

void ClumsyUser::remove(const Object& object) {
  (void)deps_.client.remove(object.kind, named(object.name), {}, Deadline::never());
}

void ClumsyUser::note_copy(ClumsyAct act, const Object& copy, bool may_stay, std::vector<Object> along) {
  copies_.insert(copy.name);
  mistakes_.push_back({.act = act,
                       .what = fmt::format("{} {}", copy.kind.kind, copy.name),
                       .mend =
                           [this, copy, along = std::move(along)] {
                             copies_.erase(copy.name);
                             deps_.auditor.machine_taken();
                             remove(copy);
                             // What no controller has signed on to, or taken over, is left to him.
                             const bool stays = read(copy).has_value();
                             for (const Object& each : along)
                               if (!stays || !is_owned(each)) remove(each);
                           },
                       .may_stay = may_stay,
                       // The Cluster deletes no Machine that it can't read, and names it: the user has to.
                       .holds = has_mistyped_number(copy)});
}

bool ClumsyUser::is_owned(const Object& object) const {
  const auto document = read(object);
  return document && document->at("metadata").as_object().contains("ownerReferences");
}

void ClumsyUser::note(ClumsyAct act, const std::string& line) {
  ++acts_[std::string(to_string(act))];
  deps_.tell("clumsy user: " + line);
}

void ClumsyUser::rest(Nanoseconds span, const std::stop_token& stop) {
  deps_.baton.pause(Deadline::in(deps_.baton, span, stop));
}

void ClumsyUser::rest_up_to(Nanoseconds span, const std::stop_token& stop) {
  rest(Nanoseconds(1ms) * static_cast<std::int64_t>(deps_.baton.draw(static_cast<std::uint64_t>(span / 1ms))),
       stop);
}

}  // namespace capstan::simulation
