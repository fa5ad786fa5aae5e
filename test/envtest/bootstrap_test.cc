// The bootstrap provider on a real kube-apiserver, which is management and workload cluster at once: by the
// token in the data Secret a kubelet's first requests are let in, and after the join they are not.
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
#include "bootstrap/approval/request_fixture.h"
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
namespace {

namespace json = boost::json;
using std::chrono::seconds;
using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr std::string_view kBootstrapKubeconfig = "/etc/kubernetes/bootstrap-kubelet.conf";

// Of "O=system:nodes, CN=system:node:m1".
constexpr std::string_view kCertificateRequest = R"(-----BEGIN CERTIFICATE REQUEST-----
MIHrMIGSAgEAMDAxFTATBgNVBAoMDHN5c3RlbTpub2RlczEXMBUGA1UEAwwOc3lz
dGVtOm5vZGU6bTEwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAARFBrwOdGriiTc3
jT40uEwCPchoWhZ1KnQipkQgDd9JipB2zOK3Y3FSXMKJ57cO/p3wF81yNNjJflXg
RWPJx921oAAwCgYIKoZIzj0EAwIDSAAwRQIhANpYH8i0kjJh8lE2SNFQD2P1pKmQ
5YdNW0XI3/6gk5o2AiB9KWSdth1Xppn7P29EtRUxmXfCvpvkY8LL2sJzEOeD3Q==
-----END CERTIFICATE REQUEST-----
)";

const kube::Resource kSigningRequests = {.group = "certificates.k8s.io",
                                         .version = "v1",
                                         .plural = "certificatesigningrequests",
                                         .kind = "CertificateSigningRequest",
                                         .namespaced = false};

json::value signing_request(std::string_view name) {
  return {{"apiVersion", "certificates.k8s.io/v1"},
          {"kind", "CertificateSigningRequest"},
          {"metadata", {{"name", name}}},
          {"spec",
           {{"request", base64_encode(kCertificateRequest)},
            {"signerName", "kubernetes.io/kube-apiserver-client-kubelet"},
            {"usages", {"digital signature", "client auth"}}}}};
}

kube::ObjectKey named(std::string name) { return {.namespace_ = "default", .name = std::move(name)}; }

template <typename T>
void must(const Result<T>& result, std::string_view what) {
  if (!result) ADD_FAILURE() << what << ": " << result.error().describe();
}

std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

