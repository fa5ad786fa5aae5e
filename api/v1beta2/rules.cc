#include "api/v1beta2/rules.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <limits>

#include "api/schema/encode.h"
#include "api/schema/validate.h"
#include "api/v1beta2/naming.h"
#include "api/v1beta2/syntax.h"
#include "base/try.h"
#include "base/version.h"

namespace capstan::api::rules {
namespace {

constexpr std::int32_t kDefaultReplicas = 1;

// Reads and words its faults as Go does, because users know these texts.
Result<std::int32_t> parse_size(const ReplicaDefault& from, std::string_view key) {
  const std::string_view text = from.metadata->annotations.value_or_empty(key);
  std::string_view digits = text;
  if (digits.starts_with('+') && !digits.starts_with("+-")) digits.remove_prefix(1);
  std::int32_t size = 0;
  const auto [end, fault] = std::from_chars(digits.data(), digits.data() + digits.size(), size);
  if (fault == std::errc() && end == digits.data() + digits.size()) return size;
  const bool too_big = fault == std::errc::result_out_of_range && end == digits.data() + digits.size();
  return fail(
      Code::Invalid,
      fmt::format("failed to caculate {} replicas value: could not parse the value of the {} "
                  "annotation: strconv.ParseInt: parsing {}: {}",
                  from.kind, quoted(key), quoted(text), too_big ? "value out of range" : "invalid syntax"));
}

std::string forbidden_key_reason(std::string_view key) {
  if (key == taint::kUninitialized || key == taint::kOutdatedRevision) return "taint key is not allowed";
  if (key.starts_with(taint::kNodePrefix) && key != taint::kOutOfService) {
    return fmt::format("taint key must not have the prefix {}, except for {}", taint::kNodePrefix,
                       taint::kOutOfService);
  }
  if (key.starts_with(taint::kCloudProviderPrefix)) {
    return fmt::format("taint key must not have the prefix {}", taint::kCloudProviderPrefix);
  }
  if (key == taint::kMasterRole) return "taint is deprecated since 1.24 and should not be used anymore";
  return {};
}

std::string lower(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return result;
}

std::string_view trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t comma = text.find(',');
    parts.push_back(trimmed(text.substr(0, comma)));
    if (comma == std::string_view::npos) return parts;
    text.remove_prefix(comma + 1);
  }
}

std::string key_fault(std::string_view key) {
  const auto faults = label_key_faults(key);
  return faults.empty() ? std::string()
                        : fmt::format("key: Invalid value: {}: {}", quoted(key), faults.front());
}

std::string value_fault(std::string_view key, std::size_t index, std::string_view value) {
  const auto faults = label_value_faults(value);
  if (faults.empty()) return {};
  return fmt::format("values[{}][{}]: Invalid value: {}: {}", index, key, quoted(value), faults.front());
}

// The first key or value that no label can have: such a selector would never mean what was written.
std::string label_fault(const LabelSelector& selector) {
  for (const auto& [key, value] : selector.match_labels) {
    if (auto fault = key_fault(key); !fault.empty()) return fault;
    if (auto fault = value_fault(key, 0, value); !fault.empty()) return fault;
  }
  for (const auto& requirement : selector.match_expressions) {
    if (auto fault = key_fault(requirement.key); !fault.empty()) return fault;
    for (std::size_t i = 0; i < requirement.values.size(); ++i) {
      if (auto fault = value_fault(requirement.key, i, requirement.values[i]); !fault.empty()) return fault;
    }
  }
  return {};
}

template <typename Texts>
std::string joined(const Texts& texts, std::string_view separator) {
  std::string result;
  for (const auto& text : texts) {
    if (!result.empty()) result += separator;
    result += text;
  }
  return result;
}

}  // namespace

void label_cluster(ObjectMeta& metadata, const Text& cluster_name) {
  metadata.labels.set(Text(label::kClusterName), cluster_name);
}

void prefix_version(Text& version) {
  if (!version.empty() && !version.view().starts_with('v')) version = Text("v" + version.str());
}

Result<std::int32_t> default_replicas(const ReplicaDefault& from) {
  const auto& annotations = from.metadata->annotations;
  if (!annotations.contains(annotation::kAutoscalerMinSize) ||
      !annotations.contains(annotation::kAutoscalerMaxSize)) {
    return from.before.value_or(kDefaultReplicas);
  }
  const std::int32_t smallest = TRY(parse_size(from, annotation::kAutoscalerMinSize));
  const std::int32_t largest = TRY(parse_size(from, annotation::kAutoscalerMaxSize));
  if (!from.before || *from.before < smallest) return smallest;
  return std::min(*from.before, largest);
}

void check_cluster_name_unchanged(const Text& now, const Text* before, Causes& causes) {
  if (before != nullptr && *before != now)
    causes.push_back(field_forbidden("spec.clusterName", "field is immutable"));
}

void check_same_cluster_name(const Text& cluster_name, const MachineSpec& machine_spec, Causes& causes) {
  if (cluster_name == machine_spec.cluster_name) return;
  causes.push_back(
      field_invalid("spec.clusterName", quoted(cluster_name),
                    "spec.clusterName and spec.template.spec.clusterName must be set to the same value"));
}

bool is_defined(const std::optional<ContractRef>& reference) { return reference && !is_empty(*reference); }

