#include "bootstrap/join_files.h"

#include <gmock/gmock.h>

#include "kubeconfig/connect.h"

namespace capstan::bootstrap {
namespace {

using testing::SizeIs;

const MachineFacts kWorker = {
    .cluster = "c1",
    .endpoint = "10.0.0.1:6443",
    .join = JoinFacts{.authority_pem = "PEM\n", .token = "abcdef.0123456789abcdef"}};

TEST(JoinFiles, GiveAWorkerTheAuthorityAndAKubeconfigWithItsToken) {
  const auto files = join_files({}, kWorker);

  ASSERT_TRUE(files);
  ASSERT_THAT(*files, SizeIs(2));
  EXPECT_EQ(files->at(0).path, "/etc/kubernetes/pki/ca.crt");
  EXPECT_EQ(files->at(0).content, "PEM\n");
  EXPECT_EQ(files->at(1).path, "/etc/kubernetes/bootstrap-kubelet.conf");
  EXPECT_EQ(files->at(1).permissions, "0600");
  const auto kubeconfig = kubeconfig::parse(files->at(1).content);
  ASSERT_TRUE(kubeconfig) << kubeconfig.error().message;
  const auto connection = kubeconfig::connection(*kubeconfig);
  ASSERT_TRUE(connection) << connection.error().message;
  EXPECT_EQ(connection->server, "https://10.0.0.1:6443");
  EXPECT_EQ(connection->ca_file, "/etc/kubernetes/pki/ca.crt");
  EXPECT_EQ(connection->token.reveal(), "abcdef.0123456789abcdef");
}

TEST(JoinFiles, GiveAControlPlaneTheAuthorityAlone) {
  MachineFacts control_plane = kWorker;
  control_plane.join->token.clear();

  EXPECT_THAT(*join_files({}, control_plane), SizeIs(1));
}

TEST(JoinFiles, GoWhereTheKubeletLooks) {
  const auto files = join_files({.bootstrap_kubeconfig_path = "/var/lib/kubelet/first"_text,
                                 .certificate_authority_path = "/var/lib/kubelet/ca"_text},
                                kWorker);

  EXPECT_EQ(files->at(0).path, "/var/lib/kubelet/ca");
  EXPECT_EQ(files->at(1).path, "/var/lib/kubelet/first");
}

}  // namespace
}  // namespace capstan::bootstrap
