#include "infrastructure/controller/machine/act.h"

#include "api/driver/names.h"
#include "infrastructure/controller/machine/work.h"

namespace capstan::infrastructure::machine {
namespace {

namespace finalizer = api::driver::finalizer;
namespace tag = api::driver::tag;

}  // namespace

Effects act(const ActContext& with, const Observation& seen, const Plan& plan) {
  return Work(with, seen).run(plan);
}

Effects Work::run(const Plan& plan) {
  for (const Action& action : plan.actions) {
    if (!std::visit([&](const auto& each) { return perform(each); }, action)) break;
  }
  effects_.object = std::make_shared<const api::DriverMachine>(object_);
  return std::move(effects_);
}

bool Work::perform(const SignOn& action) {
  api::DriverMachine wanted = object_;
  if (action.mint_key) {
    wanted.spec.instance_key = Text(random_uuid(with_.deps.randomness));
    if (!settle_account(wanted.spec.account)) return false;
  }
  wanted.metadata.finalizers = action.to;
  return write(wanted, kube::Lock::Always);
}

bool Work::perform(const RestoreFinalizer& action) {
  api::DriverMachine wanted = object_;
  wanted.metadata.finalizers = action.to;
  if (!write(wanted, kube::Lock::Always)) return false;
  with_.context.log.info("finalizer put back", {{"finalizer", finalizer::kMachine}});
  return true;
}

bool Work::perform(const DropFinalizer&) {
  const auto dropped = drop_finalizer(with_, with_.deps.caches.driver_machines, object_, finalizer::kMachine);
  if (!dropped) return fail_with(dropped.error());
  effects_.released = true;
  with_.context.log.info("vm released", {{"providerID", object_.spec.provider_id}});
  return true;
}

VmId Work::identity() const {
  return {.provider_id = object_.spec.provider_id.str(),
          .instance_key = object_.spec.instance_key.str(),
          .last_known_state = object_.status.last_known_state.str()};
}

bool Work::carries_our_name(const Vm& vm) const {
  return may_carry(vm, tag::kName, object_.metadata.name.view()) &&
         may_carry(vm, tag::kNamespace, object_.metadata.namespace_.view());
}

// Null: they can't be read; the effects say why.
const Credentials* Work::find_credentials() {
  if (!credentials_)
    credentials_ = credentials_for(with_, object_.metadata, object_.spec.credentials_ref, effects_);
  return credentials_ ? &*credentials_ : nullptr;
}

bool Work::write(const api::DriverMachine& wanted, kube::Lock lock) {
  const auto written = infrastructure::write(with_, with_.deps.caches.driver_machines, object_, wanted, lock);
  return written ? true : fail_with(written.error());
}

// Of a call that changes the VM.
void Work::keep_state_of(const DriverError& error) {
  effects_.last_known_state = state_after(error, object_.status.last_known_state.str());
}

bool Work::fail_with(Trouble trouble) {
  effects_.trouble = std::move(trouble);
  return false;
}

bool Work::fail_with(const Error& error) {
  effects_.error = error;
  return false;
}

}  // namespace capstan::infrastructure::machine
