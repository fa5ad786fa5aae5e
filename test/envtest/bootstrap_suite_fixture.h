// The bootstrap provider on a real kube-apiserver, which is management and workload cluster at once; the test
// plays the core provider and the users. A fixture of gtest, for one thread.
#pragma once

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <boost/json.hpp>
#include <fstream>
#include <iterator>

#include "api/bootstrap/names.h"
#include "api/bootstrap/node_config.h"
#include "api/core/secret.h"
#include "api/names.h"
#include "api/schema/crd.h"
#include "api/schema/yaml.h"
#include "api/v1beta2/machine_pool.h"
#include "base/base64.h"
#include "base/log.h"
#include "bootstrap/approval/request.h"
#include "bootstrap/nodeconfig/content.h"
#include "bootstrap/nodeconfig/rights.h"
#include "bootstrap/provider.h"
#include "bootstrap/token.h"
#include "kube/remote_client.h"
#include "kube/resources.h"
#include "kube/typed.h"
#include "kubeconfig/connect.h"
#include "kubeconfig/dial.h"
#include "kubeconfig/secret.h"
#include "net/io_pool.h"
#include "net/secure_randomness.h"
#include "test/builders/cluster.h"
#include "test/builders/machine.h"
#include "test/envtest/real_servers.h"
#include "test/envtest/rights_expectation.h"

namespace capstan::envtest {

namespace json = boost::json;
using std::chrono::seconds;

inline constexpr std::string_view kBootstrapKubeconfig = "/etc/kubernetes/bootstrap-kubelet.conf";

inline kube::ObjectKey named(std::string name) { return {.namespace_ = "default", .name = std::move(name)}; }

template <typename T>
void must(const Result<T>& result, std::string_view what) {
  if (!result) ADD_FAILURE() << what << ": " << result.error().describe();
}

inline std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

class Bootstrap : public ::testing::Test {
 protected:
  virtual RealServerOptions server_options() const {
    return {.audit_policy = std::string(kAuditRequests),
            .apiserver_flags = {"--enable-bootstrap-token-auth=true"}};
  }
  void SetUp() override {
    auto servers = RealServers::start(server_options());
    ASSERT_TRUE(servers) << servers.error().describe();
    servers_ = std::move(*servers);
    admin_ = client(*kubeconfig::load(servers_->kubeconfig_path()));
    for (const json::value& crd :
         {api::crd<api::Cluster>(), api::crd<api::Machine>(), api::crd<api::MachinePool>(),
          api::crd<api::CloudConfig>(), api::crd<api::NodeConfig>()})
      must(admin_->create(kube::resources::custom_resource_definitions(), {}, crd, {}, soon()), "install");
    auto rights = providers_kubeconfig(*servers_);
    ASSERT_TRUE(rights) << rights.error().describe();
    theirs_ = client(*kubeconfig::load(*rights));
    provider_ = std::make_unique<bootstrap::Provider>(
        bootstrap::ProviderDeps{.clock = clock_,
                                .threads = threads_,
                                .client = *theirs_,
                                .randomness = randomness_,
                                .dial = kubeconfig::remote_dial({io_, threads_, clock_}),
                                .keys = &keys_,
                                .log = Log(stderr_, clock_)});
    must(provider_->start(Deadline::in(clock_, seconds(60))), "start the provider");
  }
  void TearDown() override {
    if (provider_) provider_->stop();
  }

