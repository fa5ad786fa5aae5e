#include "infrastructure/controller/pool/reconciler.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "api/conditions/conditions.h"
#include "api/driver/names.h"
#include "base/try.h"
#include "infrastructure/controller/secrets.h"
#include "kube/typed.h"
#include "runtime/finalizers.h"
#include "runtime/triggers.h"

namespace capstan::infrastructure::pool {
namespace {

namespace reason = api::driver::reason;
namespace tag = api::driver::tag;
using runtime::Outcome;

constexpr Seconds kUntilGone{5};
constexpr Seconds kUntilReadable{30};

// One turn's work on one object.
class Work {
 public:
  Work(const Deps& deps, runtime::Consistency& consistency, const runtime::Context& context,
       const Observation& seen)
      : deps_(deps), consistency_(consistency), context_(context), seen_(seen), object_(*seen.object) {}

  Result<Outcome> run(const Plan& plan) {
    switch (plan.step) {
      case Step::Rest: return rest(plan);
      case Step::Wait: return wait(plan);
      case Step::Size: return bring_to_size();
      case Step::Remove: return remove();
    }
    return Outcome::done();
  }

 private:
  Result<Outcome> rest(const Plan& plan) {
    if (!plan.paused.paused) return Outcome::done();
    api::DriverMachinePool after = object_;
    set(after, api::condition::kPaused, api::status::kTrue, api::reason::kPaused, plan.paused.message);
    TRY(write_status(after));
    return Outcome::done();
  }

  Result<Outcome> wait(const Plan& plan) {
    api::DriverMachinePool after = object_;
    set(after, api::condition::kReady, api::status::kFalse, plan.reason, plan.message);
    TRY(write_status(after));
    return Outcome::done();
  }

  Result<Outcome> bring_to_size() {
    TRY(mint_key());
    const auto credentials =
        read_credentials(deps_.client, object_.metadata.namespace_, object_.spec.credentials_ref, deadline());
    if (!credentials) return unreadable(reason::kCredentialsUnreadable, credentials.error());
    const auto listed = deps_.driver.list(of_group(), *credentials, deadline());
    if (!listed) return trouble(reason::kCreateFailed, listed.error());
    Sizing sizing = size(seen_, *listed);
    std::optional<DriverError> refused;
    for (const Vm& victim : sizing.victims) {
      const auto removed = deps_.driver.remove({.provider_id = victim.provider_id}, *credentials, deadline());
      if (removed || removed.error().code == DriverCode::NotFound) continue;
      refused = removed.error();
      sizing.staying.push_back(victim);
    }
    if (!sizing.missing.empty()) {
      const kube::ObjectKey secret{
          .namespace_ = object_.metadata.namespace_.str(),
          .name = seen_.owner->spec.machine_template.spec.bootstrap.data_secret_name->str()};
      for (const std::size_t place : sizing.missing) {
        auto data = read_bootstrap_data(deps_.client, secret, deadline());
        if (!data) return unreadable(reason::kBootstrapDataUnreadable, data.error());
        auto made = deps_.driver.create(request(place, std::move(*data)), *credentials, deadline());
        if (!made) {
          refused = made.error();
          break;  // the next would be refused, too
        }
        sizing.staying.push_back(std::move(*made));
      }
    }
    return tell(sizing.staying, refused);
  }

  Result<void> mint_key() {
    api::DriverMachinePool wanted = object_;
    if (wanted.spec.group_key.empty()) wanted.spec.group_key = Text(random_uuid(deps_.randomness));
    if (!wanted.metadata.has_finalizer(api::driver::finalizer::kMachinePool)) {
      auto finalizers = *wanted.metadata.finalizers;
      finalizers.emplace_back(api::driver::finalizer::kMachinePool);
      wanted.metadata.finalizers = api::Finalizers(std::move(finalizers));
    }
    return write(wanted, kube::Lock::Always);
  }

