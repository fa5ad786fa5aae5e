#include "webhooks/contract_versions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace capstan::webhooks {
namespace {

using ::testing::HasSubstr;

Result<std::optional<api::TextMap>> labels_of(std::string_view name) {
  api::TextMap labels;
  if (name == "dockermachines.infrastructure.cluster.x-k8s.io") {
    labels.set("cluster.x-k8s.io/v1beta1", "v1beta1");
    labels.set("cluster.x-k8s.io/v1beta2", "v1beta1_v1beta2");
    return std::optional(labels);
  }
  if (name == "widgets.example.com") return std::optional(labels);
  if (name == "doodads.example.com") return fail(Code::Unavailable, "not yet known, try again");
  return std::nullopt;
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

TEST(ByContract, ADefinitionThatIsNotYetKnownIsNotCalledMissing) {
  const auto found = by_contract(labels_of)("example.com", "Doodad");

  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code, Code::Unavailable);
  EXPECT_EQ(found.error().message, "not yet known, try again");
}

TEST(ByContract, ADefinitionWithoutTheLabelsHasNoVersion) {
  EXPECT_FALSE(by_contract(labels_of)("example.com", "Widget"));
}

}  // namespace
}  // namespace capstan::webhooks
