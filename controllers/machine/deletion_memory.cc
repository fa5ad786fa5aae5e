#include "controllers/machine/deletion_memory.h"

#include "kube/typed.h"

namespace capstan::controllers::machine {
namespace {

void add_marks(api::MachineDeletionStatus& marks, const api::MachineDeletionStatus& more) {
  for (const auto mark : {&api::MachineDeletionStatus::node_drain_start_time,
                          &api::MachineDeletionStatus::wait_for_node_volume_detach_start_time,
                          &api::MachineDeletionStatus::wait_for_pre_drain_hook_start_time,
                          &api::MachineDeletionStatus::wait_for_pre_terminate_hook_start_time}) {
    if (!(marks.*mark).is_set()) marks.*mark = more.*mark;
  }
}

}  // namespace

void DeletionMemory::delete_was_sent(const DeletionFacts& facts) {
  progress_.with([&](auto& all) {
    all[kube::key_of(*facts.machine)] = {.machine = facts.machine->metadata.uid,
                                         .delete_sent = *facts.delete_sent,
                                         .marks = facts.marks,
                                         .drain = facts.drain,
                                         .volumes = facts.volumes};
  });
}

void DeletionMemory::delete_failed(const kube::ObjectKey& machine) {
  progress_.with([&](auto& all) { all.erase(machine); });
}

void DeletionMemory::recall(DeletionFacts& facts) const {
  progress_.with([&](const auto& all) {
    const auto found = all.find(kube::key_of(*facts.machine));
    if (found == all.end() || found->second.machine != facts.machine->metadata.uid) return;
    const Progress& progress = found->second;
    facts.delete_sent = progress.delete_sent;
    add_marks(facts.marks, progress.marks);
    facts.drain = progress.drain;
    facts.volumes = progress.volumes;
  });
}

Seconds DeletionMemory::node_refused_for(const kube::ObjectKey& machine) {
  return time_since_first(refused_since_, machine);
}

Seconds DeletionMemory::force_in_vain_for(const kube::ObjectKey& machine) {
  return time_since_first(in_vain_since_, machine);
}

Seconds DeletionMemory::attachments_in_vain_for(const kube::ObjectKey& machine) {
  return time_since_first(attachments_since_, machine);
}

Seconds DeletionMemory::time_since_first(Since& since, const kube::ObjectKey& machine) {
  const SteadyTime now = clock_.steady_now();
  const SteadyTime first = since.with([&](auto& all) { return all.try_emplace(machine, now).first->second; });
  return std::chrono::floor<Seconds>(now - first);
}

void DeletionMemory::forget(const kube::ObjectKey& machine) {
  progress_.with([&](auto& all) { all.erase(machine); });
  refused_since_.with([&](auto& all) { all.erase(machine); });
  in_vain_since_.with([&](auto& all) { all.erase(machine); });
  attachments_since_.with([&](auto& all) { all.erase(machine); });
}

}  // namespace capstan::controllers::machine