  CreateVm request(std::size_t place, BootstrapData data) const {
    const auto& owner = *seen_.owner;
    const std::string name = vm_name(object_, place);
    const auto& domains = owner.spec.failure_domains;
    return {.instance_key = instance_key(object_, place),
            .name = name,
            .tags = {{std::string(tag::kCluster), owner.spec.cluster_name.str()},
                     {std::string(tag::kNamespace), object_.metadata.namespace_.str()},
                     {std::string(tag::kName), name},
                     {std::string(tag::kGroup), object_.spec.group_key.str()}},
            .vm_class = object_.spec.vm_class.str(),
            .failure_domain = domains.empty() ? std::string() : domains[place % domains.size()].str(),
            .kubernetes_version = owner.spec.machine_template.spec.version.str(),
            .provider_spec = std::string(object_.spec.provider_spec.text()),
            .user_data = std::move(data.value),
            .user_data_format = std::move(data.format)};
  }

  // First the list, then the number: who reads both never sees a number without its list.
  Result<Outcome> tell(const std::vector<Vm>& there, const std::optional<DriverError>& refused) {
    std::set<std::string> ids;
    for (const Vm& vm : there) ids.insert(vm.provider_id);
    api::DriverMachinePool wanted = object_;
    std::vector<Text> list;
    for (const std::string& id : ids) list.emplace_back(id);
    wanted.spec.provider_id_list = std::move(list);
    TRY(write(wanted, kube::Lock::WhenArraysChange));
    api::DriverMachinePool after = object_;
    after.status.replicas = static_cast<std::int32_t>(ids.size());
    if (!refused || !ids.empty()) {
      after.status.initialization.provisioned = true;
      after.status.ready = true;
    }
    if (refused) {
      const bool full = refused->code == DriverCode::ResourceExhausted;
      set(after, api::condition::kReady, api::status::kFalse,
          full ? reason::kResourceExhausted : reason::kCreateFailed, refused->message);
    } else {
      set(after, api::condition::kReady, api::status::kTrue, reason::kReady, {});
    }
    set(after, api::condition::kPaused, api::status::kFalse, api::reason::kNotPaused, {});
    TRY(write_status(after));
    return refused ? Outcome::after(
                         std::min<Nanoseconds>(deps_.look_every, reaction(Verb::Create, *refused).retry))
                   : Outcome::after(deps_.look_every);
  }

  Result<Outcome> remove() {
    if (!object_.metadata.has_finalizer(api::driver::finalizer::kMachinePool)) return Outcome::done();
    const auto credentials =
        read_credentials(deps_.client, object_.metadata.namespace_, object_.spec.credentials_ref, deadline());
    if (!credentials) return unreadable(reason::kCredentialsUnreadable, credentials.error());
    std::set<std::string> ids;
    for (const Text& id : object_.spec.provider_id_list) ids.insert(id.str());  // a list may lag
    if (!object_.spec.group_key.empty()) {
      const auto listed = deps_.driver.list(of_group(), *credentials, deadline());
      if (!listed) return trouble(reason::kDeleteFailed, listed.error());
      for (const Vm& vm : *listed) ids.insert(vm.provider_id);
    }
    bool left = false;
    for (const std::string& id : ids) {
      const auto removed = deps_.driver.remove({.provider_id = id}, *credentials, deadline());
      if (!removed && removed.error().code != DriverCode::NotFound)
        return trouble(reason::kDeleteFailed, removed.error());
      left = left || removed.has_value();
    }
    if (left) return Outcome::after(kUntilGone);
    TRY(runtime::drop_finalizer(deps_.client, consistency_, deps_.caches.driver_machine_pools, object_,
                                api::driver::finalizer::kMachinePool, deadline()));
    return Outcome::done();
  }

  // --- both ---

  Result<Outcome> unreadable(std::string_view why, const Error& error) {
    if (is_transient(error.code)) return fail(error);
    api::DriverMachinePool after = object_;
    set(after, api::condition::kReady, api::status::kFalse, why, error.message);
    TRY(write_status(after));
    return Outcome::after(kUntilReadable);
  }

