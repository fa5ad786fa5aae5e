#include "kubeconfig/kubeconfig.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/base64.h"
#include "kubeconfig/connect.h"

namespace capstan::kubeconfig {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::string_view kUsual = R"(
apiVersion: v1
kind: Config
preferences: {}
current-context: admin@c1
clusters:
- name: c1
  cluster:
    server: https://10.0.0.1:6443
    certificate-authority-data: Q0EtUEVN
    tls-server-name: api.c1
    proxy-url: http://proxy:3128
- name: c2
  cluster: {server: "https://c2", insecure-skip-tls-verify: true}
contexts:
- name: admin@c1
  context: {cluster: c1, user: admin, namespace: infra}
- name: token@c2
  context: {cluster: c2, user: robot}
users:
- name: admin
  user:
    client-certificate-data: Q0VSVA==
    client-key-data: S0VZ
- name: robot
  user:
    token: "123456"
    as: jane
    as-groups: [a, b]
)";

Kubeconfig usual() {
  auto config = parse(kUsual);
  EXPECT_TRUE(config) << config.error().message;
  return *config;
}
std::string error_of(std::string_view text) {
  const auto config = parse(text);
  return config ? "no error" : config.error().message;
}

TEST(Kubeconfig, ReadsWhatKubectlWrites) {
  const Kubeconfig config = usual();

  ASSERT_EQ(config.clusters.size(), 2U);
  EXPECT_EQ(config.clusters[0].server, "https://10.0.0.1:6443");
  EXPECT_EQ(config.clusters[0].ca_pem, "CA-PEM");
  EXPECT_EQ(config.clusters[0].tls_server_name, "api.c1");
  EXPECT_EQ(config.clusters[0].proxy_url, "http://proxy:3128");
  EXPECT_FALSE(config.clusters[0].insecure_skip_tls_verify);
  EXPECT_TRUE(config.clusters[1].insecure_skip_tls_verify);
  EXPECT_EQ(config.users[0].certificate_pem, "CERT");
  EXPECT_EQ(config.users[0].private_key_pem.reveal(), "KEY");
  EXPECT_EQ(config.users[1].token.reveal(), "123456");
  EXPECT_THAT(config.users[1].impersonate.groups, ElementsAre("a", "b"));
  EXPECT_EQ(config.contexts[0].namespace_, "infra");
  EXPECT_EQ(config.current_context, "admin@c1");
}

