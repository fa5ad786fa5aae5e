#include "controllers/machineset/observe.h"

#include <fmt/core.h>

#include <algorithm>
#include <boost/json.hpp>

#include "api/contract/control_plane.h"
#include "api/contract/template_clone.h"
#include "api/meta/label_selector.h"
#include "api/v1beta2/machine_set_rules.h"
#include "base/safeguards.h"
#include "base/try.h"
#include "controllers/inplace/hand_over.h"
#include "controllers/inplace/update_mark.h"
#include "controllers/lifecycle/preservation.h"
#include "controllers/machineset/remediation.h"
#include "controllers/machineset/wanted.h"
#include "controllers/safety/fleet_request.h"
#include "controllers/safety/see_deletion_rules.h"
#include "controllers/safety/take_census.h"
#include "controllers/shared/belonging.h"
#include "controllers/shared/confirm_release.h"
#include "controllers/shared/policies.h"
#include "controllers/shared/policy_members.h"
#include "controllers/shared/reach.h"
#include "runtime/ownership.h"

namespace capstan::controllers::machineset {
namespace {

using api::MachineSet;
using runtime::Intent;

class Observer {
 public:
  Observer(const ObserveContext& with, const Settings& settings, Observation& seen)
      : with_(with), settings_(settings), caches_(with.deps.caches), seen_(seen) {}

  void look() {
    see_owners();
    see_spec();
    see_machines();
    see_templates();
    see_unsettled();
    see_control_plane();
    see_policy();
    ask_brakes();
  }

 private:
  const api::ObjectMeta& metadata() const { return seen_.stored->metadata; }
  std::string_view namespace_of() const { return metadata().namespace_.view(); }

  void see_owners() {
    belonging_ = belonging_of(caches_, *seen_.stored);
    seen_.cluster = caches_.cluster_of(namespace_of(), belonging_.cluster);
    const Text* name = metadata().labels.find(api::label::kDeploymentName);
    if (name == nullptr) return;
    seen_.deployment =
        caches_.machine_deployments.get({.namespace_ = std::string(namespace_of()), .name = name->str()});
    seen_.deployment_missing = !seen_.deployment;
  }

  // Never count on a webhook having run: what it would have set or refused is set or refused here.
  void see_spec() {
    seen_.set = adjusted(*seen_.stored, seen_.cluster ? &seen_.cluster->metadata : nullptr);
    // Its Machines belong to the Cluster that owns it: what it says of another one is acted upon in no way.
    if (const auto text = contradiction(belonging_, seen_.stored->spec.cluster_name.view()); !text.empty()) {
      return complain(text);
    }
    if (const auto defaulted = api::apply_defaults(seen_.set, nullptr); !defaulted) {
      return complain(defaulted.error().message);
    }
    if (const std::int32_t replicas = seen_.set.spec.replicas.value_or(0); replicas < 0) {
      complain(fmt::format("spec.replicas: {} is negative; 0 or more Machines can be wanted", replicas));
    }
    const auto selector = api::Selector::from(seen_.set.spec.selector);
    if (!selector) return complain("spec.selector: " + selector.error().message);
    selector_ = *selector;
    if (!selector_->matches(machine_labels(seen_.set))) {
      complain(
          fmt::format("spec.selector ({}) does not match the labels in spec.template.metadata.labels: "
                      "no Machine made from the template would belong to this MachineSet; make them match",
                      selector_->str()));
    }
    if (const auto order = parse_deletion_order(seen_.set.spec.deletion.order.view()); !order) {
      complain(order.error().message);
    }
  }

  void complain(std::string_view problem) {
    if (!seen_.problem.empty()) seen_.problem += "; ";
    seen_.problem += problem;
  }

  void see_machines() {
    for (auto& machine : caches_.machines_owned_by(metadata().uid)) {
      if (!runtime::is_controlled_by(machine->metadata, metadata().uid)) continue;
      const bool matched = !selector_ || selector_->matches(machine->metadata.labels);
      (matched ? seen_.machines : seen_.strays).push_back(std::move(machine));
    }
    see_release();
    // A selector in doubt releases no Machine and adopts none.
    if (!seen_.problem.empty()) {
      std::ranges::move(seen_.strays, std::back_inserter(seen_.machines));
      seen_.strays.clear();
    } else {
      see_orphans();
    }
    see_unreadable();
    see_nodes();
  }

