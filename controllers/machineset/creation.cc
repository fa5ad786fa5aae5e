#include "controllers/machineset/creation.h"

#include <fmt/core.h>

#include <algorithm>
#include <boost/json.hpp>
#include <unordered_set>

#include "api/contract/foreign.h"
#include "api/contract/template_clone.h"
#include "base/try.h"
#include "controllers/claims/removal.h"
#include "controllers/machineset/wanted.h"
#include "controllers/safety/template_annotations.h"
#include "kube/typed.h"
#include "runtime/note.h"
#include "runtime/ownership.h"

namespace capstan::controllers::machineset {
namespace {

namespace json = boost::json;
namespace refusal = api::v1beta1_reason;
using api::Machine;

constexpr int kNameTries = 20;

// A template as it stands on the server in this turn, and where its clones go.
struct TemplateSource {
  json::value source = {};
  kube::Resource resource = {};  // of the clones
  const runtime::Observed* cache = nullptr;
  std::string_view reason = {};  // of a clone that can't be made
};

// What became of one Machine. It may be there and something be wrong all the same.
struct Made {
  bool there = false;
  bool taken = false;  // an object of another one stands where one of its own should
  std::optional<Error> error = {};
  std::string_view reason = {};
};

// The Machine that an object is made for.
struct Owner {
  std::string name = {};
  api::Uid uid = {};
};

class Creator {
 public:
  explicit Creator(const Creation& turn)
      : with_(turn.with),
        settings_(turn.settings),
        seen_(turn.seen),
        effects_(turn.effects),
        key_(runtime::key_of(*turn.seen.stored)) {}

  void create(std::int32_t count) {
    if (read_templates()) make(count);
  }

  // Those of an earlier turn that was cut short, or was refused one of their objects.
  void finish(const std::vector<UnsettledMachine>& machines) {
    if (!read_templates()) return;
    for (const UnsettledMachine& machine : machines) {
      const Made made = finish_one(machine);
      if (!made.error) continue;
      refuse(made.reason, *made.error);
      if (!made.taken && made.error->code != Code::Invalid) return;  // no trouble of this Machine alone
    }
  }

 private:
  bool read_templates() {
    const auto& machine = seen_.set.spec.machine_template.spec;
    if (machine.bootstrap.config_ref) {
      bootstrap_ = read_template(*machine.bootstrap.config_ref, refusal::kBootstrapTemplateCloningFailed);
      if (!bootstrap_) return false;
    }
    infrastructure_ =
        read_template(machine.infrastructure_ref, refusal::kInfrastructureTemplateCloningFailed);
    return infrastructure_.has_value();
  }

  std::optional<TemplateSource> read_template(const api::ContractRef& ref, std::string_view reason) {
    auto source_template = template_of(ref);
    if (!source_template) {
      refuse(reason, source_template.error());
      return std::nullopt;
    }
    source_template->reason = reason;
    return std::move(*source_template);
  }

  void refuse(std::string_view reason, const Error& error) {
    if (!effects_.creation) effects_.creation = {.reason = reason, .message = error.message};
    effects_.errors.push_back(error);
  }

  // One live read per turn that creates: caches do not keep documents of providers.
  Result<TemplateSource> template_of(const api::ContractRef& ref) {
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
    return TemplateSource{
        .source = std::move(*document), .resource = target->resource, .cache = target->cache};
  }

  // --- so many at once ---