TEST(Kubeconfig, ReadsJsonAsWell) {
  const auto config = parse(
      R"({"apiVersion":"v1","kind":"Config","clusters":[{"name":"a","cluster":{"server":"https://a"}}]})");

  ASSERT_TRUE(config);
  EXPECT_EQ(config->clusters[0].server, "https://a");
}

TEST(Kubeconfig, ErrorsSayWhatAndWhere) {
  EXPECT_THAT(error_of("clusters:\n- name: a\n  cluster: {server: [}\n"), HasSubstr("kubeconfig: line 3"));
  EXPECT_THAT(error_of("just text"), HasSubstr("must be a mapping"));
  EXPECT_THAT(error_of(""), HasSubstr("must be a mapping"));
  EXPECT_THAT(error_of("clusters: 7"), HasSubstr("clusters must be a list"));
  EXPECT_THAT(error_of("clusters: [7]"), HasSubstr("clusters[0] must be a mapping"));
  EXPECT_THAT(error_of("users: [{user: {}}]"), HasSubstr("users[0]: name: is missing"));
  EXPECT_THAT(error_of("users: [{name: a, user: 7}]"), HasSubstr("users[0] \"a\".user must be a mapping"));
  EXPECT_THAT(error_of("users: [{name: a, user: {token: [x]}}]"),
              HasSubstr("users[0] \"a\".user: token: must be a string"));
  EXPECT_THAT(error_of("users: [{name: a, user: {as-groups: x}}]"), HasSubstr("as-groups: must be a list"));
  EXPECT_THAT(error_of("clusters: [{name: a, cluster: {insecure-skip-tls-verify: maybe}}]"),
              HasSubstr("true or false"));
  EXPECT_THAT(error_of("clusters: [{name: a, cluster: {certificate-authority-data: '***'}}]"),
              HasSubstr("certificate-authority-data: no base64"));
  EXPECT_THAT(error_of("kind: Secret\napiVersion: v1"), HasSubstr("is a Secret"));
  EXPECT_THAT(error_of("current-context: {}"), HasSubstr("current-context: must be a string"));
}

// client-go takes them, and test environments of Cluster API providers write such kubeconfigs.
TEST(Kubeconfig, EntriesMayHaveAnEmptyName) {
  const auto config = parse(R"(
current-context: ""
clusters: [{name: "", cluster: {server: "https://a"}}]
contexts: [{name: "", context: {cluster: "", user: ""}}]
users: [{name: "", user: {token: t}}])");

  ASSERT_TRUE(config) << config.error().message;
  const auto settings = connection(*config);
  ASSERT_TRUE(settings) << settings.error().message;
  EXPECT_EQ(settings->server, "https://a");
  EXPECT_EQ(settings->token.reveal(), "t");
}

TEST(Kubeconfig, AnEmptyNameSurvivesBeingRendered) {
  Kubeconfig config{.current_context = "@c1"};
  config.clusters = {{.name = "c1", .server = "https://a"}};
  config.contexts = {{.name = "@c1", .cluster = "c1"}};
  config.users = {{.name = "", .token = Secret<std::string>("t")}};

  const auto again = parse(render(config)->reveal());

  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(connection(*again)->token.reveal(), "t");
}

TEST(Kubeconfig, ErrorsDoNotRepeatCredentials) {
  EXPECT_THAT(error_of("users: [{name: a, user: {client-key-data: s3cr3t***}}]"), Not(HasSubstr("s3cr3t")));
  EXPECT_THAT(error_of("users:\n- name: a\n  user:\n    token: s3cr3t: [\n"), Not(HasSubstr("s3cr3t")));
  EXPECT_THAT(error_of("users: [{name: a, user: {token: \"s3cr3t}}]"), Not(HasSubstr("s3cr3t")));
}

TEST(Kubeconfig, HostileTextIsAnErrorAndNothingWorse) {
  std::string laughs = "a: &a [x,x,x,x,x,x,x,x,x]\n";
  for (char name = 'b'; name <= 'z'; ++name) {
    laughs += fmt::format("{0}: &{0} [*{1},*{1},*{1},*{1},*{1},*{1},*{1},*{1},*{1}]\n", name,
                          static_cast<char>(name - 1));
  }
  laughs += "clusters: *z\n";

  EXPECT_NE(error_of(std::string(100'000, '[')), "no error");
  EXPECT_NE(error_of(std::string(100'000, '{')), "no error");
  EXPECT_NE(error_of(std::string(2U << 20, ' ')), "no error");
  EXPECT_NE(error_of(laughs), "no error");
  EXPECT_NE(error_of(std::string_view("\0\xff\xfe", 3)), "no error");
}

TEST(Kubeconfig, RenderedAndReadAgainIsTheSame) {
  const auto rendered = render(usual());

  ASSERT_TRUE(rendered);
  const auto again = parse(rendered->reveal());
  ASSERT_TRUE(again) << again.error().message << rendered->reveal();
  EXPECT_EQ(render(*again)->reveal(), rendered->reveal());
  EXPECT_EQ(again->users[0].private_key_pem.reveal(), "KEY");
  EXPECT_EQ(again->clusters[0].ca_pem, "CA-PEM");
  EXPECT_TRUE(again->clusters[1].insecure_skip_tls_verify);
}

TEST(Kubeconfig, RendersTextThatLooksLikeSomethingElseInQuotes) {
  Kubeconfig config;
  config.users = {{.name = "no", .token = Secret<std::string>("123456")},
                  {.name = "a: b", .token = Secret<std::string>("null")},
                  {.name = "1e5", .token = Secret<std::string>("quote\"back\\slash")}};

  const auto rendered = render(config);

  EXPECT_THAT(rendered->reveal(), HasSubstr("token: \"123456\""));
  EXPECT_THAT(rendered->reveal(), HasSubstr("name: \"no\""));
  EXPECT_THAT(rendered->reveal(), HasSubstr("token: \"null\""));
  const auto again = parse(rendered->reveal());
  ASSERT_TRUE(again);
  EXPECT_EQ(again->users[1].name, "a: b");
  EXPECT_EQ(again->users[2].token.reveal(), "quote\"back\\slash");
}

TEST(Kubeconfig, AnEntryWithAPluginIsKeptButNotRendered) {
  const auto config = parse("users: [{name: cloud, user: {exec: {command: aws}}}]");

  ASSERT_TRUE(config);
  EXPECT_THAT(config->users[0].unsupported, ElementsAre("exec"));
  EXPECT_THAT(render(*config).error().message, HasSubstr("cloud"));
}

// --- connections ---

TEST(Connect, UsesTheCurrentContext) {
  const auto settings = connection(usual());

  ASSERT_TRUE(settings) << settings.error().message;
  EXPECT_EQ(settings->server, "https://10.0.0.1:6443");
  EXPECT_EQ(settings->ca_pem, "CA-PEM");
  EXPECT_EQ(settings->tls_server_name, "api.c1");
  EXPECT_EQ(settings->proxy_url, "http://proxy:3128");
  EXPECT_EQ(settings->private_key_pem.reveal(), "KEY");
  EXPECT_FALSE(settings->insecure_skip_tls_verify);
}

TEST(Connect, UsesTheContextItIsTold) {
  const auto settings = connection(usual(), {.context = "token@c2"});

  ASSERT_TRUE(settings);
  EXPECT_EQ(settings->server, "https://c2");
  EXPECT_TRUE(settings->insecure_skip_tls_verify);
  EXPECT_EQ(settings->token.reveal(), "123456");
  EXPECT_EQ(settings->impersonate.user, "jane");
}

std::string connect_error(std::string_view text, const Choice& choice = {}) {
  const auto config = parse(text);
  EXPECT_TRUE(config) << config.error().message;
  const auto settings = connection(*config, choice);
  return settings ? "no error" : settings.error().message;
}

std::string with_user(std::string_view user) {
  return fmt::format(
      "current-context: c\nclusters: [{{name: a, cluster: {{server: 'https://a'}}}}]\n"
      "contexts: [{{name: c, context: {{cluster: a, user: u}}}}]\nusers: [{{name: u, user: {}}}]\n",
      user);
}

TEST(Connect, NamesWhatDoesNotFit) {
  EXPECT_THAT(connect_error("clusters: []"), HasSubstr("current-context is not set"));
  EXPECT_THAT(connect_error(kUsual, {.context = "nope"}),
              HasSubstr("no context \"nope\"; there is \"admin@c1\", \"token@c2\""));
  EXPECT_THAT(connect_error("current-context: c\ncontexts: [{name: c, context: {cluster: x}}]"),
              HasSubstr("context \"c\" names cluster \"x\", and there is none"));
  EXPECT_THAT(connect_error("current-context: c\nclusters: [{name: a, cluster: {}}]\ncontexts: [{name: c, "
                            "context: {cluster: a}}]"),
              HasSubstr("cluster \"a\": server is missing"));
  EXPECT_THAT(connect_error("current-context: c\nclusters: [{name: a, cluster: {server: 'https://a'}}]\n"
                            "contexts: [{name: c, context: {cluster: a, user: u}}]"),
              HasSubstr("context \"c\" names user \"u\""));
  EXPECT_THAT(connect_error("current-context: c\nclusters: [{name: a, cluster: {server: 'gopher://a'}}]\n"
                            "contexts: [{name: c, context: {cluster: a}}]"),
              HasSubstr("https or http"));
}

TEST(Connect, RefusesPluginsAndPasswordsByTheNameOfTheUser) {
  EXPECT_THAT(connect_error(with_user("{exec: {command: aws}}")),
              HasSubstr("user \"u\": exec is not supported"));
  EXPECT_THAT(connect_error(with_user("{auth-provider: {name: gcp}}")),
              HasSubstr("user \"u\": auth-provider is not"));
  EXPECT_THAT(connect_error(with_user("{username: a, password: s3cr3t}")),
              ::testing::AllOf(HasSubstr("username and password"), Not(HasSubstr("s3cr3t"))));
  EXPECT_EQ(connect_error(with_user("{token: t}")), "no error");
}

TEST(Connect, APluginOfAnotherUserDoesNotMatter) {
  EXPECT_EQ(connect_error(with_user("{token: t}}, {name: other, user: {exec: {command: aws}}")), "no error");
}

TEST(Connect, RelativePathsStartAtTheKubeconfig) {
  const auto config =
      parse(with_user("{client-certificate: pki/a.crt, client-key: /etc/a.key, tokenFile: token}"));

  const auto settings = connection(*config, {.directory = "/home/jane/.kube"});

  ASSERT_TRUE(settings);
  EXPECT_EQ(settings->certificate_file, "/home/jane/.kube/pki/a.crt");
  EXPECT_EQ(settings->private_key_file, "/etc/a.key");
  EXPECT_EQ(settings->token_file, "/home/jane/.kube/token");
}

TEST(Connect, InlineContentsWinOverFiles) {
  const auto config =
      parse(with_user("{client-certificate: /a.crt, client-certificate-data: Q0VSVA==, "
                      "client-key: /a.key, client-key-data: S0VZ}"));

  const auto settings = connection(*config, {.allow_files = false});

  ASSERT_TRUE(settings) << settings.error().message;
  EXPECT_EQ(settings->certificate_pem, "CERT");
  EXPECT_EQ(settings->certificate_file, "");
}

// A user who may write a kubeconfig Secret must not get the manager's own files sent to a server of their
// own.
TEST(Connect, AKubeconfigFromASecretMayNotNameFiles) {
  const Choice strict{.allow_files = false};

  EXPECT_THAT(
      connect_error(with_user("{tokenFile: /var/run/secrets/kubernetes.io/serviceaccount/token}"), strict),
      HasSubstr("user \"u\": tokenFile: files are not allowed here, put the contents inline as token"));
  EXPECT_NE(connect_error(with_user("{client-certificate: a, client-key: b}"), strict), "no error");
  EXPECT_NE(connect_error("current-context: c\nclusters: [{name: a, cluster: {server: 'https://a', "
                          "certificate-authority: /ca}}]\n"
                          "contexts: [{name: c, context: {cluster: a}}]",
                          strict),
            "no error");
}

TEST(Connect, AFileThatIsMissingOrNoKubeconfigIsNamed) {
  EXPECT_THAT(load("/nowhere/kubeconfig").error().message, HasSubstr("/nowhere/kubeconfig"));
  EXPECT_THAT(load("CMakeLists.txt").error().message, HasSubstr("CMakeLists.txt"));
}

}  // namespace
}  // namespace capstan::kubeconfig
