#include "infrastructure/controller/machine/act.h"

#include <fmt/format.h>

#include "api/driver/names.h"
#include "api/names.h"
#include "base/safeguards.h"
#include "infrastructure/controller/secrets.h"
#include "kube/typed.h"
#include "runtime/finalizers.h"

namespace capstan::infrastructure::machine {
namespace {

namespace reason = api::driver::reason;
namespace tag = api::driver::tag;
namespace finalizer = api::driver::finalizer;

constexpr Seconds kUntilReadable{30};  // of Secrets that people or other controllers may bring
constexpr Seconds kUntilGone{5};
constexpr Seconds kStranger{180};

// One turn's work on one object.
class Work {
 public:
  Work(const ActDeps& deps, const runtime::Context& context, const Observation& seen, const Plan& plan)
      : deps_(deps), context_(context), seen_(seen), plan_(plan), object_(*seen.object) {}

  Effects done(void (Work::*step)()) {
    (this->*step)();
    effects_.object = std::make_shared<const api::DriverMachine>(object_);
    return std::move(effects_);
  }

  void create() {
    if (plan_.mint_key && !mint_key()) return;
    const auto credentials = read_credentials_or_say();
    if (!credentials) return;
    if (!find_or_make(*credentials)) return;
    if (!is_ours(*effects_.vm)) return;
    if (object_.spec.provider_id.empty()) write_provider_id();
  }

  void protect() {
    if (put_finalizer(object_)) context_.log.info("finalizer put back", {{"finalizer", finalizer::kMachine}});
  }

  void verify() {
    const auto credentials = read_credentials_or_say();
    if (credentials && look_for_vm(*credentials)) is_ours(*effects_.vm);
  }

  void remove() {
    const auto credentials = read_credentials_or_say();
    if (!credentials || !remove_vm(*credentials)) return;
    release();
  }

  void release() {
    const auto dropped =
        runtime::drop_finalizer(deps_.client, deps_.consistency, deps_.caches.driver_machines, object_,
                                finalizer::kMachine, context_.deadline);
    if (!dropped) return fail_with(dropped.error());
    effects_.released = true;
    context_.log.info("vm released", {{"providerID", object_.spec.provider_id}});
  }

 private:
  // --- creation ---

  // The whole list of finalizers and a key of the instance: bound to what we saw.
  bool mint_key() {
    api::DriverMachine wanted = object_;
    if (wanted.spec.instance_key.empty() && !is_off(Safeguard::InstanceKey))
      wanted.spec.instance_key = Text(random_uuid(deps_.randomness));
    return put_finalizer(std::move(wanted));
  }

  bool put_finalizer(api::DriverMachine wanted) {
    if (!wanted.metadata.has_finalizer(finalizer::kMachine)) {
      auto finalizers = *wanted.metadata.finalizers;
      finalizers.emplace_back(finalizer::kMachine);
      wanted.metadata.finalizers = api::Finalizers(std::move(finalizers));
    }
    return write(wanted, kube::Lock::Always);
  }

  bool find_or_make(const Credentials& credentials) {
    if (plan_.look_first && look_for_vm(credentials)) return true;
    if (effects_.vm_gone || effects_.trouble) return false;
    return make_vm(credentials);
  }

  // True: there is one. Otherwise the effects say whether it is gone or could not be found out, or neither:
  // then there never was one.
  bool look_for_vm(const Credentials& credentials) {
    auto found = deps_.driver.status(identity(), credentials, context_.deadline);
    if (found) {
      effects_.vm = std::move(*found);
      return true;
    }
    const Reaction what = reaction(Verb::Status, found.error());
    switch (what.next) {
      case Reaction::Next::Absent: effects_.vm_gone = !object_.spec.provider_id.empty(); break;
      case Reaction::Next::Done:
      case Reaction::Next::Retry: trouble(reason::kCreateFailed, "find the VM", found.error(), what); break;
    }
    return false;
  }

