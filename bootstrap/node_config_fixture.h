// JoinFixture with a NodeConfig, and with requests for certificates in the workload cluster. For tests.
#pragma once

#include "api/bootstrap/node_config.h"
#include "api/bootstrap/node_config_release.h"
#include "bootstrap/approval/request.h"
#include "bootstrap/approval/request_fixture.h"
#include "bootstrap/join_fixture.h"
#include "bootstrap/nodeconfig/content.h"
#include "bootstrap/nodeconfig/rights.h"
#include "test/fakes/relay_client.h"

namespace capstan::bootstrap {

// The embedded server knows requests for certificates only as a custom kind: their subresource "approval" is
// its status.
class ApprovingClient final : public fakes::RelayClient {
 public:
  using RelayClient::RelayClient;
  Result<json::value> patch(const kube::Resource& resource, const ObjectKey& key, const json::value& body,
                            const kube::PatchOptions& options, const Deadline& deadline) override {
    kube::PatchOptions told = options;
    if (told.subresource == "approval") told.subresource = "status";
    return RelayClient::patch(resource, key, body, told, deadline);
  }
};

inline json::value requests_kind() {
  return json::parse(R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
    "metadata":{"name":"certificatesigningrequests.certificates.k8s.io",
                "annotations":{"api-approved.kubernetes.io":"unapproved, for tests"}},
    "spec":{"group":"certificates.k8s.io","scope":"Cluster",
      "names":{"plural":"certificatesigningrequests","singular":"certificatesigningrequest",
               "kind":"CertificateSigningRequest","listKind":"CertificateSigningRequestList"},
      "versions":[{"name":"v1","served":true,"storage":true,"subresources":{"status":{}},
        "selectableFields":[{"jsonPath":".spec.signerName"}],
        "schema":{"openAPIV3Schema":{"type":"object","x-kubernetes-preserve-unknown-fields":true,
          "properties":{"spec":{"type":"object","x-kubernetes-preserve-unknown-fields":true,
                                "properties":{"signerName":{"type":"string"}}},
                        "status":{"type":"object","x-kubernetes-preserve-unknown-fields":true}}}}}]}})");
}

// Cluster c1 runs, and each Machine gets NodeConfig workers.
struct NodeConfigFixture : JoinFixture {
  ApprovingClient approving{workload};
  const ObjectKey workers = named("workers");

  explicit NodeConfigFixture(std::uint64_t seed = 1) : JoinFixture(seed) {
    spec.node_config_ref = api::NodeConfigRef{.name = "workers"_text};
    workload_through = &approving;
  }

  void begin() {
    install_requests();
    add_running_cluster();
  }
  void install_requests() {
    must(workload.create(kube::resources::custom_resource_definitions(), {}, requests_kind(), {}, kNever),
         "install the requests");
  }
  void add_node_config() {
    api::NodeConfig config;
    config.metadata.name = "workers"_text;
    config.metadata.namespace_ = "default"_text;
    config.spec.cluster_name = "c1"_text;
    config.spec.files.push_back({.path = "/etc/a"_text, .content = FreeText("1")});
    put(config);
  }
  void change_file(const std::string& content) {
    const auto before = get<api::NodeConfig>("workers");
    api::NodeConfig after = *before;
    after.spec.files = {};
    after.spec.files.push_back({.path = "/etc/a"_text, .content = FreeText(content)});
    must(kube::patch(user, *before, after, kNever), "change the file");
  }
  // Nodes of that version get another program.
  void change_kubelet(const std::string& version) {
    const auto before = get<api::NodeConfig>("workers");
    api::NodeConfig after = *before;
    after.spec.kubelet.binaries.push_back({.version = Text(version),
                                           .url = "https://example.com/kubelet"_text,
                                           .sha256 = Text(std::string(64, 'a'))});
    must(kube::patch(user, *before, after, kNever), "change the kubelet");
  }
  std::string checksum() { return nodeconfig::content_of(get<api::NodeConfig>("workers")->spec).checksum; }
  bool stands() { return get<api::NodeConfig>("workers")->status.checksum == checksum(); }
  std::string ready() {
    const auto config = get<api::NodeConfig>("workers");
    const auto found = config ? api::conditions::find(config->status.conditions, "Ready") : nullptr;
    return found == nullptr ? "" : found->reason.str() + ": " + std::string(found->message.view());
  }
  Result<json::value> node_config_secret() {
    return workload.get(kube::resources::secrets(), nodeconfig::secret_key(workers), kNever);
  }
  std::size_t rights() {
    std::size_t there = 0;
    for (const auto& right : nodeconfig::rights_of(workers))
      if (workload.get(right.resource, right.key, kNever)) ++there;
    return there;
  }
  // A Machine whose Node is ready and reports what it has applied.
  void add_worker(const std::string& name) {
    add_machine(name);
    EXPECT_TRUE(eventually([&] { return created(name); })) << name;
    add_ready_node(name);
    apply(name);
    join(name);
  }
  void add_ready_node(const std::string& name) {
    const json::value node = {
        {"apiVersion", "v1"}, {"kind", "Node"}, {"metadata", {{"name", "node-of-" + name}}}};
    must(workload.create(kube::resources::nodes(), {.name = "node-of-" + name}, node, {}, kNever), "create");
    set_ready(name, true);
  }
  void set_ready(const std::string& name, bool is_ready) {
    const json::value status = {
        {"status",
         {{"conditions",
           json::array{json::object{{"type", "Ready"},
                                    {"status", is_ready ? "True" : "False"},
                                    {"lastTransitionTime", Time::from(baton.now()).to_string()}}}}}}};
    must(workload.patch(kube::resources::nodes(), {.name = "node-of-" + name}, status,
                        {.subresource = "status"}, kNever),
         "set the Node's condition");
  }
  void apply(const std::string& name, const std::string& error = {}) {
    json::object annotations = {{"bootstrap.capstan.dev/applied", checksum()}};
    annotations["bootstrap.capstan.dev/apply-error"] = error.empty() ? json::value() : json::value(error);
    must(workload.patch(kube::resources::nodes(), {.name = "node-of-" + name},
                        json::object{{"metadata", json::object{{"annotations", annotations}}}}, {}, kNever),
         "annotate the Node");
  }
  bool has(const std::string& name) {
    const auto secret = node_config_secret();
    if (!secret) return false;
    const auto& text = secret->at("metadata").at("annotations").at("bootstrap.capstan.dev/released");
    return api::bootstrap::is_released(std::string_view(text.as_string()), checksum(), "node-of-" + name);
  }
  std::vector<std::string> released_among(const std::vector<std::string>& names) {
    std::vector<std::string> released;
    for (const auto& name : names)
      if (has(name)) released.push_back(name);
    return released;
  }
  void request(const std::string& name, std::string_view pem, const std::string& requester) {
    must(workload.create(approval::signing_requests(), {.name = name},
                         approval::signing_request(name, pem, requester), {}, kNever),
         "ask for a certificate");
  }
  // "Approved: why", or "" while it is not decided.
  std::string answer(const std::string& name) {
    const auto found = workload.get(approval::signing_requests(), {.name = name}, kNever);
    json::error_code absent;
    const auto* condition = found ? found->find_pointer("/status/conditions/0", absent) : nullptr;
    if (condition == nullptr) return {};
    return std::string(condition->at("type").as_string()) + ": " +
           std::string(condition->at("message").as_string());
  }
  std::string token_user() { return "system:bootstrap:" + tokens().front().id; }
};

}  // namespace capstan::bootstrap