  void see_unreadable() {
    if (is_off(Safeguard::UnreadableCounts)) return;
    for (auto& machine : caches_.machines.unreadable_in(namespace_of())) {
      const bool adoptable = machine.metadata_read && machine.owners.empty() &&
                             (!selector_ || selector_->matches(machine.labels));
      if (adoptable || machine.may_be_owned_by(metadata().uid)) {
        seen_.unreadable.push_back(std::move(machine));
      }
    }
  }

  // status.selector is the one that was last acted upon. Labels that change on the Machines are a wish of
  // their own.
  void see_release() {
    const bool changed = selector_ && seen_.stored->status.selector.view() != selector_->str();
    if (!changed || !seen_.problem.empty() || seen_.deleting()) return;
    std::vector<std::string> names;
    for (const auto& stray : seen_.strays) {
      if (!stray->metadata.deleting()) names.push_back(stray->metadata.name.str());
    }
    seen_.unconfirmed =
        unconfirmed_release({.kind = api::kind::kMachineSet, .owner = metadata(), .machines = names});
    if (!seen_.unconfirmed.empty()) complain(seen_.unconfirmed);
  }

  void see_orphans() {
    const ObjectKey cluster{.namespace_ = std::string(namespace_of()),
                            .name = seen_.stored->spec.cluster_name.str()};
    for (auto& machine : caches_.uncontrolled_machines_of(cluster)) {
      if (selector_->matches(machine->metadata.labels)) seen_.orphans.push_back(std::move(machine));
    }
  }

  void see_nodes() {
    seen_.nodes.resize(seen_.machines.size());
    const auto workload = with_.deps.workload_clusters.get(
        {.namespace_ = std::string(namespace_of()), .name = belonging_.cluster});
    if (!workload) return;
    seen_.sees_nodes = true;
    for (std::size_t i = 0; i < seen_.machines.size(); ++i) {
      const auto& ref = seen_.machines[i]->status.node_ref;
      if (ref) seen_.nodes[i] = (*workload)->nodes().get({.namespace_ = {}, .name = ref->name.str()});
    }
  }

  void see_templates() {
    const api::MachineSpec& machine = seen_.set.spec.machine_template.spec;
    if (machine.bootstrap.config_ref) seen_.bootstrap = see_template(*machine.bootstrap.config_ref);
    seen_.infrastructure = see_template(machine.infrastructure_ref);
  }

  TemplateSeen see_template(const api::ContractRef& ref) {
    TemplateSeen seen{.state = TemplateSeen::State::Unknown, .ref = ref};
    const bool clones_listed = see_clones(ref);
    auto found = with_.host.externals.get(ref, namespace_of());
    if (!found) {
      if (found.error().retry_after) seen.state = TemplateSeen::State::Unlisted;
      seen.problem = found.error().message;
      return seen;
    }
    seen.resource = std::move(found->resource);
    seen.cache = found->cache;
    seen.object = std::move(found->object);
    seen.state = seen.object ? TemplateSeen::State::Found : TemplateSeen::State::Missing;
    if (seen.object && !clones_listed) seen.state = TemplateSeen::State::Unlisted;
    return seen;
  }

  // False while they are only not listed yet.
  bool see_clones(const api::ContractRef& ref) {
    auto owned = with_.host.externals.plainly_owned_by(
        ref.api_group.view(), api::contract::cloned_kind(ref.kind.view()), metadata().uid);
    if (!owned) return !owned.error().retry_after;
    for (auto& object : owned->objects) {
      seen_.clones.push_back(
          {.resource = owned->resource, .cache = owned->cache, .object = std::move(object)});
    }
    return true;
  }

  void see_unsettled() {
    for (const auto& machine : seen_.machines) {
      if (seen_.settled.has(*machine)) continue;
      UnsettledMachine unsettled{.machine = machine};
      if (!machine->metadata.deleting()) {
        see_bootstrap(unsettled);
        see_infrastructure(unsettled);
        unsettled.as_made_now = refers_to_clones(*machine);
      }
      seen_.unsettled.push_back(std::move(unsettled));
    }
  }

