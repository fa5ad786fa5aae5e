#include "controllers/machineset/seen_fixture.h"

#include <memory>

#include "api/conditions/conditions.h"
#include "api/names.h"
#include "controllers/machineset/wanted.h"
#include "test/builders/cluster.h"

namespace capstan::controllers::machineset {

Seen::Seen(const builders::MachineSetBuilder& set) {
  seen_.now = builders::noon();
  seen_.stored = set.shared();
  seen_.cluster = builders::a_cluster().without_control_plane_ref().shared();
  seen_.set = adjusted(*seen_.stored, &seen_.cluster->metadata);
  seen_.preflight_checks = {"All"};
  seen_.bootstrap = a_template(*seen_.set.spec.machine_template.spec.bootstrap.config_ref);
  seen_.infrastructure = a_template(seen_.set.spec.machine_template.spec.infrastructure_ref);
}

Seen& Seen::with(const builders::MachineBuilder& machine) {
  seen_.machines.push_back(machine.shared());
  seen_.nodes.emplace_back();
  return *this;
}

std::vector<std::string> words_of_marks(const Plan& plan) {
  std::vector<std::string> words;
  for (const Action& action : plan.actions) {
    const auto* marked = std::get_if<MarkMachine>(&action);
    if (marked == nullptr) continue;
    const auto& list = marked->mark.after.status.conditions;
    const auto said = api::conditions::find(list, api::condition::kOwnerRemediated);
    words.push_back(said == nullptr ? "gone" : said->message.str());
  }
  return words;
}

TemplateSeen Seen::a_template(const api::ContractRef& ref) const {
  auto object = std::make_shared<api::contract::ContractObject>();
  object->kind = ref.kind;
  object->metadata.name = ref.name;
  object->metadata.owner_references =
      api::OwnerReferences(std::vector<api::OwnerReference>{{.api_version = Text(api::kApiVersion),
                                                             .kind = Text(api::kind::kCluster),
                                                             .name = seen_.cluster->metadata.name,
                                                             .uid = seen_.cluster->metadata.uid}});
  return {.state = TemplateSeen::State::Found, .ref = ref, .object = std::move(object)};
}

}  // namespace capstan::controllers::machineset