  void make(std::int32_t count) {
    const Deadline until = Deadline::in(with_.deps.clock, settings_.create_span, with_.context.deadline.stop)
                               .no_later_than(with_.context.deadline.at);
    std::size_t at_once = 1;
    while (count > 0 && !effects_.creation) {
      if (until.passed(with_.deps.clock.steady_now())) {
        effects_.unfinished = true;
        return;
      }
      const std::size_t many = std::min(at_once, static_cast<std::size_t>(count));
      make_batch(many);
      count -= static_cast<std::int32_t>(many);
      at_once = std::min(at_once * 2, settings_.creators);
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
    const std::string random = with_.deps.names.suffix(kNameSuffixLength);
    return machine_name(seen_.set, random, random);
  }

  void note(const std::string& name, const Made& made) {
    if (made.error) {
      const bool in_doubt = made.error->outcome_unknown && made.reason == refusal::kMachineCreationFailed;
      effects_.in_doubt += in_doubt ? 1 : 0;
      refuse(made.reason, *made.error);
    }
    if (!made.there) return;
    effects_.created.push_back(name);
    record_note(with_.deps.events,
                runtime::reference_to(kube::resource_of<api::MachineSet>(), seen_.stored->metadata),
                {.code = api::NoteCode::Created, .text = fmt::format("Created Machine \"{}\"", name)});
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

  // The Machine comes first, and what is made for it is its own from the beginning: nothing has to be taken
  // over, and what is left of a turn that was cut short is a Machine that the next turns finish.
  Made make_one(const std::string& name) {
    const auto machine = new_machine(seen_.set, name);
    if (!machine) return {.error = machine.error(), .reason = refusal::kMachineCreationFailed};
    const auto created = create(with_.deps.caches.machines, kube::resource_of<Machine>(), name,
                                seen_.stored->metadata.uid, api::to_json(*machine));
    if (!created) return {.error = created.error(), .reason = refusal::kMachineCreationFailed};
    const Owner owner{.name = name, .uid = created->metadata.uid};
    for (const auto* source_template : {&bootstrap_, &infrastructure_}) {
      if (!*source_template) continue;
      if (auto made = make_clone(**source_template, owner); made.error) {
        if (made.taken) made.there = !take_back(owner);
        return made;
      }
    }
    return {.there = true};
  }

  // A look at the server comes before each request: this goes by what a cache lacks.
  Made finish_one(const UnsettledMachine& unfinished) {
    const auto& metadata = unfinished.machine->metadata;
    const Owner owner{.name = metadata.name.str(), .uid = metadata.uid};
    const ObjectKey name{.namespace_ = key_.namespace_, .name = owner.name};
    const auto live = kube::get<Machine>(with_.deps.client, name, with_.context.deadline);
    if (!live && live.error().code == Code::NotFound) return {};
    if (!live) return {.error = live.error(), .reason = refusal::kMachineCreationFailed};
    const bool same = live->metadata.uid == metadata.uid && !live->metadata.deleting() &&
                      live->metadata.resource_version == metadata.resource_version;
    if (!same) return {};  // its news brings the next turn
    for (const auto& [lacks, source_template] :
         {std::pair(unfinished.lacks_bootstrap, &bootstrap_),
          std::pair(unfinished.lacks_infrastructure, &infrastructure_)}) {
      if (!lacks || !*source_template) continue;
      const auto there = with_.deps.client.get((*source_template)->resource, name, with_.context.deadline);
      if (there) continue;  // the cache will learn of it
      if (there.error().code != Code::NotFound)
        return {.error = there.error(), .reason = (*source_template)->reason};
      with_.context.log.info("object made for a machine without one",
                             {{"kind", (*source_template)->resource.kind}, {"machine", owner.name}});
      auto made = make_clone(**source_template, owner);
      if (!made.error) continue;
      if (made.taken) {
        made.error->message += fmt::format(": delete Machine {}, another one will be made", owner.name);
      }
      return made;
    }
    return {.there = true};
  }

  Made make_clone(const TemplateSource& source_template, const Owner& owner) {
    const auto document = clone_for(source_template, owner);
    if (!document) return {.there = true, .error = document.error(), .reason = source_template.reason};
    kube::Resource resource = source_template.resource;
    const std::string api_version = api::contract::Foreign(*document).api_version();
    resource.version = api_version.substr(api_version.find('/') + 1);
    const auto made = create(*source_template.cache, resource, owner.name, owner.uid, *document);
    if (made) return {.there = true};
    const bool taken = made.error().code == Code::AlreadyExists;
    return {.there = true,
            .taken = taken,
            .error = taken ? name_taken(resource) : made.error(),
            .reason = source_template.reason};
  }

  Result<json::value> clone_for(const TemplateSource& source_template, const Owner& owner) const {
    api::ObjectMeta machine;
    machine.name = Text(owner.name);
    machine.uid = owner.uid;
    return api::contract::clone_from_template(
        source_template.source,
        {.namespace_ = key_.namespace_,
         .name = owner.name,
         .cluster_name = seen_.set.spec.cluster_name.str(),
         .labels = machine_labels(seen_.set),
         .annotations = safety::annotations_from(seen_.set.spec.machine_template.metadata.annotations),
         .owner = runtime::controller_reference(kube::resource_of<Machine>(), machine)});
  }

  static Error name_taken(const kube::Resource& resource) {
    return {.code = Code::AlreadyExists,
            .message = fmt::format("failed to create {}: the name is taken by another one", resource.kind)};
  }

  // The Machine of this very moment, whose name turned out to be unusable. What has that name was not made
  // for this Machine, and no deletion of a Machine of a set touches that.
  bool take_back(const Owner& owner) {
    const auto removed = claims::remove({.client = with_.deps.client,
                                         .consistency = with_.host.consistency,
                                         .key = key_,
                                         .deadline = with_.context.deadline},
                                        {.cache = with_.deps.caches.machines,
                                         .resource = kube::resource_of<Machine>(),
                                         .key = {.namespace_ = key_.namespace_, .name = owner.name}},
                                        claims::Clearance::of_own_creation(owner.uid),
                                        {.propagation = kube::Propagation::Background});
    return removed.has_value();
  }

  Result<api::Written> create(const runtime::Observed& cache, const kube::Resource& resource,
                              const std::string& name, const api::Uid& owner, const json::value& object) {
    auto made = with_.host.consistency.create_by_apply(
        with_.deps.client, key_,
        {.cache = cache, .resource = resource, .key = {.namespace_ = key_.namespace_, .name = name}}, owner,
        object, api::field_manager::kMachineSet, with_.context.deadline);
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

  const ActContext& with_;
  const Settings& settings_;
  const Observation& seen_;
  Effects& effects_;
  const ObjectKey key_;
  std::optional<TemplateSource> bootstrap_ = {};
  std::optional<TemplateSource> infrastructure_ = {};
  std::unordered_set<std::string> names_ = {};  // of this turn
};

}  // namespace

void create_machines(const Creation& turn, std::int32_t count) { Creator(turn).create(count); }

void finish_machines(const Creation& turn, const std::vector<UnsettledMachine>& machines) {
  Creator(turn).finish(machines);
}

}  // namespace capstan::controllers::machineset