  bool make_vm(const Credentials& credentials) {
    const kube::ObjectKey secret{.namespace_ = object_.metadata.namespace_.str(),
                                 .name = std::string(data_secret_of(seen_))};
    auto data = read_bootstrap_data(deps_.client, secret, context_.deadline);
    if (!data) return unreadable(reason::kBootstrapDataUnreadable, data.error());
    const CreateVm wanted = request(std::move(*data));
    auto made = deps_.driver.create(wanted, credentials, context_.deadline);
    if (!made) {
      const Reaction what = reaction(Verb::Create, made.error());
      const bool full = made.error().code == DriverCode::ResourceExhausted;
      trouble(full ? reason::kResourceExhausted : reason::kCreateFailed, "create the VM", made.error(), what);
      return false;
    }
    context_.log.info("vm created", {{"providerID", made->provider_id}, {"class", wanted.vm_class}});
    effects_.vm = std::move(*made);
    return true;
  }

  CreateVm request(BootstrapData data) const {
    const api::Machine& owner = *seen_.machine;
    return {.instance_key = is_off(Safeguard::InstanceKey) ? random_uuid(deps_.randomness)
                                                           : object_.spec.instance_key.str(),
            .name = object_.metadata.name.str(),
            .tags = {{std::string(tag::kCluster), owner.spec.cluster_name.str()},
                     {std::string(tag::kNamespace), object_.metadata.namespace_.str()},
                     {std::string(tag::kName), object_.metadata.name.str()}},
            .vm_class = object_.spec.vm_class.str(),
            .failure_domain = std::string(failure_domain()),
            .kubernetes_version = std::string(version_for(seen_)),
            .provider_spec = std::string(object_.spec.provider_spec.text()),
            .user_data = std::move(data.value),
            .user_data_format = std::move(data.format)};
  }

  std::string_view failure_domain() const {
    const auto& wished = seen_.machine->spec.failure_domain;
    if (!wished.empty()) return wished.view();
    return object_.metadata.annotations.value_or_empty(api::driver::annotation::kFailureDomain);
  }

  // A copied object may bring a key whose VM belongs to the original: adopting it would let the copy's
  // deletion remove it.
  bool is_ours(const Vm& vm) {
    if (carries_our_name(vm)) return true;
    effects_.trouble =
        Trouble{.reason = reason::kInstanceKeyTaken,
                .message = fmt::format(
                    "the VM of spec.instanceKey {} belongs to DriverMachine {}/{}; delete this "
                    "object, or the other one",
                    object_.spec.instance_key.view(), tag_of(vm, tag::kNamespace), tag_of(vm, tag::kName)),
                .retry = kStranger};
    effects_.vm.reset();
    return false;
  }

  static std::string_view tag_of(const Vm& vm, std::string_view name) {
    const auto found = vm.tags.find(name);
    return found == vm.tags.end() ? std::string_view() : std::string_view(found->second);
  }

  // A tag that is not there contradicts nothing.
  bool carries_our_name(const Vm& vm) const {
    const auto says = [&](std::string_view name, std::string_view ours) {
      const auto theirs = tag_of(vm, name);
      return theirs.empty() || theirs == ours;
    };
    return says(tag::kName, object_.metadata.name.view()) &&
           says(tag::kNamespace, object_.metadata.namespace_.view());
  }

  void write_provider_id() {
    api::DriverMachine wanted = object_;
    wanted.spec.provider_id = Text(effects_.vm->provider_id);
    if (!write(wanted, kube::Lock::WhenArraysChange)) effects_.vm.reset();  // not before the spec says so
  }

  bool write(const api::DriverMachine& wanted, kube::Lock lock) {
    auto written = kube::patch_part(deps_.client, object_, wanted, kube::Part::Main, lock, context_.deadline);
    if (!written) {
      fail_with(written.error());
      return false;
    }
    if (!*written) return true;
    object_ = std::move(**written);
    deps_.consistency.wrote(kube::key_of(object_), deps_.caches.driver_machines,
                            object_.metadata.resource_version);
    return true;
  }