void check_bootstrap(std::string_view at, const MachineBootstrap& bootstrap, Causes& causes) {
  if (is_defined(bootstrap.config_ref) || bootstrap.data_secret_name) return;
  causes.push_back(field_required(
      fmt::format("{}.bootstrap", at),
      fmt::format("expected either {0}.bootstrap.dataSecretName or {0}.bootstrap.configRef to be populated",
                  at)));
}

void check_version(std::string_view at, const Text& version, Causes& causes) {
  if (version.empty()) return;
  const std::string path = fmt::format("{}.version", at);
  const std::string_view text = version;
  const bool prefixed = text.starts_with('v');
  const auto number = prefixed ? text.substr(1) : text;
  if (!prefixed) causes.push_back(field_invalid(path, quoted(text), "must start with v"));
  if (number.starts_with('v') || !Version::parse(number)) {
    causes.push_back(field_invalid(path, quoted(text), "must be a valid semantic version"));
  }
}

void check_taints(std::string_view at, const List<MachineTaint>& taints, const Gates& gates, Causes& causes) {
  if (!gates.machine_taint_propagation && !taints.empty()) {
    causes.push_back(field_forbidden(
        at, "taints are not allowed to be set when the feature gate MachineTaintPropagation is disabled"));
  }
  for (std::size_t i = 0; i < taints.size(); ++i) {
    const std::string path = fmt::format("{}[{}].key", at, i);
    const std::string_view key = taints[i].key;
    if (const auto why = forbidden_key_reason(key); !why.empty()) {
      causes.push_back(field_invalid(path, quoted(key), why));
    }
    for (const auto& fault : label_key_faults(key)) causes.push_back(field_invalid(path, quoted(key), fault));
  }
}

void check_worker_taints(std::string_view at, const List<MachineTaint>& taints, const Gates& gates,
                         Causes& causes) {
  if (!gates.machine_taint_propagation) return;
  for (std::size_t i = 0; i < taints.size(); ++i) {
    if (taints[i].key != taint::kControlPlaneRole) continue;
    causes.push_back(field_invalid(fmt::format("{}[{}].key", at, i), quoted(taints[i].key),
                                   "taint is not allowed for worker Machines"));
  }
}

void check_template_metadata(const TemplateMeta& metadata, Causes& causes) {
  for (const auto& [key, value] : metadata.labels) {
    for (const auto& fault : label_key_faults(key)) {
      causes.push_back(field_invalid("spec.template.metadata.labels", quoted(key), fault));
    }
    for (const auto& fault : label_value_faults(value)) {
      causes.push_back(field_invalid("spec.template.metadata.labels", quoted(value), fault));
    }
  }
  for (const auto& [key, value] : metadata.annotations) {
    for (const auto& fault : label_key_faults(lower(key))) {
      causes.push_back(field_invalid("spec.template.metadata.annotations", quoted(key), fault));
    }
  }
}

void check_naming(std::string_view naming, Causes& causes) {
  if (naming.empty()) return;
  const auto complain = [&](const std::string& what) {
    causes.push_back(field_invalid("spec.machineNaming.template", quoted(naming), "invalid template" + what));
  };
  if (naming.find(kRandomPart) == std::string_view::npos) complain(", {{ .random }} is missing");
  const auto name =
      render_name(naming, {.cluster = "cluster", .machine_set = "machineset", .random = "xxxxx"});
  if (!name) return complain(": " + name.error().message);
  for (const auto& fault : dns_subdomain_faults(fitting_name(*name, "xxxxx"))) {
    complain(", generated names would not be valid Kubernetes object names: " + fault);
  }
}

void check_skipped_preflight_checks(const ObjectMeta& metadata, const Gates& gates, Causes& causes) {
  const std::string_view skipped = metadata.annotations.value_or_empty(annotation::kSkipPreflightChecks);
  if (!gates.machine_set_preflight_checks || skipped.empty()) return;
  std::vector<std::string> unknown;
  for (const auto name : split(skipped)) {
    if (std::ranges::find(preflight::kEvery, name) == preflight::kEvery.end())
      unknown.push_back(quoted(name));
  }
  if (unknown.empty()) return;
  causes.push_back(field_invalid(
      fmt::format("metadata.annotations.{}", annotation::kSkipPreflightChecks),
      fmt::format("[{}]", joined(unknown, ",")),
      fmt::format("skipped preflight check(s) must be among: [{}]", joined(preflight::kEvery, " "))));
}

void check_int_or_percent(std::string_view at, const std::optional<IntOrString>& value, Causes& causes) {
  if (!value || scaled_value(*value, 0, Rounding::Down)) return;
  const std::string text = value->to_string();
  const std::string why = text.ends_with('%')
                              ? fmt::format("invalid value {}: strconv.Atoi: parsing {}: invalid syntax",
                                            quoted(text), quoted(text.substr(0, text.size() - 1)))
                              : "invalid type: string is not a percentage";
  causes.push_back(field_invalid(
      at, quoted(text), "must be either an int or a percentage: invalid value for IntOrString: " + why));
}

std::optional<Selector> check_selector(std::string_view at, const LabelSelector& selector, Causes& causes) {
  auto compiled = Selector::from(selector);
  const std::string fault = compiled ? label_fault(selector) : compiled.error().message;
  if (fault.empty()) return std::move(*compiled);
  causes.push_back(field_invalid(at, encode(selector), fault));
  return {};
}

std::string json_text(const TextMap& map) {
  std::string text = "{";
  for (const auto& [key, value] : map) {
    if (text.size() > 1) text += ',';
    text += quoted(key) + ":" + quoted(value);
  }
  return text + "}";
}

}  // namespace capstan::api::rules
