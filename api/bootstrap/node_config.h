// NodeConfig: files, units and kubelet of the running Nodes of one Cluster. bootstrap/nodeconfig writes its
// spec into a Secret of the workload cluster, which capstan-agent reads on each Node. Plain values.
#pragma once

#include "api/bootstrap/cloud_config.h"

namespace capstan::api {

namespace bootstrap_kind {
inline constexpr std::string_view kNodeConfig = "NodeConfig";
}  // namespace bootstrap_kind

struct NodeConfigUnit {
  Text name = {};
  FreeText content = {};
  std::optional<bool> enabled = {};
  List<Text> file_paths = {};
  UnknownFields unknown = {};
  bool operator==(const NodeConfigUnit&) const = default;
};
template <>
inline constexpr auto members<NodeConfigUnit> = std::array{
    member<&NodeConfigUnit::name>(
        "name", {.min_length = 1,
                 .max_length = 255,
                 .pattern = "^[A-Za-z0-9:_.@-]+\\.(service|socket|timer|path|mount|target)$",
                 .required = true,
                 .doc = "Name of the systemd unit, with its type: containerd.service."}),
    member<&NodeConfigUnit::content>(
        "content", {.min_length = 1,
                    .max_length = 10240,
                    .doc = "What stands in the unit's file below /etc/systemd/system. Left out, the unit "
                           "is one that the image brings."}),
    member<&NodeConfigUnit::enabled>(
        "enabled", {.doc = "Whether it starts with the machine and is started now; true when left out. "
                           "False stops and disables it."}),
    member<&NodeConfigUnit::file_paths>(
        "filePaths", {.min_items = 1,
                      .max_items = 100,
                      .items = {.min_length = 1, .max_length = 512, .pattern = "^/"},
                      .list = ListType::Set,
                      .doc = "Files whose change restarts the unit, beside its own file."}),
};

struct KubeletBinary {
  Text version = {};
  Text url = {};
  Text sha256 = {};
  UnknownFields unknown = {};
  bool operator==(const KubeletBinary&) const = default;
};
template <>
inline constexpr auto members<KubeletBinary> = std::array{
    member<&KubeletBinary::version>("version",
                                    {.min_length = 1,
                                     .max_length = 64,
                                     .pattern = "^v[0-9]+\\.[0-9]+\\.[0-9]+",
                                     .required = true,
                                     .doc = "The Machine's spec.version that this kubelet is for."}),
    member<&KubeletBinary::url>("url", {.min_length = 1,
                                        .max_length = 2048,
                                        .pattern = "^https://",
                                        .required = true,
                                        .doc = "Where the program is fetched."}),
    member<&KubeletBinary::sha256>("sha256",
                                   {.min_length = 64,
                                    .max_length = 64,
                                    .pattern = "^[0-9a-f]{64}$",
                                    .required = true,
                                    .doc = "Checksum of the program; another content is not used."}),
};

struct NodeConfigKubelet {
  RawJson configuration = {};  // the kubelet's; never looked into
  Text configuration_path = {};
  Text kubeconfig_path = {};
  Text bootstrap_kubeconfig_path = {};
  Text unit = {};
  Text binary_path = {};
  List<KubeletBinary> binaries = {};
  UnknownFields unknown = {};
  bool operator==(const NodeConfigKubelet&) const = default;
};
template <>
inline constexpr auto members<NodeConfigKubelet> = std::array{
    member<&NodeConfigKubelet::configuration>(
        "configuration", {.preserve_unknown = true,
                          .doc = "The KubeletConfiguration, whole. Left out, the file is the image's."}),
    member<&NodeConfigKubelet::configuration_path>(
        "configurationPath",
        {.min_length = 1,
         .max_length = 512,
         .pattern = "^/",
         .doc =
             "Where it goes, as the kubelet's --config says; /var/lib/kubelet/config.yaml when left out."}),
    member<&NodeConfigKubelet::kubeconfig_path>(
        "kubeconfigPath",
        {.min_length = 1,
         .max_length = 512,
         .pattern = "^/",
         .doc =
             "The kubelet's --kubeconfig; /etc/kubernetes/kubelet.conf when left out. While it is there the "
             "machine has joined."}),
    member<&NodeConfigKubelet::bootstrap_kubeconfig_path>(
        "bootstrapKubeconfigPath",
        {.min_length = 1,
         .max_length = 512,
         .pattern = "^/",
         .doc = "The kubelet's --bootstrap-kubeconfig; /etc/kubernetes/bootstrap-kubelet.conf when left out. "
                "The file is there until the machine has joined."}),
    member<&NodeConfigKubelet::unit>("unit",
                                     {.min_length = 1,
                                      .max_length = 255,
                                      .doc = "The kubelet's unit, restarted when its configuration or "
                                             "program changes; kubelet.service when left out."}),
    member<&NodeConfigKubelet::binary_path>(
        "binaryPath", {.min_length = 1,
                       .max_length = 512,
                       .pattern = "^/",
                       .doc = "Where a fetched kubelet goes; /usr/local/bin/kubelet when left out."}),
    member<&NodeConfigKubelet::binaries>(
        "binaries", {.min_items = 1,
                     .max_items = 20,
                     .list_keys = "version",
                     .doc = "Kubelets to fetch, by version. A Machine of another version keeps the "
                            "image's."}),
};

struct NodeConfigApply {
  std::optional<std::int32_t> max_delay_seconds = {};
  std::optional<std::int32_t> max_failed = {};
  UnknownFields unknown = {};
  bool operator==(const NodeConfigApply&) const = default;
};
template <>
inline constexpr auto members<NodeConfigApply> = std::array{
    member<&NodeConfigApply::max_delay_seconds>(
        "maxDelaySeconds",
        {.minimum = 0,
         .maximum = 86400,
         .doc = "A Node applies a change after a random part of it, so that not all restart at once; 300 "
                "when left out."}),
    member<&NodeConfigApply::max_failed>(
        "maxFailed",
        {.minimum = 1,
         .maximum = 1000,
         .doc = "So many Nodes that report an error or turn NotReady after they applied a change "
                "stop it: no further Node gets it; 1 when left out."}),
};

struct NodeConfigAgent {
  Text url = {};
  Text sha256 = {};
  UnknownFields unknown = {};
  bool operator==(const NodeConfigAgent&) const = default;
};
template <>
inline constexpr auto members<NodeConfigAgent> = std::array{
    member<&NodeConfigAgent::url>("url", {.min_length = 1,
                                          .max_length = 2048,
                                          .pattern = "^https://",
                                          .required = true,
                                          .doc = "Where the first boot fetches capstan-agent."}),
    member<&NodeConfigAgent::sha256>("sha256",
                                     {.min_length = 64,
                                      .max_length = 64,
                                      .pattern = "^[0-9a-f]{64}$",
                                      .required = true,
                                      .doc = "Checksum of the program; another content does not run."}),
};

struct NodeConfigSpec {
  Text cluster_name = {};
  List<CloudConfigFile> files = {};
  List<NodeConfigUnit> units = {};
  NodeConfigKubelet kubelet = {};
  NodeConfigApply apply = {};
  std::optional<NodeConfigAgent> agent = {};
  UnknownFields unknown = {};
  bool operator==(const NodeConfigSpec&) const = default;
};
template <>
inline constexpr auto members<NodeConfigSpec> = std::array{
    member<&NodeConfigSpec::cluster_name>(
        "clusterName",
        {.min_length = 1, .max_length = 63, .required = true, .doc = "The Cluster whose Nodes it is for."}),
    member<&NodeConfigSpec::files>("files",
                                   {.min_items = 1,
                                    .max_items = 200,
                                    .list_keys = "path",
                                    .doc = "Files of the Nodes. One that is taken out of the list is "
                                           "removed from them."}),
    member<&NodeConfigSpec::units>(
        "units",
        {.min_items = 1, .max_items = 100, .list_keys = "name", .doc = "systemd units of the Nodes."}),
    member<&NodeConfigSpec::kubelet>("kubelet", {.doc = "The kubelet's configuration, files and program."}),
    member<&NodeConfigSpec::apply>("apply", {.doc = "How a change gets to the Nodes."}),
    member<&NodeConfigSpec::agent>("agent",
                                   {.doc = "The agent's program for new machines. Left out, the image "
                                           "brings /usr/local/bin/capstan-agent. Counts at birth only."}),
};

struct NodeConfigStatus {
  Text checksum = {};
  std::optional<std::int32_t> nodes = {};
  std::optional<std::int32_t> up_to_date_nodes = {};
  std::optional<std::int32_t> failed_nodes = {};
  List<Text> first_errors = {};
  Conditions conditions = {};
  std::int64_t observed_generation = 0;
  UnknownFields unknown = {};
  bool operator==(const NodeConfigStatus&) const = default;
};
template <>
inline constexpr ObjectRules object_rules<NodeConfigStatus> = {.min_properties = 1};
template <>
inline constexpr auto members<NodeConfigStatus> = std::array{
    member<&NodeConfigStatus::checksum>(
        "checksum", {.min_length = 1, .max_length = 64, .doc = "What Nodes that are up to date report."}),
    member<&NodeConfigStatus::nodes>("nodes", {.minimum = 0, .doc = "Nodes that it is for."}),
    member<&NodeConfigStatus::up_to_date_nodes>(
        "upToDateNodes", {.minimum = 0, .doc = "Nodes that have applied it and are Ready."}),
    member<&NodeConfigStatus::failed_nodes>(
        "failedNodes",
        {.minimum = 0, .doc = "Nodes that reported an error, or turned NotReady after they applied it."}),
    member<&NodeConfigStatus::first_errors>("firstErrors", {.min_items = 1,
                                                            .max_items = 5,
                                                            .items = {.min_length = 1, .max_length = 512},
                                                            .list = ListType::Atomic,
                                                            .doc = "What the first of them report."}),
    member<&NodeConfigStatus::conditions>(
        "conditions", {.max_items = 32, .list_keys = "type", .doc = field_doc::kConditions}),
    member<&NodeConfigStatus::observed_generation>("observedGeneration",
                                                   {.minimum = 1, .doc = field_doc::kObservedGeneration}),
};

struct NodeConfig {
  ObjectMeta metadata = {};
  NodeConfigSpec spec = {};
  NodeConfigStatus status = {};
  UnknownFields unknown = {};
  bool operator==(const NodeConfig&) const = default;
};
inline constexpr std::array kNodeConfigColumns = {
    Column{.name = "Cluster", .json_path = ".spec.clusterName", .description = "Cluster"},
    Column{
        .name = "Nodes", .json_path = ".status.nodes", .type = "integer", .description = "Nodes it is for"},
    Column{.name = "Up-to-date",
           .json_path = ".status.upToDateNodes",
           .type = "integer",
           .description = "Nodes that have applied it and are Ready"},
    Column{.name = "Failed",
           .json_path = ".status.failedNodes",
           .type = "integer",
           .description = "Nodes that could not apply it or turned NotReady by it"},
    Column{.name = "Ready",
           .json_path = ".status.conditions[?(@.type==\"Ready\")].status",
           .description = "Whether all Nodes have it"},
    Column{.name = "Age",
           .json_path = ".metadata.creationTimestamp",
           .type = "date",
           .description = "Time since creation"},
};
template <>
inline constexpr ResourceInfo resource<NodeConfig> = {
    .group = group::kBootstrap,
    .version = driver::kVersion,
    .kind = bootstrap_kind::kNodeConfig,
    .plural = "nodeconfigs",
    .categories = kCategory,
    .columns = kNodeConfigColumns,
    .status_subresource = true,
    .labels = driver::kContractLabels,
    .doc =
        "What stands on the running Nodes of a Cluster, and "
        "changes there without new Machines."};
template <>
inline constexpr auto members<NodeConfig> = std::array{
    member<&NodeConfig::metadata>("metadata", {.doc = field_doc::kMetadata}),
    member<&NodeConfig::spec>("spec", {.required = true, .doc = field_doc::kSpec}),
    member<&NodeConfig::status>("status", {.doc = field_doc::kStatus}),
};

}  // namespace capstan::api