  std::unique_ptr<kube::RemoteClient> client(const kube::Connection& connection) {
    auto made = kube::RemoteClient::make({io_, threads_, clock_}, connection);
    must(made, "connect");
    return made ? std::move(*made) : nullptr;
  }
  Deadline soon() { return Deadline::in(clock_, seconds(30)); }
  bool eventually(const std::function<bool()>& holds) {
    const Deadline deadline = soon();
    while (!holds()) {
      if (deadline.passed(clock_.steady_now())) return false;
      threads_.pause(Deadline::in(clock_, std::chrono::milliseconds(50)));
    }
    return true;
  }
  template <typename T>
  T put(T object) {
    object.metadata.uid = {};
    object.metadata.resource_version = {};
    auto made = kube::create(*admin_, object, {}, soon());
    must(made, "create");
    return made ? *made : object;
  }
  template <typename T>
  T get(const std::string& name) {
    auto found = kube::get<T>(*admin_, named(name), soon());
    must(found, "get");
    return found.value_or(T());
  }
  void put_secret(const std::string& name, const json::value& object) {
    must(admin_->create(kube::resources::secrets(), named(name), object, {}, soon()), "create a Secret");
  }

  // Cluster c1, whose API server is the one that runs.
  void add_cluster() {
    const std::string url = servers_->url();
    const int port = std::stoi(url.substr(url.rfind(':') + 1));
    const api::Cluster before = put(builders::a_cluster("c1").endpoint("127.0.0.1", port).build());
    api::Cluster after = before;
    after.status.initialization.infrastructure_provisioned = true;
    after.status.initialization.control_plane_initialized = true;
    must(kube::patch_status(*admin_, before, after, soon()), "initialize the Cluster");
    put_secret("c1-kubeconfig",
               kubeconfig::secret_object(
                   named("c1"),
                   {.api_version = "v1", .kind = "Cluster", .name = "c1", .uid = before.metadata.uid.str()},
                   Secret(text_of(servers_->kubeconfig_path()))));
    put_secret("c1-ca", {{"apiVersion", "v1"},
                         {"kind", "Secret"},
                         {"metadata", {{"name", "c1-ca"}, {"namespace", "default"}}},
                         {"data", {{"tls.crt", base64_encode(servers_->ca_pem())}}}});
  }
  void add_machine(const api::CloudConfigSpec& spec = joining(), const std::string& name = "m1") {
    api::Machine machine = builders::a_machine(name).version("v1.36.0");
    machine.spec.bootstrap.config_ref = {
        .api_group = Text(api::group::kBootstrap), .kind = "CloudConfig"_text, .name = Text(name)};
    machine = put(machine);
    api::CloudConfig config;
    config.metadata.name = Text(name);
    config.metadata.namespace_ = "default"_text;
    config.metadata.labels.set(api::label::kClusterName, "c1");
    config.metadata.owner_references = api::OwnerReferences({{.api_version = Text(api::kApiVersion),
                                                              .kind = "Machine"_text,
                                                              .name = machine.metadata.name,
                                                              .uid = machine.metadata.uid}});
    config.spec = spec;
    put(config);
  }
  static api::CloudConfigSpec joining() {
    api::CloudConfigSpec spec;
    spec.join.emplace();
    return spec;
  }
  static api::CloudConfigSpec with_node_config() {
    api::CloudConfigSpec spec = joining();
    spec.node_config_ref = api::NodeConfigRef{.name = "workers"_text};
    return spec;
  }
  void add_node_config() {
    api::NodeConfig config;
    config.metadata.name = "workers"_text;
    config.metadata.namespace_ = "default"_text;
    config.spec.cluster_name = "c1"_text;
    config.spec.files.push_back({.path = "/etc/a"_text, .content = FreeText("a")});
    put(config);
  }
  void join() {
    const auto before = get<api::Machine>("m1");
    api::Machine after = before;
    after.status.node_ref = api::MachineNodeRef{.name = "m1"_text};
    must(kube::patch_status(*admin_, before, after, soon()), "set the nodeRef");
  }
  // Wakes the CloudConfig.
  void change_commands() {
    const auto before = get<api::CloudConfig>("m1");
    api::CloudConfig after = before;
    after.spec.commands.push_back("true"_text);
    must(kube::patch(*admin_, before, after, soon()), "change the commands");
  }
  bool has_data(const std::string& name = "m1") {
    return get<api::CloudConfig>(name).status.initialization.data_secret_created.value_or(false);
  }
  // What a kubelet would be started with: the kubeconfig in the user data, with the CA from the file it
  // names.
  kube::Connection as_kubelet() {
    auto connection = *kubeconfig::connection(*kubeconfig::parse(file_in_data(kBootstrapKubeconfig)));
    connection.ca_file.clear();
    connection.ca_pem = servers_->ca_pem();
    return connection;
  }
  // By the file of user data with what an agent knows at birth.
  kube::Connection as_new_agent() {
    const json::value told = json::parse(file_in_data(api::bootstrap::kAgentFactsFile));
    return {.server = std::string(told.at("server").as_string()),
            .ca_pem = std::string(told.at("certificateAuthority").as_string()),
            .token = Secret(std::string(told.at("token").as_string()))};
  }
  std::string file_in_data(std::string_view path, const std::string& of = "m1") {
    const auto secret = api::read_secret(*admin_->get(kube::resources::secrets(), named(of), soon()));
    const auto data = api::parse_yaml(secret->find("value")->reveal());
    for (const json::value& file : data->at("write_files").as_array())
      if (file.at("path").as_string() == path) return std::string(file.at("content").as_string());
    ADD_FAILURE() << path << " is not in the data";
    return {};
  }
  // Whether the agents of NodeConfig workers may do that with that Secret of kube-system.
  bool agents_may(std::string_view verb, std::string_view secret) {
    const auto answered = admin_->post_path(
        "/apis/authorization.k8s.io/v1/subjectaccessreviews",
        {{"apiVersion", "authorization.k8s.io/v1"},
         {"kind", "SubjectAccessReview"},
         {"spec",
          {{"user", "capstan.dev:agent:default:m1"},
           {"groups",
            json::array{"system:authenticated", bootstrap::nodeconfig::agent_group(named("workers"))}},
           {"resourceAttributes",
            {{"verb", verb}, {"resource", "secrets"}, {"namespace", "kube-system"}, {"name", secret}}}}}},
        soon());
    must(answered, "review an access");
    return answered && answered->at("status").at("allowed").as_bool();
  }
  // "Approved", "Denied", or "" while it is not decided.
  std::string answer(const std::string& request) {
    const auto found = admin_->get(bootstrap::approval::signing_requests(), {.name = request}, soon());
    json::error_code absent;
    const auto* type = found ? found->find_pointer("/status/conditions/0/type", absent) : nullptr;
    return type == nullptr ? std::string() : std::string(type->as_string());
  }
  Result<json::value> who_am_i(kube::Client& kubelet) {
    return kubelet.post_path("/apis/authentication.k8s.io/v1/selfsubjectreviews",
                             {{"apiVersion", "authentication.k8s.io/v1"}, {"kind", "SelfSubjectReview"}},
                             soon());
  }
  std::size_t tokens() {
    const auto listed =
        admin_->list(kube::resources::secrets(),
                     {.namespace_ = "kube-system", .label_selector = bootstrap::tokens_of_all()}, soon());
    must(listed, "list the tokens");
    return listed ? listed->at("items").as_array().size() : 0;
  }
  void take_token() {
    const std::string text = as_kubelet().token.reveal();
    must(admin_->remove(kube::resources::secrets(), bootstrap::key_of_token(text.substr(0, text.find('.'))),
                        {}, soon()),
         "take the token");
  }

  SystemClock clock_;
  DescriptorSink stderr_{STDERR_FILENO};
  SystemThreads threads_;
  SystemRandomness randomness_;
  net::SecureRandomness keys_;
  net::IoPool io_;
  std::unique_ptr<RealServers> servers_;
  std::unique_ptr<kube::RemoteClient> admin_;
  std::unique_ptr<kube::RemoteClient> theirs_;
  std::unique_ptr<bootstrap::Provider> provider_;
};

}  // namespace capstan::envtest
