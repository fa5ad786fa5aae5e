#include "infrastructure/controller/pool/act.h"

#include "api/driver/names.h"
#include "infrastructure/controller/pool/victims.h"
#include "infrastructure/controller/pool/work.h"

namespace capstan::infrastructure::pool {

Effects act(const ActContext& with, const Observation& seen, const Plan& plan) {
  return Work(with, seen).run(plan);
}

Effects Work::run(const Plan& plan) {
  effects_.refusal = seen_.refusal;
  for (const Action& action : plan.actions) {
    if (!std::visit([&](const auto& each) { return perform(each); }, action)) break;
  }
  effects_.last_known_states = states_.as_status();
  effects_.object = std::make_shared<const api::DriverMachinePool>(object_);
  return std::move(effects_);
}

bool Work::perform(const SignOn& action) {
  api::DriverMachinePool wanted = object_;
  if (action.mint_key) {
    wanted.spec.group_key = Text(random_uuid(with_.deps.randomness));
    if (!settle_account(wanted.spec.account)) return false;
  }
  wanted.metadata.finalizers = action.to;
  return write(wanted, kube::Lock::Always);
}

bool Work::perform(const SetReplicas& action) {
  api::MachinePool wanted = *action.owner;
  wanted.spec.replicas = action.to;
  const auto written = kube::patch_part(with_.deps.client, *action.owner, wanted, kube::Part::Main,
                                        kube::Lock::Always, deadline());
  if (!written) return fail_with(written.error());
  if (!*written) return true;
  with_.consistency.wrote(kube::key_of(object_), with_.deps.caches.machine_pools,
                          (*written)->metadata.resource_version);
  return true;
}

bool Work::perform(const WriteList& action) {
  if (!write_list(action.to, action.victims_gone)) return false;
  effects_.there = action.working;
  return true;
}

bool Work::perform(const DropFinalizer&) {
  const auto dropped = drop_finalizer(with_, with_.deps.caches.driver_machine_pools, object_,
                                      api::driver::finalizer::kMachinePool);
  if (!dropped) return fail_with(dropped.error());
  effects_.released = true;
  with_.context.log.info("pool released", {});
  return true;
}

// Before the number in the status: a reader of both never sees a number without its list.
bool Work::write_list(const std::set<std::string>& ids, const std::vector<std::string>& victims_gone) {
  api::DriverMachinePool wanted = object_;
  wanted.spec.provider_id_list = std::vector<Text>(ids.begin(), ids.end());
  if (wanted.spec.account.empty()) wanted.spec.account = account_;
  auto& annotations = wanted.metadata.annotations;
  const std::string named(annotations.value_or_empty(api::driver::annotation::kVictims));
  const std::string left = victims_gone.empty() ? named : victims_left(named, victims_gone);
  if (left != named && left.empty()) annotations.erase(api::driver::annotation::kVictims);
  if (left != named && !left.empty()) annotations.set(api::driver::annotation::kVictims, left);
  return write(wanted, kube::Lock::WhenArraysChange);
}

bool Work::write(const api::DriverMachinePool& wanted, kube::Lock lock) {
  const auto written =
      infrastructure::write(with_, with_.deps.caches.driver_machine_pools, object_, wanted, lock);
  return written ? true : fail_with(written.error());
}

bool Work::fail_with(Trouble trouble) {
  effects_.trouble = std::move(trouble);
  return false;
}

bool Work::fail_with(const Error& error) {
  effects_.error = error;
  return false;
}

}  // namespace capstan::infrastructure::pool
