#include "webhooks/contract_versions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace capstan::webhooks {
namespace {

using ::testing::HasSubstr;

std::optional<api::TextMap> labels_of(std::string_view name) {
  api::TextMap labels;
  if (name == "dockermachines.infrastructure.cluster.x-k8s.io") {
    labels.set("cluster.x-k8s.io/v1beta1", "v1beta1");
    labels.set("cluster.x-k8s.io/v1beta2", "v1beta1_v1beta2");
    return labels;
  }
  if (name == "widgets.example.com") return labels;
  return {};
}

TEST(ByContract, NamesTheVersionThatTheLabelsOfTheDefinitionList) {
  const auto found = by_contract(labels_of)("infrastructure.cluster.x-k8s.io", "DockerMachine");

  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(*found, "infrastructure.cluster.x-k8s.io/v1beta2");
}

TEST(ByContract, NamesTheDefinitionThatIsMissing) {
  const auto found = by_contract(labels_of)("example.com", "Gadget");

  ASSERT_FALSE(found);
  EXPECT_THAT(found.error().message, HasSubstr("gadgets.example.com"));
}

TEST(ByContract, ADefinitionWithoutTheLabelsHasNoVersion) {
  EXPECT_FALSE(by_contract(labels_of)("example.com", "Widget"));
}

}  // namespace
}  // namespace capstan::webhooks
