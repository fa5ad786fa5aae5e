#include "kube/resources.h"

#include <gtest/gtest.h>

namespace capstan::kube {
namespace {

const Resource kMachines{"cluster.x-k8s.io", "v1beta2", "machines", "Machine", true};
const Resource kWidgetClasses{"example.com", "v1", "widgetclasses", "WidgetClass", false};

TEST(Resources, PathsFollowGroupAndScope) {
  EXPECT_EQ(*collection_path(kMachines, "ns"), "/apis/cluster.x-k8s.io/v1beta2/namespaces/ns/machines");
  EXPECT_EQ(*collection_path(kMachines, ""), "/apis/cluster.x-k8s.io/v1beta2/machines");
  EXPECT_EQ(*collection_path(resources::pods(), "ns"), "/api/v1/namespaces/ns/pods");
  EXPECT_EQ(*object_path(kMachines, {"ns", "a"}), "/apis/cluster.x-k8s.io/v1beta2/namespaces/ns/machines/a");
  EXPECT_EQ(*object_path(kMachines, {"ns", "a"}, "status"),
            "/apis/cluster.x-k8s.io/v1beta2/namespaces/ns/machines/a/status");
  EXPECT_EQ(*object_path(resources::nodes(), {"", "n1"}), "/api/v1/nodes/n1");
  EXPECT_EQ(*object_path(kWidgetClasses, {"", "x"}), "/apis/example.com/v1/widgetclasses/x");
}

TEST(Resources, RefusesScopesThatDoNotFit) {
  EXPECT_FALSE(object_path(kMachines, {"", "a"}));
  EXPECT_FALSE(object_path(kWidgetClasses, {"ns", "a"}));
  EXPECT_FALSE(collection_path(kWidgetClasses, "ns"));
}

TEST(Resources, RefusesNamesThatWouldLeadElsewhere) {
  for (const char* name :
       {"", ".", "..", "a/b", "../../secrets/x", "a%2fb", "a?watch=1", "a b", "a\nb", "a#b", "\xc3\xa4"}) {
    EXPECT_FALSE(object_path(kMachines, {"ns", name})) << name;
    EXPECT_FALSE(object_path(kMachines, {std::string("n") + "/" + name, "a"})) << name;
  }
  EXPECT_FALSE(object_path(kMachines, {"ns", "a"}, "status/../.."));
  EXPECT_FALSE(collection_path({"..", "v1", "machines", "Machine", true}, "ns"));
  EXPECT_FALSE(collection_path({"g", "v1", "machines/a", "Machine", true}, "ns"));
  EXPECT_FALSE(collection_path({"g", "", "machines", "Machine", true}, "ns"));
}

TEST(Resources, AcceptsTheNamesKubernetesHas) {
  for (const char* name : {"a", "my-machine.example.com", "system:node:a", "A_b-1.2"}) {
    EXPECT_TRUE(object_path(kMachines, {"ns", name})) << name;
  }
}

TEST(Resources, DerivesPluralsAsCustomResourcesAreNamed) {
  EXPECT_EQ(plural_of("Machine"), "machines");
  EXPECT_EQ(plural_of("KubeadmControlPlane"), "kubeadmcontrolplanes");
  EXPECT_EQ(plural_of("Proxy"), "proxies");
  EXPECT_EQ(plural_of("Gateway"), "gateways");
  EXPECT_EQ(plural_of("IngressClass"), "ingressclasses");
  EXPECT_EQ(plural_of("Mailbox"), "mailboxes");
  EXPECT_EQ(plural_of("Patch"), "patches");
  EXPECT_EQ(plural_of(""), "");
}

TEST(Resources, KnowsBuiltInKindsAndGuessesOthers) {
  const Resource node = resource_for("v1", "Node");
  const Resource infra = resource_for("infrastructure.cluster.x-k8s.io/v1beta1", "DevMachine");

  EXPECT_EQ(node, resources::nodes());
  EXPECT_FALSE(node.namespaced);
  EXPECT_EQ(infra.plural, "devmachines");
  EXPECT_EQ(infra.api_version(), "infrastructure.cluster.x-k8s.io/v1beta1");
  EXPECT_EQ(well_known("example.com", "Node"), nullptr);
}

TEST(Resources, SplitsApiVersions) {
  EXPECT_EQ(group_version("v1"), (GroupVersion{"", "v1"}));
  EXPECT_EQ(group_version("apps/v1"), (GroupVersion{"apps", "v1"}));
}

}  // namespace
}  // namespace capstan::kube