class Bootstrap : public ::testing::Test {
 protected:
  void SetUp() override {
    auto servers = RealServers::start({.audit_policy = std::string(kAuditRequests),
                                       .apiserver_flags = {"--enable-bootstrap-token-auth=true"}});
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
  void add_machine(const api::CloudConfigSpec& spec = joining()) {
    api::Machine machine = builders::a_machine("m1").version("v1.36.0");
    machine.spec.bootstrap.config_ref = {
        .api_group = Text(api::group::kBootstrap), .kind = "CloudConfig"_text, .name = "m1"_text};
    machine = put(machine);
    api::CloudConfig config;
    config.metadata.name = "m1"_text;
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
  bool has_data() {
    return get<api::CloudConfig>("m1").status.initialization.data_secret_created.value_or(false);
  }
  // What a kubelet would be started with: the kubeconfig in the user data, with the CA from the file it
  // names.
  kube::Connection as_kubelet() {
    auto connection = *kubeconfig::connection(*kubeconfig::parse(file_in_data(kBootstrapKubeconfig)));
    connection.ca_file.clear();
    connection.ca_pem = servers_->ca_pem();
    return connection;
  }
  // What an agent is told at birth.
  kube::Connection as_new_agent() {
    const json::value told = json::parse(file_in_data(api::bootstrap::kAgentFactsFile));
    return {.server = std::string(told.at("server").as_string()),
            .ca_pem = std::string(told.at("certificateAuthority").as_string()),
            .token = Secret(std::string(told.at("token").as_string()))};
  }
  std::string file_in_data(std::string_view path) {
    const auto secret = api::read_secret(*admin_->get(kube::resources::secrets(), named("m1"), soon()));
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

TEST_F(Bootstrap, LetsAKubeletAskForItsCertificateUntilItHasJoined) {
  add_cluster();
  add_machine();
  ASSERT_TRUE(eventually([&] { return has_data(); }));
  const auto kubelet = client(as_kubelet());

  const auto user = who_am_i(*kubelet);
  must(user, "ask who we are");
  EXPECT_THAT(json::serialize(*user),
              AllOf(HasSubstr("system:bootstrap:"), HasSubstr("\"system:bootstrappers:capstan\"")));
  EXPECT_TRUE(eventually([&] {
    return kubelet->create(kSigningRequests, {.name = "m1"}, signing_request("m1"), {}, soon()).has_value();
  })) << "the bindings are made beside the token";
  const auto other = kubelet->list(kube::resources::secrets(), {.namespace_ = "default"}, soon());
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().code, Code::Forbidden);

  join();
  EXPECT_TRUE(eventually([&] { return tokens() == 0; }));
  EXPECT_TRUE(eventually([&] {
    const auto refused = who_am_i(*kubelet);
    return !refused && refused.error().code == Code::Unauthorized;
  }));
  expect_rights_suffice(*servers_);
}

TEST_F(Bootstrap, RenewsTheDataWhenTheTokenWasTaken) {
  add_cluster();
  add_machine();
  ASSERT_TRUE(eventually([&] { return has_data(); }));
  const std::string first = as_kubelet().token.reveal();

  take_token();
  change_commands();

  EXPECT_TRUE(eventually([&] { return as_kubelet().token.reveal() != first; }));
  must(who_am_i(*client(as_kubelet())), "ask who we are");
  expect_rights_suffice(*servers_);
}

TEST_F(Bootstrap, LetsAnAgentReadItsNodeConfigAndNothingElse) {
  add_cluster();
  add_node_config();
  const kube::ObjectKey secret = bootstrap::nodeconfig::secret_key(named("workers"));
  ASSERT_TRUE(eventually([&] { return !get<api::NodeConfig>("workers").status.checksum.empty(); }));

  const auto stored = admin_->get(kube::resources::secrets(), secret, soon());
  must(stored, "read the Secret");
  EXPECT_EQ(api::read_secret(*stored)->find("checksum")->reveal(),
            get<api::NodeConfig>("workers").status.checksum);
  for (const std::string_view verb : {"get", "list", "watch"})
    EXPECT_TRUE(eventually([&] { return agents_may(verb, secret.name); })) << verb;
  EXPECT_FALSE(agents_may("get", "bootstrap-token-abcdef"));
  EXPECT_FALSE(agents_may("patch", secret.name));

  must(kube::remove<api::NodeConfig>(*admin_, named("workers"), {}, soon()), "delete the NodeConfig");
  EXPECT_TRUE(eventually([&] { return !kube::get<api::NodeConfig>(*admin_, named("workers"), soon()); }));
  EXPECT_TRUE(eventually([&] { return !agents_may("get", secret.name); }));
  EXPECT_FALSE(admin_->get(kube::resources::secrets(), secret, soon()));
  expect_rights_suffice(*servers_);
}

TEST_F(Bootstrap, ApprovesTheCertificateOfAnAgentForItsOwnMachineAlone) {
  add_cluster();
  add_node_config();
  add_machine(with_node_config());
  ASSERT_TRUE(eventually([&] { return has_data(); }));
  const auto agent = client(as_new_agent());
  const auto ask = [&](const std::string& name, std::string_view pem) {
    return agent
        ->create(kSigningRequests, {.name = name},
                 {{"apiVersion", "certificates.k8s.io/v1"},
                  {"kind", "CertificateSigningRequest"},
                  {"metadata", {{"name", name}}},
                  {"spec",
                   {{"request", base64_encode(pem)},
                    {"signerName", bootstrap::approval::kSigner},
                    {"usages", json::array{"client auth"}}}}},
                 {}, soon())
        .has_value();
  };

  EXPECT_TRUE(eventually([&] { return ask("own", bootstrap::approval::kRequestOfM1); }));
  EXPECT_TRUE(ask("anothers", bootstrap::approval::kRequestOfM2));

  EXPECT_TRUE(eventually([&] { return answer("own") == "Approved"; })) << answer("own");
  EXPECT_TRUE(eventually([&] { return answer("anothers") == "Denied"; })) << answer("anothers");
  expect_rights_suffice(*servers_);
}

}  // namespace
}  // namespace capstan::envtest