  void see_bootstrap(UnsettledMachine& unsettled) {
    const api::Machine& machine = *unsettled.machine;
    const auto& config = machine.spec.bootstrap.config_ref;
    if (!config || see_clone(*config, unsettled)) return;
    const bool served = machine.spec.bootstrap.data_secret_name ||
                        machine.status.initialization.bootstrap_data_secret_created.value_or(false);
    unsettled.lacks_bootstrap = !served && config->name == machine.metadata.name;
  }

  void see_infrastructure(UnsettledMachine& unsettled) {
    const api::Machine& machine = *unsettled.machine;
    if (see_clone(machine.spec.infrastructure_ref, unsettled)) return;
    const bool served = !machine.spec.provider_id.empty() ||
                        machine.status.initialization.infrastructure_provisioned.value_or(false);
    unsettled.lacks_infrastructure = !served && machine.spec.infrastructure_ref.name == machine.metadata.name;
  }

  // False when it is certainly not there.
  bool see_clone(const api::ContractRef& ref, UnsettledMachine& unsettled) {
    auto found = with_.host.externals.get(ref, namespace_of());
    if (!found) {
      unsettled.complete = false;
      unsettled.listed_soon = unsettled.listed_soon && found.error().retry_after.has_value();
      return true;
    }
    if (!found->object) return false;
    unsettled.clones.push_back(
        {.resource = std::move(found->resource), .cache = found->cache, .object = std::move(found->object)});
    return true;
  }

  // As a set names them, in a Machine that a set has made: what a user's own refers to is the user's to make.
  bool refers_to_clones(const api::Machine& machine) const {
    if (!is_our_work(machine)) return false;
    const api::MachineSpec& wanted = seen_.set.spec.machine_template.spec;
    const auto& config = machine.spec.bootstrap.config_ref;
    const auto& source = wanted.bootstrap.config_ref;
    return config.has_value() == source.has_value() &&
           (!config || *config == clone_ref(*source, machine.metadata.name)) &&
           machine.spec.infrastructure_ref == clone_ref(wanted.infrastructure_ref, machine.metadata.name);
  }

  bool is_our_work(const api::Machine& machine) const {
    return machine.metadata.managed_fields.applied_by(api::field_manager::kMachineSet) != nullptr &&
           could_have_named(seen_.set, machine.metadata.name);
  }

  void see_control_plane() {
    if (!seen_.cluster || !seen_.cluster->spec.control_plane_ref) return;
    const api::ContractRef& ref = *seen_.cluster->spec.control_plane_ref;
    seen_.control_plane.referenced = true;
    seen_.control_plane.described = fmt::format("{} {}/{}", ref.kind.view(), namespace_of(), ref.name.view());
    const auto read = read_control_plane(ref);
    if (!read) {
      seen_.control_plane.problem =
          "failed to get " + seen_.control_plane.described + ": " + read.error().message;
      seen_.control_plane.listed_soon = read.error().retry_after.has_value();
    }
    see_topology();
  }

  Result<void> read_control_plane(const api::ContractRef& ref) {
    const auto found = TRY(with_.host.externals.get(ref, namespace_of()));
    if (!found.object) return fail(Code::NotFound, "it does not exist");
    const api::contract::ControlPlane view(api::contract::Foreign(*found.object), found.contract);
    seen_.control_plane.version = TRY(view.version());
    if (!seen_.control_plane.version) return {};
    seen_.control_plane.provisioning = !TRY(view.running_version()).has_value();
    seen_.control_plane.upgrading = TRY(view.upgrading());
    return {};
  }

  void see_topology() {
    if (!settings_.cluster_topology) return;
    const auto& topology = seen_.cluster->spec.topology;
    if (topology.empty()) return;
    const auto value = topology.to_json();
    const auto* object = value.if_object();
    const auto* version = object == nullptr ? nullptr : object->if_contains("version");
    if (version != nullptr && version->is_string()) {
      seen_.topology_version = std::string(version->as_string());
    }
  }

