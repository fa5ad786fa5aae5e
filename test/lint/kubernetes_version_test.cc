// The real servers of test/envtest and the real kubelet beside them are of one version of Kubernetes.
#include <gmock/gmock.h>

#include <fstream>
#include <string>

namespace capstan::lint {
namespace {

// "v1.36.3", "" when the module requires none.
std::string kubernetes_in(const std::string& go_mod) {
  constexpr std::string_view kModule = "k8s.io/kubernetes ";
  std::ifstream file(go_mod);
  EXPECT_TRUE(file) << go_mod << ": run it from the root of the repository";
  for (std::string line; std::getline(file, line);)
    if (const auto at = line.find(kModule); at != std::string::npos) return line.substr(at + kModule.size());
  return {};
}

TEST(KubernetesVersion, OfTheRealKubeletIsThatOfTheRealApiServer) {
  const std::string servers = kubernetes_in("test/envtest/kubernetes/go.mod");

  EXPECT_THAT(servers, testing::StartsWith("v1."));
  EXPECT_EQ(kubernetes_in("test/envtest/kubelet/go.mod"), servers);
}

}  // namespace
}  // namespace capstan::lint
