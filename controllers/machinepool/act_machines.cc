#include "controllers/machinepool/act_machines.h"

#include <fmt/format.h>

#include <array>
#include <boost/json.hpp>

#include "api/policy/names.h"
#include "api/schema/encode.h"
#include "base/try.h"
#include "controllers/lifecycle/victims.h"
#include "controllers/safety/fleet_annotations.h"
#include "controllers/shared/grant.h"
#include "controllers/shared/repair_managers.h"
#include "controllers/shared/turn_steps.h"
#include "kube/typed.h"
#include "runtime/note.h"

namespace capstan::controllers::machinepool {
namespace {

using api::Machine;

constexpr std::array kOwnedOfMachine = {api::condition::kUpToDate};

void wrote(ActTurn& turn, api::ResourceVersion version) {
  turn.with.host.consistency.wrote(turn.key, turn.with.deps.caches.machines, version);
}

}  // namespace

Result<void> create_machine(ActTurn& turn, const CreateMachine& action) {
  const Machine& machine = action.machine;
  const auto& with = turn.with;
  const auto made = with.host.consistency.create_by_apply(with.deps.client, turn.key,
                                                          {.cache = with.deps.caches.machines,
                                                           .resource = kube::resource_of<Machine>(),
                                                           .key = kube::key_of(machine)},
                                                          turn.seen.pool->metadata.uid, api::to_json(machine),
                                                          api::field_manager::kMachinePool, turn.deadline());
  if (!made) return fail(made.error().context("create Machine " + machine.metadata.name.str()));
  return {};
}

Result<void> apply_machine(ActTurn& turn, const ApplyMachine& action) {
  const auto written = kube::apply(turn.with.deps.client, action.to, action.from.get(),
                                   api::field_manager::kMachinePool, turn.deadline());
  if (!written && written.error().code == Code::NotFound) return {};
  if (!written) return fail(written.error());
  if (*written) wrote(turn, (*written)->metadata.resource_version);
  return {};
}

Result<void> repair_managers_of(ActTurn& turn, const RepairManagers& action) {
  const auto repaired =
      repair_managers(turn.with.deps.client, kube::resource_of<Machine>(), kube::key_of(*action.machine),
                      api::field_manager::kMachinePool, turn.deadline());
  if (!repaired && repaired.error().code == Code::NotFound) return {};
  if (!repaired) return fail(repaired.error());
  wrote(turn, *repaired);
  return {};
}

Result<void> write_up_to_date(ActTurn& turn, const WriteUpToDate& action) {
  const auto written = patch_status(turn.with.deps.client, *action.from, action.to,
                                    {.types = kOwnedOfMachine}, turn.seen.now, turn.deadline());
  if (!written && written.error().code == Code::NotFound) return {};
  if (!written) return fail(written.error());
  if (*written) wrote(turn, (*written)->metadata.resource_version);
  return {};
}

Result<void> delete_machine(ActTurn& turn, const DeleteMachine& action) {
  const Machine& machine = *action.machine;
  const kube::ObjectKey object{.namespace_ = turn.key.namespace_,
                               .name = machine.spec.infrastructure_ref.name.str()};
  const auto live = turn.with.deps.client.get(turn.seen.machines.resource, object, turn.deadline());
  if (live) return {};
  if (live.error().code != Code::NotFound) return fail(live.error());
  const auto clearance = TRY(claims::Clearance::of_child(machine.metadata, turn.seen.pool->metadata.uid));
  return claims::remove(turn.deleting(),
                        {.cache = turn.with.deps.caches.machines,
                         .resource = kube::resource_of<Machine>(),
                         .key = kube::key_of(machine)},
                        clearance);
}

Result<void> grant(ActTurn& turn, const GrantReplacement& action) {
  const auto version = TRY(grant_replacement(turn.with.deps.client, *action.machine, turn.deadline()));
  if (version) wrote(turn, *version);
  return {};
}

// As below: a Machine that has changed brings the next turn.
Result<void> ask_fleet(ActTurn& turn, const AskFleet& action) {
  const auto version = safety::write_fleet_request(turn.with.deps.client, action, turn.deadline());
  if (!version && version.error().code == Code::Conflict) return {};
  if (TRY(version)) wrote(turn, **version);
  return {};
}

// What it has become brings the next turn, which asks again.
Result<void> replace_machine(ActTurn& turn, const ReplaceMachine& action) {
  const auto& metadata = action.machine->metadata;
  const auto clearance = TRY(claims::Clearance::of_child(metadata, turn.seen.pool->metadata.uid));
  kube::DeleteOptions options{.propagation = kube::Propagation::Background};
  options.resource_version = metadata.resource_version.str();
  const auto removed = claims::remove(turn.deleting(),
                                      {.cache = turn.with.deps.caches.machines,
                                       .resource = kube::resource_of<Machine>(),
                                       .key = kube::key_of(*action.machine)},
                                      clearance, std::move(options));
  if (!removed && removed.error().code == Code::Conflict) return {};
  TRY(removed);
  std::string text = action.named
                         ? fmt::format("Deleted Machine \"{}\", which annotation {} names",
                                       metadata.name.view(), api::policy::annotation::kVictims)
                         : fmt::format("Deleted Machine \"{}\", which has failed", metadata.name.view());
  record_note(turn.with.deps.events,
              runtime::reference_to(kube::resource_of<api::MachinePool>(), turn.seen.pool->metadata),
              {.code = api::NoteCode::Deleted, .text = std::move(text)});
  return {};
}

// One that says something else by now confirms something else, and stays.
Result<void> use_confirmation(ActTurn& turn) {
  const auto& with = turn.with;
  api::MachinePool after = turn.effects.pool;
  after.metadata.annotations.erase(api::policy::annotation::kConfirmDeletion);
  auto written = kube::patch_part(with.deps.client, turn.effects.pool, after, kube::Part::Main,
                                  kube::Lock::Always, turn.deadline());
  if (!written && written.error().code == Code::Conflict) return {};
  auto pool = TRY(written);
  if (!pool) return {};
  with.host.consistency.wrote(turn.key, with.deps.caches.machine_pools, pool->metadata.resource_version);
  turn.effects.pool = std::move(*pool);
  return {};
}

// Bound to the version that was seen: more may have been named meanwhile.
Result<void> write_victims(ActTurn& turn, const WriteVictims& action) {
  const auto& with = turn.with;
  const api::MachinePool before = turn.effects.pool;
  api::MachinePool after = before;
  if (lifecycle::victims_said(after.metadata.annotations) != action.from) return {};
  lifecycle::rewrite_victims(after.metadata.annotations, action.to);
  auto written = TRY(kube::patch_part(with.deps.client, before, after, kube::Part::Main, kube::Lock::Always,
                                      turn.deadline()));
  if (!written) return {};
  with.host.consistency.wrote(turn.key, with.deps.caches.machine_pools, written->metadata.resource_version);
  turn.effects.pool = std::move(*written);
  const auto pool = runtime::reference_to(kube::resource_of<api::MachinePool>(), turn.seen.pool->metadata);
  for (const std::string& line : action.dropped)
    record_note(with.deps.events, pool, {.code = api::NoteCode::VictimDropped, .text = line});
  if (!action.overruled.empty())
    record_note(with.deps.events, pool, {.code = api::NoteCode::AliasOverruled, .text = action.overruled});
  return {};
}

}  // namespace capstan::controllers::machinepool