  void see_policy() {
    const PolicyChoice choice = policy_for(caches_, *seen_.stored);
    seen_.policy = lifecycle_policy(choice);
    seen_.census = safety::census_of(caches_, *seen_.stored, overshoot_of(choice), seen_.now);
    seen_.deletion_rules = safety::see_deletion_rules(caches_, choice);
    if (seen_.deployment)
      seen_.deletion_rules.rollouts_asked_above = policy_for(caches_, *seen_.deployment) == choice;
    if (seen_.policy && seen_.cluster)
      seen_.contact = contact_of(reach_of(with_.deps.workload_clusters, *seen_.cluster));
    see_preservation();
    see_siblings();
    see_exchanges(choice);
    seen_.fleet = safety::see_fleet(caches_, seen_.machines);
  }

  // What a policy has begun may be on its way when the policy is gone.
  void see_exchanges(const PolicyChoice& choice) {
    if (!seen_.deployment) return;
    const bool wanted = choice.policy && choice.policy->spec.rollout && choice.policy->spec.rollout->in_place;
    seen_.exchanges =
        wanted || !inplace::handed_over_by(metadata()).empty() ||
        !inplace::taken_over_by(metadata()).empty() ||
        std::ranges::any_of(seen_.machines, [](const auto& machine) { return inplace::is_marked(*machine); });
  }

  // Only beside a Machine that is to be remediated or replaced.
  void see_siblings() {
    const bool asks =
        seen_.policy && seen_.deployment && std::ranges::any_of(seen_.machines, [](const auto& machine) {
          return awaits_replacement(*machine) || awaits_remediation(*machine);
        });
    if (!asks) return;
    for (const auto& set : caches_.machine_sets_owned_by(seen_.deployment->metadata.uid)) {
      if (set->metadata.uid == metadata().uid) continue;
      const auto machines = caches_.machines_owned_by(set->metadata.uid);
      const auto missing = set->spec.replicas.value_or(0) - static_cast<std::int32_t>(machines.size());
      seen_.siblings_missing += std::max(0, missing);
      seen_.siblings.insert(seen_.siblings.end(), machines.begin(), machines.end());
    }
  }

  // Only of a set in which a Machine has failed: all Machines of the policy are looked at.
  void see_preservation() {
    const bool asks = seen_.policy && seen_.policy->spec.preservation &&
                      std::ranges::any_of(seen_.machines, [](const auto& machine) {
                        return lifecycle::has_failed(*machine);
                      });
    if (!asks) return;
    for (const auto& machine : auto_preservation_under(caches_, *seen_.policy, with_.deps.watch_filter).mark)
      seen_.about_to_be_preserved.push_back(machine->metadata.uid);
  }

  void ask_brakes() {
    const ObjectKey key = runtime::key_of(*seen_.stored);
    const runtime::Asker asker{.kind = api::kind::kMachineSet, .key = key};
    seen_.may_create = with_.deps.brake.ask(Intent::CreateMachine, asker);
    seen_.may_scale_down = with_.deps.brake.ask(Intent::ScaleDown, asker);
    seen_.may_remediate = with_.deps.brake.ask(Intent::Remediate, asker);
    // By number it is only for creations; a person's freeze is a brake.
    const safety::Frozen& frozen = seen_.census.frozen;
    if (frozen.holds() && seen_.may_create.open) seen_.may_create = {.open = false, .why = frozen.why};
  }

  const ObserveContext& with_;
  const Settings& settings_;
  const Caches& caches_;
  Observation& seen_;
  Belonging belonging_ = {};
  std::optional<api::Selector> selector_ = {};
};

}  // namespace

Observation observe(const ObserveContext& with, Memory& memory, const Snapshot<MachineSet>& stored) {
  const Time now = Time::from(with.deps.clock.now());
  Observation seen{.now = now,
                   .settled = memory.settled.take(*stored, now),
                   .fresh = with.context.fresh && with.deps.caches.machines.synced(),
                   .stale = with.context.stale,
                   .stored = stored,
                   .preflight_checks = memory.settings.preflight_checks};
  Observer(with, memory.settings, seen).look();
  return seen;
}

}  // namespace capstan::controllers::machineset
