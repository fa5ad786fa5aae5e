// CloudConfig and CloudConfigTemplate: bootstrap data for cloud-init, for Ignition or as a script, rendered
// into the Secret that turns a VM into a Node. Read and written by bootstrap/controller; plain values.
#pragma once

#include "api/driver/names.h"
#include "api/v1beta2/common.h"

namespace capstan::api {

namespace bootstrap_kind {
inline constexpr std::string_view kCloudConfig = "CloudConfig";
inline constexpr std::string_view kCloudConfigTemplate = "CloudConfigTemplate";
}  // namespace bootstrap_kind

// Reasons of the condition Ready, beside those of api/driver/names.h.
namespace bootstrap_reason {
inline constexpr std::string_view kDataSecretTaken = "DataSecretTaken";
inline constexpr std::string_view kInvalid = "InvalidConfiguration";
inline constexpr std::string_view kWaitingForNodeConfig = "WaitingForNodeConfig";
// Of a NodeConfig.
inline constexpr std::string_view kApplying = "Applying";
inline constexpr std::string_view kApplyFailed = "ApplyFailed";
}  // namespace bootstrap_reason

// Formats of the data, as spec.format and the key "format" of the Secret spell them.
namespace bootstrap_format {
inline constexpr std::string_view kCloudConfig = "cloud-config";
inline constexpr std::string_view kIgnition = "ignition";
inline constexpr std::string_view kScript = "script";
}  // namespace bootstrap_format

// Where an agent on the machine finds what the machine is, as JSON; the provider writes it.
inline constexpr std::string_view kMachineFactsFile = "/etc/capstan/machine.json";
// Ignition runs no commands and sets no host name: files do.
inline constexpr std::string_view kIgnitionCommandsFile = "/etc/capstan/commands.sh";
inline constexpr std::string_view kIgnitionHostnameFile = "/etc/hostname";

struct CloudConfigFile {
  Text path = {};
  FreeText content = {};
  Text permissions = {};
  Text owner = {};
  UnknownFields unknown = {};
  bool operator==(const CloudConfigFile&) const = default;
};
template <>
inline constexpr auto members<CloudConfigFile> = std::array{
    member<&CloudConfigFile::path>("path", {.min_length = 1,
                                            .max_length = 512,
                                            .pattern = "^/",
                                            .required = true,
                                            .doc = "Where the file goes, as an absolute path."}),
    member<&CloudConfigFile::content>(
        "content", {.min_length = 1, .max_length = 10240, .doc = "What stands in it; empty when left out."}),
    member<&CloudConfigFile::permissions>("permissions",
                                          {.min_length = 1,
                                           .max_length = 16,
                                           .pattern = "^0?[0-7]{3,4}$",
                                           .doc = "Mode in octal digits; 0644 when left out."}),
    member<&CloudConfigFile::owner>("owner", {.min_length = 1,
                                              .max_length = 256,
                                              .doc = "user:group the file belongs to; root:root when left "
                                                     "out."}),
};

struct CloudConfigJoin {
  Text bootstrap_kubeconfig_path = {};
  Text certificate_authority_path = {};
  std::optional<std::int32_t> creation_timeout_seconds = {};
  UnknownFields unknown = {};
  bool operator==(const CloudConfigJoin&) const = default;
};
template <>
inline constexpr auto members<CloudConfigJoin> = std::array{
    member<&CloudConfigJoin::bootstrap_kubeconfig_path>(
        "bootstrapKubeconfigPath",
        {.min_length = 1,
         .max_length = 512,
         .pattern = "^/",
         .doc = "What the kubelet's --bootstrap-kubeconfig names: the kubeconfig with the token goes there. "
                "/etc/kubernetes/bootstrap-kubelet.conf when left out, where kubeadm's packages look."}),
    member<&CloudConfigJoin::certificate_authority_path>(
        "certificateAuthorityPath",
        {.min_length = 1,
         .max_length = 512,
         .pattern = "^/",
         .doc = "Where the certificate of the cluster's CA goes; /etc/kubernetes/pki/ca.crt when left out."}),
    member<&CloudConfigJoin::creation_timeout_seconds>(
        "creationTimeoutSeconds",
        {.minimum = 60,
         .maximum = 86400,
         .doc = "How long a machine may take until its Node is there; 1200 when left out. The token ends two "
                "hours later, and is extended as long as there is no Node."}),
};

struct NodeConfigRef {
  Text name = {};
  UnknownFields unknown = {};
  bool operator==(const NodeConfigRef&) const = default;
};
template <>
inline constexpr auto members<NodeConfigRef> = std::array{
    member<&NodeConfigRef::name>("name", {.min_length = 1,
                                          .max_length = 253,
                                          .required = true,
                                          .doc = "Name of the NodeConfig, in the same namespace."}),
};

struct CloudConfigSpec {
  Text format = {};
  List<CloudConfigFile> files = {};
  List<Text> commands = {};
  std::optional<CloudConfigJoin> join = {};
  std::optional<NodeConfigRef> node_config_ref = {};
  UnknownFields unknown = {};
  bool operator==(const CloudConfigSpec&) const = default;
};
template <>
inline constexpr auto members<CloudConfigSpec> = std::array{
    member<&CloudConfigSpec::format>(
        "format", {.one_of = "cloud-config|ignition|script",
                   .doc = "What the image of the machine understands; cloud-config when left out."}),
    member<&CloudConfigSpec::files>("files", {.min_items = 1,
                                              .max_items = 200,
                                              .list = ListType::Atomic,
                                              .doc = "Files to write before anything runs."}),
    member<&CloudConfigSpec::commands>("commands", {.min_items = 1,
                                                    .max_items = 1000,
                                                    .items = {.min_length = 1, .max_length = 10240},
                                                    .list = ListType::Atomic,
                                                    .doc = "Shell commands to run once, in this order."}),
    member<&CloudConfigSpec::join>(
        "join",
        {.doc = "When given, the machine gets what its kubelet needs to join the cluster: the CA, and "
                "for a worker a kubeconfig with a bootstrap token of its own. The data may then have "
                "16 KB. Left out: only the files and commands above."}),
    member<&CloudConfigSpec::node_config_ref>(
        "nodeConfigRef",
        {.doc = "The NodeConfig whose files, units and kubelet the machine gets, now and when they change: "
                "capstan-agent runs on it and joins it to the cluster. Needs `join`."}),
};

struct CloudConfigInitialization {
  std::optional<bool> data_secret_created = {};  // once true it stays true
  UnknownFields unknown = {};
  bool operator==(const CloudConfigInitialization&) const = default;
};
template <>
inline constexpr ObjectRules object_rules<CloudConfigInitialization> = {.min_properties = 1};
template <>
inline constexpr auto members<CloudConfigInitialization> = std::array{
    member<&CloudConfigInitialization::data_secret_created>(
        "dataSecretCreated", {.doc = "True from the moment the data Secret was there."}),
};

// What became of the bootstrap token.
namespace bootstrap_token {
inline constexpr std::string_view kIssued = "Issued";
inline constexpr std::string_view kRemoved = "Removed";
}  // namespace bootstrap_token

struct CloudConfigStatus {
  CloudConfigInitialization initialization = {};
  Text data_secret_name = {};
  Text bootstrap_token = {};  // empty: none was issued
  Conditions conditions = {};
  std::int64_t observed_generation = 0;
  UnknownFields unknown = {};
  bool operator==(const CloudConfigStatus&) const = default;
};
template <>
inline constexpr ObjectRules object_rules<CloudConfigStatus> = {.min_properties = 1};
template <>
inline constexpr auto members<CloudConfigStatus> = std::array{
    member<&CloudConfigStatus::initialization>(
        "initialization", {.doc = "Progress of the first rendering. What became true here stays true."}),
    member<&CloudConfigStatus::data_secret_name>(
        "dataSecretName",
        {.min_length = 1, .max_length = 253, .doc = "Name of the Secret with the bootstrap data."}),
    member<&CloudConfigStatus::bootstrap_token>(
        "bootstrapToken",
        {.one_of = "Issued|Removed",
         .doc = "Issued: the data have a token that stands in the workload cluster. Removed: it is gone from "
                "there, because the machine has joined or goes, or `join` was taken out."}),
    member<&CloudConfigStatus::conditions>(
        "conditions", {.max_items = 32, .list_keys = "type", .doc = field_doc::kConditions}),
    member<&CloudConfigStatus::observed_generation>("observedGeneration",
                                                    {.minimum = 1, .doc = field_doc::kObservedGeneration}),
};

struct CloudConfig {
  ObjectMeta metadata = {};
  CloudConfigSpec spec = {};
  CloudConfigStatus status = {};
  UnknownFields unknown = {};
  bool operator==(const CloudConfig&) const = default;
};
inline constexpr std::array kCloudConfigColumns = {
    Column{.name = "Cluster",
           .json_path = ".metadata.labels['cluster\\.x-k8s\\.io/cluster-name']",
           .description = "Cluster"},
    Column{.name = "Data Secret",
           .json_path = ".status.dataSecretName",
           .description = "Secret with the bootstrap data"},
    Column{.name = "Ready",
           .json_path = ".status.conditions[?(@.type==\"Ready\")].status",
           .description = "Whether the data is there"},
    Column{.name = "Paused",
           .json_path = ".status.conditions[?(@.type==\"Paused\")].status",
           .priority = 10,
           .description = "Whether controllers leave it alone"},
    Column{.name = "Age",
           .json_path = ".metadata.creationTimestamp",
           .type = "date",
           .description = "Time since creation"},
};
template <>
inline constexpr ResourceInfo resource<CloudConfig> = {
    .group = group::kBootstrap,
    .version = driver::kVersion,
    .kind = bootstrap_kind::kCloudConfig,
    .plural = "cloudconfigs",
    .categories = kCategory,
    .columns = kCloudConfigColumns,
    .status_subresource = true,
    .labels = driver::kContractLabels,
    .doc = "Bootstrap data of a machine, or of the machines of a pool."};
template <>
inline constexpr auto members<CloudConfig> = std::array{
    member<&CloudConfig::metadata>("metadata", {.doc = field_doc::kMetadata}),
    member<&CloudConfig::spec>("spec", {.doc = field_doc::kSpec}),
    member<&CloudConfig::status>("status", {.doc = field_doc::kStatus}),
};

struct CloudConfigTemplateResource {
  TemplateMeta metadata = {};
  CloudConfigSpec spec = {};
  UnknownFields unknown = {};
  bool operator==(const CloudConfigTemplateResource&) const = default;
};
template <>
inline constexpr auto members<CloudConfigTemplateResource> = std::array{
    member<&CloudConfigTemplateResource::metadata>("metadata",
                                                   {.doc = "Labels and annotations of the CloudConfigs."}),
    member<&CloudConfigTemplateResource::spec>("spec", {.doc = "Spec of the CloudConfigs."}),
};

struct CloudConfigTemplateSpec {
  CloudConfigTemplateResource template_ = {};
  UnknownFields unknown = {};
  bool operator==(const CloudConfigTemplateSpec&) const = default;
};
template <>
inline constexpr auto members<CloudConfigTemplateSpec> = std::array{
    member<&CloudConfigTemplateSpec::template_>(
        "template", {.required = true, .doc = "What CloudConfigs are made from."}),
};

struct CloudConfigTemplate {
  ObjectMeta metadata = {};
  CloudConfigTemplateSpec spec = {};
  UnknownFields unknown = {};
  bool operator==(const CloudConfigTemplate&) const = default;
};
inline constexpr std::array kCloudConfigTemplateColumns = {
    Column{.name = "Age",
           .json_path = ".metadata.creationTimestamp",
           .type = "date",
           .description = "Time since creation"},
};
template <>
inline constexpr ResourceInfo resource<CloudConfigTemplate> = {.group = group::kBootstrap,
                                                               .version = driver::kVersion,
                                                               .kind = bootstrap_kind::kCloudConfigTemplate,
                                                               .plural = "cloudconfigtemplates",
                                                               .categories = kCategory,
                                                               .columns = kCloudConfigTemplateColumns,
                                                               .labels = driver::kContractLabels,
                                                               .doc = "What CloudConfigs are made from."};
template <>
inline constexpr auto members<CloudConfigTemplate> = std::array{
    member<&CloudConfigTemplate::metadata>("metadata", {.doc = field_doc::kMetadata}),
    member<&CloudConfigTemplate::spec>("spec", {.required = true, .doc = field_doc::kSpec}),
};

}  // namespace capstan::api
