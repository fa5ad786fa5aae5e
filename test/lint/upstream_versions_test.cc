// What test/envtest builds of upstream fits together: the real servers and the kubelet beside them are of one
// version of Kubernetes, and all that is built of Cluster API is of one version of it.
#include <gmock/gmock.h>

#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>

namespace capstan::lint {
namespace {

using testing::ElementsAre;
using testing::IsSupersetOf;
using testing::Key;
using testing::Pair;
using testing::StartsWith;
using Versions = std::map<std::string, std::set<std::string>>;

constexpr std::string_view kNone = "v0.0.0-";  // of a module that another line replaces

std::string path_of(const std::string& module) { return "test/envtest/" + module + "/go.mod"; }

// Of modules in the lines that hold `mark`: "k8s.io/api => k8s.io/api v0.36.3".
Versions versions_in(const std::string& module, const std::string& mark) {
  std::ifstream file(path_of(module));
  EXPECT_TRUE(file) << path_of(module) << ": run it from the root of the repository";
  Versions found;
  for (std::string line; std::getline(file, line);) {
    if (!line.contains(mark)) continue;
    std::istringstream words(line);
    std::string before;
    for (std::string word; words >> word; before = word)
      if (word.starts_with('v') && !word.starts_with(kNone) && before.contains('/'))
        found[before].insert(word);
  }
  return found;
}

// "v1.36.3".
std::string kubernetes_in(const std::string& module) {
  const auto versions = versions_in(module, "k8s.io/kubernetes ");
  EXPECT_THAT(versions, ElementsAre(Pair("k8s.io/kubernetes", ElementsAre(StartsWith("v1."))))) << module;
  return versions.empty() ? "" : *versions.begin()->second.begin();
}

TEST(KubernetesVersion, OfTheRealKubeletIsThatOfTheRealApiServer) {
  EXPECT_EQ(kubernetes_in("kubelet"), kubernetes_in("kubernetes"));
}

// Kubernetes v1.36.3 is made of modules of v0.36.3; `go get` of one of them alone would leave the others.
TEST(KubernetesVersion, OfItsModulesIsThatOfTheRelease) {
  for (const std::string module : {"kubernetes", "kubelet"}) {
    const std::string staged = "v0." + kubernetes_in(module).substr(3);
    const auto replaced = versions_in(module, "=> k8s.io/");

    EXPECT_TRUE(replaced.contains("k8s.io/client-go")) << module;
    for (const auto& [name, versions] : replaced)
      EXPECT_THAT(versions, ElementsAre(staged)) << name << " in " << path_of(module);
  }
}

TEST(ClusterApiVersion, IsOneInAllThatIsBuiltOfIt) {
  std::set<std::string> all;
  for (const std::string module : {"cluster-api", "clusterctl", "neighbours"}) {
    const auto versions = versions_in(module, "sigs.k8s.io/cluster-api");

    EXPECT_THAT(versions, IsSupersetOf({Key("sigs.k8s.io/cluster-api"), Key("sigs.k8s.io/cluster-api/api")}))
        << path_of(module);
    for (const auto& [name, each] : versions) all.insert(each.begin(), each.end());
  }

  EXPECT_THAT(all, ElementsAre(StartsWith("v1.")));
}

}  // namespace
}  // namespace capstan::lint
