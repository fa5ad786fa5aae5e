// BootstrapFixture with clusters in which machines join by a bootstrap token. For tests.
#pragma once

#include <numeric>

#include "base/base64.h"
#include "bootstrap/access/bindings.h"
#include "bootstrap/provider_fixture.h"
#include "bootstrap/token.h"
#include "kubeconfig/secret.h"

namespace capstan::bootstrap {

inline constexpr std::string_view kReach = R"(
apiVersion: v1
kind: Config
clusters: [{name: c1, cluster: {server: "https://10.0.0.1:6443"}}]
users: [{name: admin, user: {token: admin}}]
contexts: [{name: admin, context: {cluster: c1, user: admin}}]
current-context: admin
)";

// Cluster c1 with a control plane that runs and what its control plane provider has made.
struct JoinFixture : BootstrapFixture {
  explicit JoinFixture(std::uint64_t seed = 1) : BootstrapFixture(seed) { spec.join.emplace(); }

  void add_running_cluster(const std::string& name = "c1") {
    add_cluster(true, name);
    initialize_control_plane(name);
    add_kubeconfig(name);
    add_authority(name);
  }
  void initialize_control_plane(const std::string& name = "c1") {
    const auto cluster = get<api::Cluster>(name);
    api::Cluster after = *cluster;
    after.status.initialization.control_plane_initialized = true;
    must(kube::patch_status(user, *cluster, after, kNever), "initialize the control plane");
  }
  // Its control plane Machines are users' own, and have no Node yet.
  void add_cluster_without_control_plane() {
    put(builders::a_cluster("c1").without_control_plane_ref().endpoint("10.0.0.1", 6443).build());
    provision_cluster();
    add_kubeconfig();
    add_authority();
  }
  // The first of them has its Node: of such a Cluster the condition alone says so.
  void join_control_plane_machine() {
    const auto cluster = get<api::Cluster>("c1");
    api::Cluster after = *cluster;
    after.status.conditions =
        builders::a_cluster("c1").control_plane_machine_joined().build().status.conditions;
    must(kube::patch_status(user, *cluster, after, kNever), "set the condition");
  }
  void add_kubeconfig(const std::string& name = "c1") {
    const auto object = kubeconfig::secret_object(
        named(name), {.api_version = "v1", .kind = "Cluster", .name = name, .uid = "u"},
        Secret(std::string(kReach)));
    must(user.create(kube::resources::secrets(), named(name + "-kubeconfig"), object, {}, kNever), "create");
  }
  void add_authority(const std::string& name = "c1") {
    const json::value authority = {{"apiVersion", "v1"},
                                   {"kind", "Secret"},
                                   {"metadata", {{"name", name + "-ca"}, {"namespace", "default"}}},
                                   {"data", {{"tls.crt", base64_encode("THE CA\n")}}}};
    must(user.create(kube::resources::secrets(), named(name + "-ca"), authority, {}, kNever), "create");
  }
  // A CloudConfig that joins a machine of that Cluster, and waits for the machine.
  void add_config(const std::string& name, std::string_view cluster) {
    api::CloudConfig config;
    config.metadata.name = Text(name);
    config.metadata.namespace_ = "default"_text;
    config.metadata.labels.set(api::label::kClusterName, cluster);
    config.spec = spec;
    put(config);
  }
  void take_cluster_label(const std::string& name) {
    const auto config = get<api::CloudConfig>(name);
    api::CloudConfig after = *config;
    after.metadata.labels = {};
    must(kube::patch(user, *config, after, kNever), "take the label");
  }
  void pause_cluster(bool paused) {
    const auto cluster = get<api::Cluster>("c1");
    api::Cluster after = *cluster;
    after.spec.paused = paused;
    must(kube::patch(user, *cluster, after, kNever), "pause the Cluster");
  }
  // One with that role, no subject and no label.
  void add_foreign_binding(std::string_view name, std::string_view role) {
    const json::value binding = {
        {"apiVersion", "rbac.authorization.k8s.io/v1"},
        {"kind", "ClusterRoleBinding"},
        {"metadata", {{"name", name}}},
        {"roleRef", {{"apiGroup", "rbac.authorization.k8s.io"}, {"kind", "ClusterRole"}, {"name", role}}}};
    must(workload.create(access::cluster_role_bindings(), {.name = std::string(name)}, binding, {}, kNever),
         "create a binding");
  }
  // As it is in the workload cluster.
  std::string binding(std::string_view name) {
    const auto found = workload.get(access::cluster_role_bindings(), {.name = std::string(name)}, kNever);
    return found ? json::serialize(*found) : found.error().message;
  }
  void join(const std::string& name) {
    const auto machine = get<api::Machine>(name);
    api::Machine after = *machine;
    after.status.node_ref = api::MachineNodeRef{.name = Text("node-of-" + name)};
    must(kube::patch_status(user, *machine, after, kNever), "set the nodeRef");
  }
  void boot(const std::string& name) {
    const auto machine = get<api::Machine>(name);
    api::Machine after = *machine;
    after.spec.provider_id = Text("sim:///" + name);
    must(kube::patch(user, *machine, after, kNever), "set the providerID");
  }
  void change_spec(const std::string& name, const std::function<void(api::CloudConfigSpec&)>& change) {
    const auto config = get<api::CloudConfig>(name);
    api::CloudConfig after = *config;
    change(after.spec);
    must(kube::patch(user, *config, after, kNever), "change the spec");
  }
  template <typename T>
  void remove(const std::string& name) {
    must(kube::remove<T>(user, named(name), {}, kNever), "delete");
  }
  std::vector<Token> tokens() {
    const auto listed = workload.list(kube::resources::secrets(), {.namespace_ = "kube-system"}, kNever);
    must(listed, "list the tokens");
    std::vector<Token> found;
    for (const json::value& item : listed->at("items").as_array())
      if (auto token = read_token(item)) found.push_back(std::move(*token));
    return found;
  }
  std::size_t bindings() {
    const auto listed =
        workload.list(access::cluster_role_bindings(), {.label_selector = access::our_bindings()}, kNever);
    must(listed, "list the bindings");
    return listed->at("items").as_array().size();
  }
  void take_token(const Token& token) {
    must(workload.remove(kube::resources::secrets(), key_of_token(token.id), {}, kNever), "take the token");
  }
  std::string data_of(const std::string& name) {
    const auto document = secret(name);
    if (!document) return document.error().message;
    return api::read_secret(*document)->find("value")->reveal();
  }
  // What the CloudConfig says of its token: "Issued", "Removed"; "": none was issued.
  std::string token_standing(const std::string& name) {
    const auto config = get<api::CloudConfig>(name);
    return config ? config->status.bootstrap_token.str() : "no CloudConfig";
  }
  // Over both servers; Events are counted apart.
  int all_writes() const {
    const auto sum = [](int count, const auto& entry) {
      return entry.first.second == "Event" || entry.first.second == "ClusterRoleBinding"
                 ? count
                 : count + entry.second;
    };
    return std::accumulate(writes.begin(), writes.end(), 0, sum) +
           std::accumulate(workload_writes.begin(), workload_writes.end(), 0, sum);
  }
  Seconds left(const Token& token) const { return token.expires - Time::from(baton.now()); }
};

}  // namespace capstan::bootstrap