  // --- removal ---

  // True: there is none any more.
  bool remove_vm(const Credentials& credentials) {
    VmId vm = identity();
    auto others = belongs_to_other(vm, credentials);
    // The provider ID of another VM was written into the spec: the key still leads to this object's own.
    if (others == true && !vm.provider_id.empty() && !vm.instance_key.empty()) {
      vm.provider_id.clear();
      others = belongs_to_other(vm, credentials);
    }
    if (!others || *others) return others.has_value();
    const auto removed = deps_.driver.remove(vm, credentials, context_.deadline);
    if (!removed) {
      const Reaction what = reaction(Verb::Remove, removed.error());
      if (what.next == Reaction::Next::Done) return true;
      trouble(reason::kDeleteFailed, "remove the VM", removed.error(), what);
      return false;
    }
    const auto left = deps_.driver.status(vm, credentials, context_.deadline);
    if (!left && reaction(Verb::Status, left.error()).next == Reaction::Next::Absent) return true;
    effects_.trouble = Trouble{.reason = reason::kDeleting,
                               .message = "waiting for the cloud to remove the VM",
                               .retry = kUntilGone,
                               .quiet = true};
    return false;
  }

  // A copy brings the key and perhaps the provider ID of the original, but no status; a provisioned object
  // may have got the ID of another one by an edit. What the VM itself says decides. Nothing: could not be
  // found out.
  std::optional<bool> belongs_to_other(const VmId& vm, const Credentials& credentials) {
    const bool had_one = object_.status.initialization.provisioned.value_or(false);
    const bool sole = !deps_.caches.is_vm_claimed_twice(object_) || is_off(Safeguard::VmClaims);
    if (had_one && !object_.spec.provider_id.empty() && sole) return false;
    const auto found = deps_.driver.status(vm, credentials, context_.deadline);
    if (found) return !carries_our_name(*found);
    const Reaction what = reaction(Verb::Status, found.error());
    if (what.next == Reaction::Next::Absent) return false;
    trouble(reason::kDeleteFailed, "find the VM", found.error(), what);
    return std::nullopt;
  }

  // --- both ---

  VmId identity() const {
    return {.provider_id = object_.spec.provider_id.str(), .instance_key = object_.spec.instance_key.str()};
  }

  std::optional<Credentials> read_credentials_or_say() {
    auto read = read_credentials(deps_.client, object_.metadata.namespace_, object_.spec.credentials_ref,
                                 context_.deadline);
    if (read) return std::move(*read);
    unreadable(reason::kCredentialsUnreadable, read.error());
    return std::nullopt;
  }

  bool unreadable(std::string_view why, const Error& error) {
    if (is_transient(error.code)) {
      fail_with(error);
    } else {
      effects_.trouble = Trouble{.reason = why, .message = error.message, .retry = kUntilReadable};
    }
    return false;
  }

  void trouble(std::string_view why, std::string_view what, const DriverError& error,
               const Reaction& reaction) {
    effects_.trouble = Trouble{.reason = why,
                               .message = fmt::format("can't {}: {}", what, error.describe()),
                               .retry = reaction.retry,
                               .quiet = reaction.quiet};
  }

  void fail_with(const Error& error) { effects_.error = error; }

  const ActDeps& deps_;
  const runtime::Context& context_;
  const Observation& seen_;
  const Plan& plan_;
  api::DriverMachine object_;
  Effects effects_;
};

}  // namespace

Effects act(const ActDeps& deps, const runtime::Context& context, const Observation& seen, const Plan& plan) {
  Work work(deps, context, seen, plan);
  switch (plan.step) {
    case Step::Create: return work.done(&Work::create);
    case Step::Verify: return work.done(&Work::verify);
    case Step::Protect: return work.done(&Work::protect);
    case Step::Remove: return work.done(&Work::remove);
    case Step::Release: return work.done(&Work::release);
    case Step::Rest:
    case Step::Wait: break;
  }
  return {};
}

}  // namespace capstan::infrastructure::machine
