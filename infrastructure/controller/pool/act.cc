#include "infrastructure/controller/pool/act.h"

#include <fmt/core.h>

#include "api/driver/names.h"
#include "infrastructure/controller/pool/work.h"
#include "runtime/finalizers.h"

namespace capstan::infrastructure::pool {
namespace {

namespace finalizer = api::driver::finalizer;
namespace reason = api::driver::reason;

constexpr Seconds kUntilReadable{30};  // of Secrets that people or other controllers may bring

}  // namespace

Effects act(const ActDeps& deps, const runtime::Context& context, const Observation& seen, const Plan& plan) {
  Work work(deps, context, seen, plan);
  const bool machines = seen.with_machines();
  switch (plan.step) {
    case Step::Size: return work.done(machines ? &Work::size_members : &Work::size_group);
    case Step::Remove: return work.done(machines ? &Work::remove_members : &Work::remove_group);
    case Step::Release: return work.done(&Work::release);
    case Step::Rest:
    case Step::Wait: break;
  }
  return {};
}

Effects Work::done(void (Work::*step)()) {
  (this->*step)();
  effects_.object = std::make_shared<const api::DriverMachinePool>(object_);
  return std::move(effects_);
}

void Work::release() {
  const auto dropped =
      runtime::drop_finalizer(deps_.client, deps_.consistency, deps_.caches.driver_machine_pools, object_,
                              finalizer::kMachinePool, deadline());
  if (!dropped) {
    fail_with(dropped.error());
    return;
  }
  effects_.released = true;
  context_.log.info("pool released", {});
}

// The whole list of finalizers and a key of the group: bound to what we saw.
bool Work::sign_on() {
  if (!plan_.sign_on) return true;
  api::DriverMachinePool wanted = object_;
  if (!seen_.with_machines() && wanted.spec.group_key.empty())
    wanted.spec.group_key = Text(random_uuid(deps_.randomness));
  if (!wanted.metadata.has_finalizer(finalizer::kMachinePool)) {
    auto finalizers = *wanted.metadata.finalizers;
    finalizers.emplace_back(finalizer::kMachinePool);
    wanted.metadata.finalizers = api::Finalizers(std::move(finalizers));
  }
  return write(wanted, kube::Lock::Always);
}

// Before the number in the status: who reads both never sees a number without its list.
bool Work::write_list(const std::set<std::string>& ids, const std::vector<std::string>& gone) {
  api::DriverMachinePool wanted = object_;
  std::vector<Text> list(ids.begin(), ids.end());
  wanted.spec.provider_id_list = std::move(list);
  const std::string_view named =
      wanted.metadata.annotations.value_or_empty(api::driver::annotation::kVictims);
  const std::string left = gone.empty() ? std::string(named) : victims_left(named, gone);
  if (left != named) {
    if (left.empty()) wanted.metadata.annotations.erase(api::driver::annotation::kVictims);
    if (!left.empty()) wanted.metadata.annotations.set(api::driver::annotation::kVictims, left);
  }
  return write(wanted, kube::Lock::WhenArraysChange);
}

// The size of a pool that others scale is what the cloud made of it; a user's number gives way.
// Bound to the pool we read: a user who takes it back meanwhile, and says another size, is not overwritten.
bool Work::tell_owner() {
  if (!plan_.tell_owner || !plan_.wanted) return true;
  api::MachinePool wanted = *seen_.owner;
  wanted.spec.replicas = static_cast<std::int32_t>(*plan_.wanted);
  const auto written =
      kube::patch_part(deps_.client, *seen_.owner, wanted, kube::Part::Main, kube::Lock::Always, deadline());
  if (!written) return fail_with(written.error());
  if (*written) {
    deps_.consistency.wrote(kube::key_of(object_), deps_.caches.machine_pools,
                            (*written)->metadata.resource_version);
  }
  return true;
}

bool Work::write(const api::DriverMachinePool& wanted, kube::Lock lock) {
  auto written = kube::patch_part(deps_.client, object_, wanted, kube::Part::Main, lock, deadline());
  if (!written) return fail_with(written.error());
  if (!*written) return true;
  object_ = std::move(**written);
  deps_.consistency.wrote(kube::key_of(object_), deps_.caches.driver_machine_pools,
                          object_.metadata.resource_version);
  return true;
}

std::optional<Credentials> Work::read_credentials_or_say() {
  auto read =
      read_credentials(deps_.client, object_.metadata.namespace_, object_.spec.credentials_ref, deadline());
  if (read) return std::move(*read);
  unreadable(reason::kCredentialsUnreadable, read.error());
  return std::nullopt;
}

std::optional<BootstrapData> Work::read_data_or_say() {
  const kube::ObjectKey secret{
      .namespace_ = object_.metadata.namespace_.str(),
      .name = seen_.owner->spec.machine_template.spec.bootstrap.data_secret_name->str()};
  auto data = read_bootstrap_data(deps_.client, secret, deadline());
  if (data) return std::move(*data);
  unreadable(reason::kBootstrapDataUnreadable, data.error());
  return std::nullopt;
}

bool Work::unreadable(std::string_view why, const Error& error) {
  if (is_transient(error.code)) return fail_with(error);
  effects_.trouble = Trouble{.reason = why, .message = error.message, .retry = kUntilReadable};
  return false;
}

void Work::trouble(std::string_view why, std::string_view what, const DriverError& error,
                   const Reaction& reaction) {
  effects_.trouble = Trouble{.reason = why,
                             .message = fmt::format("can't {}: {}", what, error.describe()),
                             .retry = reaction.retry,
                             .quiet = reaction.quiet};
}

bool Work::fail_with(const Error& error) {
  effects_.error = error;
  return false;
}

}  // namespace capstan::infrastructure::pool
