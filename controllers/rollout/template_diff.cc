#include "controllers/rollout/template_diff.h"

#include <fmt/format.h>

#include <boost/json.hpp>

#include "api/policy/names.h"
#include "api/schema/encode.h"
#include "base/hash.h"

namespace capstan::controllers::rollout {
namespace {

using api::ContractRef;
using api::MachineSpec;
using api::MachineTemplate;
using api::policy::annotation::kRolloutHash;

bool same_object(const ContractRef& left, const ContractRef& right) {
  return left.api_group == right.api_group && left.kind == right.kind && left.name == right.name;
}

std::string named(const ContractRef& reference) {
  return fmt::format("{} {}", reference.kind.view(), reference.name.view());
}

std::string named(const std::optional<ContractRef>& reference) {
  return reference ? named(*reference) : "nil";
}
std::string named(const std::optional<Text>& name) { return name ? name->str() : "nil"; }

const Text* rollout_hash_of(const MachineTemplate& each) {
  return each.metadata.annotations.find(kRolloutHash);
}

bool same_object(const std::optional<ContractRef>& left, const std::optional<ContractRef>& right) {
  return left.has_value() == right.has_value() && (!left || same_object(*left, *right));
}

}  // namespace

std::vector<std::string> differences(const MachineSpec& current, const MachineSpec& wanted) {
  std::vector<std::string> found;
  const auto differ = [&](std::string_view field, std::string_view is, std::string_view should) {
    found.push_back(fmt::format("{} {}, {} required", field, is, should));
  };
  if (current.version != wanted.version)
    differ("spec.version", current.version.view(), wanted.version.view());
  if (!same_object(current.bootstrap.config_ref, wanted.bootstrap.config_ref)) {
    differ("spec.bootstrap.configRef", named(current.bootstrap.config_ref),
           named(wanted.bootstrap.config_ref));
  }
  if (current.bootstrap.data_secret_name != wanted.bootstrap.data_secret_name) {
    differ("spec.bootstrap.dataSecretName", named(current.bootstrap.data_secret_name),
           named(wanted.bootstrap.data_secret_name));
  }
  if (!same_object(current.infrastructure_ref, wanted.infrastructure_ref)) {
    differ("spec.infrastructureRef", named(current.infrastructure_ref), named(wanted.infrastructure_ref));
  }
  if (current.failure_domain != wanted.failure_domain) {
    differ("spec.failureDomain", current.failure_domain.view(), wanted.failure_domain.view());
  }
  return found;
}

std::optional<std::string> forced_difference(const MachineTemplate& current, const MachineTemplate& wanted) {
  const Text* is = rollout_hash_of(current);
  const Text* should = rollout_hash_of(wanted);
  const bool same = is != nullptr && should != nullptr ? *is == *should : is == should;
  if (same) return std::nullopt;
  const auto quoted = [](const Text* value) {
    return value == nullptr ? std::string("nil") : fmt::format("{:?}", value->view());
  };
  return fmt::format("{} {}, {} required", kRolloutHash, quoted(is), quoted(should));
}

std::vector<std::string> differences(const MachineTemplate& current, const MachineTemplate& wanted) {
  auto found = differences(current.spec, wanted.spec);
  if (auto forced = forced_difference(current, wanted)) found.push_back(std::move(*forced));
  return found;
}

void carry_over(const MachineSpec& from, MachineSpec& to) {
  to.min_ready_seconds = from.min_ready_seconds;
  to.readiness_gates = from.readiness_gates;
  to.deletion = from.deletion;
  to.taints = from.taints;
}

void keep_rollout_hash(const MachineTemplate& from, MachineTemplate& to) {
  const Text* value = rollout_hash_of(from);
  if (value == nullptr) {
    to.metadata.annotations.erase(kRolloutHash);
  } else {
    to.metadata.annotations.set(Text(kRolloutHash), *value);
  }
}

std::uint32_t template_number(const MachineTemplate& wanted) {
  MachineSpec rolling = wanted.spec;
  carry_over({}, rolling);
  std::string text = boost::json::serialize(api::to_json(rolling));
  if (const Text* forced = rollout_hash_of(wanted)) text += forced->view();
  return fnv1a_32(text);
}

}  // namespace capstan::controllers::rollout
