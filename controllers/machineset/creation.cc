#include "controllers/machineset/creation.h"

#include <fmt/core.h>

#include <algorithm>
#include <boost/json.hpp>
#include <unordered_set>

#include "api/contract/foreign.h"
#include "api/contract/template_clone.h"
#include "api/v1beta2/naming.h"
#include "base/try.h"
#include "controllers/machineset/wanted.h"
#include "kube/typed.h"
#include "runtime/ownership.h"

namespace capstan::controllers::machineset {
namespace {

namespace json = boost::json;
namespace refusal = api::v1beta1_reason;
using api::Machine;

constexpr int kNameTries = 20;

// A template as it stands on the server in this turn, and where its clones go.
struct Mould {
  json::value source = {};
  kube::Resource resource = {};  // of the clones
  const runtime::Observed* cache = nullptr;
};

// What became of one Machine.
struct Made {
  bool done = false;
  std::optional<Error> error = {};
  std::string_view reason = {};
};

class Creator {
 public:
  Creator(const Act& with, const Observation& seen, Effects& effects)
      : with_(with), seen_(seen), effects_(effects), key_(runtime::key_of(*seen.stored)) {}

  void run(std::int32_t count) {
    const auto& machine = seen_.set.spec.machine_template.spec;
    if (machine.bootstrap.config_ref) {
      auto mould = mould_of(*machine.bootstrap.config_ref);
      if (!mould) return refuse(refusal::kBootstrapTemplateCloningFailed, mould.error());
      bootstrap_ = std::move(*mould);
    }
    auto mould = mould_of(machine.infrastructure_ref);
    if (!mould) return refuse(refusal::kInfrastructureTemplateCloningFailed, mould.error());
    infrastructure_ = std::move(*mould);
    make(count);
  }

 private:
  void refuse(std::string_view reason, const Error& error) {
    if (!effects_.creation) effects_.creation = {.reason = reason, .message = error.message};
    effects_.errors.push_back(error);
  }

  // One live read per turn that creates: nobody keeps foreign documents.
  Result<Mould> mould_of(const api::ContractRef& ref) {
    const std::string what = fmt::format("{} {}/{}", ref.kind.view(), key_.namespace_, ref.name.view());
    const auto source = TRY(with_.host.externals.resolve(ref.api_group.view(), ref.kind.view()));
    auto document =
        with_.deps.client.get(source.resource, {key_.namespace_, ref.name.str()}, with_.context.deadline);
    if (!document) return fail(document.error().context("failed to get template " + what));
    const api::ContractRef clone{.api_group = ref.api_group,
                                 .kind = Text(api::contract::cloned_kind(ref.kind.view())),
                                 .name = ref.name};
    auto target = with_.host.externals.get(clone, key_.namespace_);
    if (!target) return fail(target.error());
    return Mould{.source = std::move(*document), .resource = target->resource, .cache = target->cache};
  }

  // --- so many at once ---

  void make(std::int32_t count) {
    const Deadline until =
        Deadline::in(with_.deps.clock, with_.settings.create_span, with_.context.deadline.stop)
            .no_later_than(with_.context.deadline.at);
    std::size_t at_once = 1;
    while (count > 0 && effects_.errors.empty()) {
      if (until.passed(with_.deps.clock.steady_now())) {
        effects_.unfinished = true;
        return;
      }
      const std::size_t many = std::min(at_once, static_cast<std::size_t>(count));
      make_batch(many);
      count -= static_cast<std::int32_t>(many);
      at_once = std::min(at_once * 2, with_.settings.creators);
    }
  }

  void make_batch(std::size_t many) {
    std::vector<std::string> names;
    while (names.size() < many) {
      auto name = free_name();
      if (!name) return refuse(refusal::kMachineCreationFailed, name.error());
      names.push_back(std::move(*name));
    }
    std::vector<Made> made(many);  // each thread writes its own element
    std::vector<std::unique_ptr<Thread>> threads;
    for (std::size_t i = 1; i < many; ++i) {
      threads.push_back(with_.deps.threads.spawn(
          "create machine", [&, i](const std::stop_token&) { made[i] = make_guarded(names[i]); }));
    }
    made[0] = make_guarded(names[0]);
    for (const auto& thread : threads) thread->join();
    for (std::size_t i = 0; i < many; ++i) note(names[i], made[i]);
  }

  // Five letters are not many among ten thousand Machines, and an apply would change what has the name.
  Result<std::string> free_name() {
    for (int tries = 0; tries < kNameTries; ++tries) {
      auto name = TRY(new_name());
      if (!is_taken(name) && names_.insert(name).second) return name;
    }
    return fail(Code::AlreadyExists,
                fmt::format("no free name was found in {} tries: give spec.machineNaming.template a part "
                            "that only this MachineSet has",
                            kNameTries));
  }

  bool is_taken(const std::string& name) const {
    const ObjectKey key{.namespace_ = key_.namespace_, .name = name};
    return with_.deps.caches.machines.get(key) || infrastructure_->cache->look(key) ||
           (bootstrap_ && bootstrap_->cache->look(key));
  }

  Result<std::string> new_name() {
    const Text& naming = seen_.set.spec.machine_naming.name_template;
    const std::string random = with_.deps.names.suffix(kNameSuffixLength);
    auto name = TRY(api::render_name(
        naming.empty() ? api::kDefaultMachineNaming : naming.view(),
        {.cluster = seen_.set.spec.cluster_name.view(), .machine_set = key_.name, .random = random}));
    if (name.size() <= kMaxNameLength) return name;
    return api::fitting_name(std::move(name), with_.deps.names.suffix(kNameSuffixLength));
  }

