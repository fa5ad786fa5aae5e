#include "controllers/lifecycle/node_template_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "api/schema/defaults.h"
#include "api/v1beta2/syntax.h"

namespace capstan::controllers::lifecycle {
namespace {

struct KeptDomain {
  std::string_view domain = {};
  std::string_view keeper = {};
};
constexpr std::array kKept = {KeptDomain{"cluster.x-k8s.io", "Cluster API"},
                              KeptDomain{"capstan.dev", "Capstan"},
                              KeptDomain{"machine.sapcloud.io", "machine-controller-manager"}};
constexpr std::string_view kNative = "kubernetes.io";
constexpr std::array<std::string_view, 13> kSuffixes = {"",   "k",  "M",  "G",  "T",  "P", "E",
                                                        "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};

std::string_view domain_of_key(std::string_view key) {
  const auto slash = key.find('/');
  return slash == std::string_view::npos ? std::string_view() : key.substr(0, slash);
}

bool is_within(std::string_view domain, std::string_view parent) {
  if (domain == parent) return true;
  return domain.size() > parent.size() && domain.ends_with(parent) &&
         domain[domain.size() - parent.size() - 1] == '.';
}

std::string fault_of_key(std::string_view key) {
  for (const auto& [domain, keeper] : kKept)
    if (is_within(domain_of_key(key), domain)) return fmt::format("is kept by {}", keeper);
  const auto faults = api::label_key_faults(key);
  return faults.empty() ? std::string() : "is no valid key: " + faults.front();
}

// Kubernetes counts extended resources in whole numbers.
bool is_whole_quantity(std::string_view text) {
  const auto digits = std::min(text.find_first_not_of("0123456789"), text.size());
  return digits > 0 && std::ranges::find(kSuffixes, text.substr(digits)) != kSuffixes.end();
}

}  // namespace

std::string fault_of_label(std::string_view key, std::string_view value) {
  if (std::string fault = fault_of_key(key); !fault.empty()) return fault;
  const auto faults = api::label_value_faults(value);
  return faults.empty() ? std::string() : "has no valid value: " + faults.front();
}

std::string fault_of_annotation(std::string_view key) { return fault_of_key(key); }

TaintsToLose taints_to_lose(const api::MachineLifecyclePolicySpec& policy) {
  if (!policy.health.node_checks || !policy.node_template || policy.node_template->taints.empty()) return {};
  api::NodeChecks checks = *policy.health.node_checks;
  api::apply_defaults(checks);
  return checks.require_taints_gone;
}

std::string fault_of_taint(const api::TemplateTaint& taint, const TaintsToLose& to_lose) {
  const bool keeps_it_joining = std::ranges::any_of(to_lose, [&](const api::TaintIdentity& each) {
    return each.key == taint.key && each.effect == taint.effect;
  });
  if (keeps_it_joining)
    return "has to go before a Machine counts as Running: spec.health.nodeChecks.requireTaintsGone names it";
  return fault_of_label(taint.key.view(), taint.value.view());
}

std::string fault_of_capacity(std::string_view resource, std::string_view quantity) {
  if (std::string fault = fault_of_key(resource); !fault.empty()) return fault;
  const std::string_view domain = domain_of_key(resource);
  if (domain.empty() || is_within(domain, kNative)) return "is no extended resource: kubelets report it";
  return is_whole_quantity(quantity) ? std::string() : "has no whole number as its quantity";
}

std::vector<std::string> faults_of(const api::PolicyNodeTemplate& wanted, const TaintsToLose& to_lose) {
  std::vector<std::string> faults;
  const auto add = [&](std::string_view what, std::string_view name, const std::string& fault) {
    if (!fault.empty()) faults.push_back(fmt::format("{} {} {}", what, name, fault));
  };
  for (const auto& [key, value] : wanted.labels) add("label", key, fault_of_label(key, value));
  for (const auto& [key, value] : wanted.annotations) add("annotation", key, fault_of_annotation(key));
  for (const auto& taint : wanted.taints) add("taint", taint.key, fault_of_taint(taint, to_lose));
  for (const auto& [resource, quantity] : wanted.virtual_capacity)
    add("resource", resource, fault_of_capacity(resource, quantity));
  return faults;
}

}  // namespace capstan::controllers::lifecycle
