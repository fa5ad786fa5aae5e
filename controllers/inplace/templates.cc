#include "controllers/inplace/templates.h"

#include "base/safeguards.h"
#include "controllers/rollout/new_set.h"
#include "controllers/rollout/template_diff.h"

namespace capstan::controllers::inplace {
namespace {

bool same_kind(const std::optional<api::ContractRef>& left, const std::optional<api::ContractRef>& right) {
  if (left.has_value() != right.has_value()) return false;
  return !left || (left->api_group == right->api_group && left->kind == right->kind);
}

}  // namespace

bool differ_in_place(const api::MachineTemplate& from, const api::MachineTemplate& to) {
  const api::MachineBootstrap& is = from.spec.bootstrap;
  const api::MachineBootstrap& should = to.spec.bootstrap;
  if (!same_kind(is.config_ref, should.config_ref)) return false;
  if (is.data_secret_name.has_value() != should.data_secret_name.has_value()) return false;
  api::MachineTemplate updated = from;
  updated.spec.version = to.spec.version;
  updated.spec.bootstrap = should;
  return rollout::differences(updated, to).empty();
}

bool are_updatable(const api::MachineDeployment& deployment, const api::MachineSet& old, bool begun) {
  if (is_off(Safeguard::UpdateTemplates)) return true;
  if (begun && !rollout::is_made_since(old, deployment.spec.rollout.after)) return false;
  return differ_in_place(old.spec.machine_template, deployment.spec.machine_template);
}

}  // namespace capstan::controllers::inplace