  void note(const std::string& name, Made& made) {
    if (made.error) {
      const bool in_doubt = made.error->outcome_unknown && made.reason == refusal::kMachineCreationFailed;
      effects_.in_doubt += in_doubt ? 1 : 0;
      return refuse(made.reason, *made.error);
    }
    if (!made.done) return;
    effects_.created.push_back(name);
    with_.deps.events.record(
        runtime::reference_to(kube::resource_of<api::MachineSet>(), seen_.stored->metadata),
        runtime::EventType::Normal, api::event::kSuccessfulCreate,
        fmt::format("Created Machine \"{}\"", name));
  }

  // --- one Machine ---

  // A thread of ours has no worker boundary around it.
  Made make_guarded(const std::string& name) {
    try {
      return make_one(name);
    } catch (const std::exception& broken) {
      return {.error = Error{.code = Code::Internal, .message = broken.what()},
              .reason = refusal::kMachineCreationFailed};
    }
  }

  Made make_one(const std::string& name) {
    const auto machine = new_machine(seen_.set, name);
    if (!machine) return {.error = machine.error(), .reason = refusal::kMachineCreationFailed};

    std::vector<std::pair<const Mould*, api::Uid>> clones;
    const auto undo = [&](Error error, std::string_view reason) {
      // Nobody knows whether the last request took effect: then the next turns will find out and clean up.
      if (!error.outcome_unknown) remove_clones(clones, name);
      return Made{.error = std::move(error), .reason = reason};
    };
    if (bootstrap_) {
      auto cloned = clone(*bootstrap_, name);
      if (!cloned) return undo(cloned.error(), refusal::kBootstrapTemplateCloningFailed);
      clones.emplace_back(&*bootstrap_, *cloned);
    }
    auto cloned = clone(*infrastructure_, name);
    if (!cloned) return undo(cloned.error(), refusal::kInfrastructureTemplateCloningFailed);
    clones.emplace_back(&*infrastructure_, *cloned);
    const auto created =
        create(with_.deps.caches.machines, kube::resource_of<Machine>(), name, api::to_json(*machine));
    if (!created) return undo(created.error(), refusal::kMachineCreationFailed);
    return {.done = true};
  }

  // Its uid.
  Result<api::Uid> clone(const Mould& mould, const std::string& name) {
    auto document = api::contract::clone_from_template(
        mould.source,
        {.namespace_ = key_.namespace_,
         .name = name,
         .cluster_name = seen_.set.spec.cluster_name.str(),
         .labels = machine_labels(seen_.set),
         .annotations = seen_.set.spec.machine_template.metadata.annotations,
         .owner = runtime::owner_reference(kube::resource_of<api::MachineSet>(), seen_.stored->metadata)});
    if (!document) return fail(document.error());
    kube::Resource resource = mould.resource;
    const std::string api_version = api::contract::Foreign(*document).api_version();
    resource.version = api_version.substr(api_version.find('/') + 1);
    const auto made = TRY(create(*mould.cache, resource, name, *document));
    if (!is_ours_alone(made.metadata)) {
      return fail(Code::AlreadyExists,
                  fmt::format("failed to create {}: the name is taken by another one", resource.kind));
    }
    return made.metadata.uid;
  }

  // One that was there already belongs to a Machine, or to another set whose Machine is yet to come: it must
  // outlive whatever becomes of this one. Other owners may be a webhook's doing.
  bool is_ours_alone(const api::WrittenMeta& clone) const {
    return std::ranges::none_of(*clone.owner_references, [&](const api::OwnerReference& owner) {
      const bool claims = owner.is_controller() || owner.kind == api::kind::kMachineSet;
      return claims && owner.uid != seen_.stored->metadata.uid;
    });
  }

  Result<api::Written> create(const runtime::Observed& cache, const kube::Resource& resource,
                              const std::string& name, const json::value& object) {
    auto made = with_.host.consistency.create_by_apply(
        with_.deps.client, key_,
        {.cache = cache, .resource = resource, .key = {.namespace_ = key_.namespace_, .name = name}},
        seen_.stored->metadata.uid, object, api::field_manager::kMachineSet, with_.context.deadline);
    if (!made) return fail(anonymous(made.error(), name).context("failed to create " + resource.kind));
    return made;
  }

  // The random name stays out of the text: it becomes a condition, which must not change with every try.
  static Error anonymous(Error error, const std::string& name) {
    for (auto at = error.message.find(name); at != error.message.npos; at = error.message.find(name, at)) {
      error.message.replace(at, name.size(), "...");
    }
    return error;
  }

  void remove_clones(const std::vector<std::pair<const Mould*, api::Uid>>& clones, const std::string& name) {
    for (const auto& [mould, uid] : clones) {
      if (uid.empty()) continue;
      // What stays behind is found by the next turns.
      (void)with_.host.consistency.remove(with_.deps.client, key_,
                                          {.cache = *mould->cache,
                                           .resource = mould->resource,
                                           .key = {.namespace_ = key_.namespace_, .name = name}},
                                          uid, {}, with_.context.deadline);
    }
  }

  const Act& with_;
  const Observation& seen_;
  Effects& effects_;
  const ObjectKey key_;
  std::optional<Mould> bootstrap_ = {};
  std::optional<Mould> infrastructure_ = {};
  std::unordered_set<std::string> names_ = {};  // of this turn
};

}  // namespace

void create_machines(const Act& with, const Observation& seen, std::int32_t count, Effects& effects) {
  Creator(with, seen, effects).run(count);
}

}  // namespace capstan::controllers::machineset