  Result<Outcome> trouble(std::string_view why, const DriverError& error) {
    api::DriverMachinePool after = object_;
    set(after, api::condition::kReady, api::status::kFalse, why, error.message);
    TRY(write_status(after));
    return Outcome::after(reaction(Verb::Create, error).retry);
  }

  Tags of_group() const { return {{std::string(tag::kGroup), object_.spec.group_key.str()}}; }
  const Deadline& deadline() const { return context_.deadline; }

  void set(api::DriverMachinePool& after, std::string_view type, std::string_view status,
           std::string_view why, std::string_view message) const {
    api::conditions::set(after.status.conditions, api::conditions::make(type, status, why, message),
                         after.metadata.generation, seen_.now);
  }

  Result<void> write(const api::DriverMachinePool& wanted, kube::Lock lock) {
    auto written = TRY(kube::patch_part(deps_.client, object_, wanted, kube::Part::Main, lock, deadline()));
    if (!written) return {};
    object_ = std::move(*written);
    consistency_.wrote(kube::key_of(object_), deps_.caches.driver_machine_pools,
                       object_.metadata.resource_version);
    return {};
  }

  Result<void> write_status(api::DriverMachinePool& after) {
    if (!(after.status == object_.status)) after.status.observed_generation = after.metadata.generation;
    const auto written = TRY(kube::patch_status(deps_.client, object_, after, deadline()));
    if (written) {
      consistency_.wrote(kube::key_of(object_), deps_.caches.driver_machine_pools,
                         written->metadata.resource_version);
    }
    return {};
  }

  const Deps& deps_;
  runtime::Consistency& consistency_;
  const runtime::Context& context_;
  const Observation& seen_;
  api::DriverMachinePool object_;
};

// What of a MachinePool concerns its VMs.
bool is_relevant(const runtime::Change<api::MachinePool>& change) {
  if (!change.before || !change.after) return true;
  const auto& [before, after, initial] = change;
  return before->spec.replicas != after->spec.replicas ||
         !(before->spec.machine_template == after->spec.machine_template) ||
         before->spec.failure_domains != after->spec.failure_domains ||
         before->metadata.deleting() != after->metadata.deleting();
}

}  // namespace

Result<Outcome> Reconciler::reconcile(const runtime::Context& context, const kube::ObjectKey& key) {
  Observation seen{.now = Time::from(deps_.clock.now()),
                   .fresh = context.fresh,
                   .object = deps_.caches.driver_machine_pools.get(key)};
  if (!seen.object) return Outcome::done();
  seen.owner = deps_.caches.owner_machine_pool(seen.object->metadata);
  const std::string_view named = seen.owner ? seen.owner->spec.cluster_name.view() : std::string_view();
  seen.cluster = deps_.caches.clusters.get(cluster_key(seen.object->metadata, named));
  return Work(deps_, *consistency_, context, seen).run(decide(seen));
}

void Reconciler::add_triggers(runtime::Queue& queue) {
  runtime::trigger_self(deps_.caches.driver_machine_pools, queue);
  runtime::trigger<api::MachinePool>(
      deps_.caches.machine_pools, queue, [](const runtime::Change<api::MachinePool>& change) {
        const auto& ref = change.object().spec.machine_template.spec.infrastructure_ref;
        if (ref.kind != api::driver::kind::kDriverMachinePool ||
            ref.api_group != api::group::kInfrastructure || !is_relevant(change))
          return std::vector<kube::ObjectKey>();
        return std::vector<kube::ObjectKey>{
            {.namespace_ = change.object().metadata.namespace_.str(), .name = ref.name.str()}};
      });
  runtime::trigger<api::Cluster>(deps_.caches.clusters, queue,
                                 [&caches = deps_.caches](const runtime::Change<api::Cluster>& change) {
                                   std::vector<kube::ObjectKey> keys;
                                   const auto cluster = runtime::key_of(change.object());
                                   for (const auto& pool : caches.driver_machine_pools.all()) {
                                     if (cluster_key(pool->metadata) == cluster)
                                       keys.push_back(runtime::key_of(*pool));
                                   }
                                   return keys;
                                 });
}

}  // namespace capstan::infrastructure::pool
