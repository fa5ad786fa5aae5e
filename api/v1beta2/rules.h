// What the rules of several kinds have in common. Each kind has its own <kind>_rules.h with two pure
// functions: apply_defaults (what the mutating webhook does) and validate (what the validating webhook
// refuses beyond the schema). Webhooks call them with the stored object as `before`, observe calls them on
// what it reads.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/meta/label_selector.h"
#include "api/meta/object_meta.h"
#include "api/v1beta2/machine.h"
#include "base/error.h"
#include "base/result.h"

namespace capstan::api {

using Causes = std::vector<Cause>;

// Feature gates that rules ask for, with upstream's defaults.
struct Gates {
  bool machine_pool = true;
  bool machine_set_preflight_checks = true;
  bool machine_taint_propagation = false;
  bool cluster_topology = false;
};

namespace rules {

// ---- defaults

void label_cluster(ObjectMeta& metadata, const Text& cluster_name);
// "1.34.1" -> "v1.34.1"
void prefix_version(Text& version);
// Replicas left out: the stored number stays, within the autoscaler's limits where both annotations are
// there; of a new object the lower limit, else 1.
struct ReplicaDefault {
  std::string_view kind = {};
  const ObjectMeta* metadata = nullptr;
  std::optional<std::int32_t> before = {};  // of the stored object, if there is one
};
Result<std::int32_t> default_replicas(const ReplicaDefault& from);

// ---- validation; `at` is the path of what is checked

void check_cluster_name_unchanged(const Text& now, const Text* before, Causes& causes);
void check_same_cluster_name(const Text& cluster_name, const MachineSpec& machine_spec, Causes& causes);
// {} is no reference: the schema refuses it, and old clients write it for "none".
bool is_defined(const std::optional<ContractRef>& reference);
// `at` is the path of the MachineSpec: "spec" or "spec.template.spec".
void check_bootstrap(std::string_view at, const MachineBootstrap& bootstrap, Causes& causes);
void check_version(std::string_view at, const Text& version, Causes& causes);
void check_taints(std::string_view at, const List<MachineTaint>& taints, const Gates& gates, Causes& causes);
void check_worker_taints(std::string_view at, const List<MachineTaint>& taints, const Gates& gates,
                         Causes& causes);
void check_template_metadata(const TemplateMeta& metadata, Causes& causes);
void check_naming(std::string_view naming, Causes& causes);
void check_skipped_preflight_checks(const ObjectMeta& metadata, const Gates& gates, Causes& causes);
void check_int_or_percent(std::string_view at, const std::optional<IntOrString>& value, Causes& causes);
// Nothing when the selector can't be understood; that is then among the causes.
std::optional<Selector> check_selector(std::string_view at, const LabelSelector& selector, Causes& causes);
// "{"a":"b"}"
std::string json_text(const TextMap& map);

}  // namespace rules
}  // namespace capstan::api
