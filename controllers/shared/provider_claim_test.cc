#include "controllers/shared/provider_claim.h"

#include <gtest/gtest.h>

#include <vector>

#include "base/text.h"

namespace capstan::controllers {
namespace {

TEST(ProviderClaimInWords, SaysFromAndTo) {
  const api::OwnerReference machine{
      .api_version = "v1"_text, .kind = "Machine"_text, .name = "m"_text, .controller = true};

  EXPECT_EQ(describe(ProviderClaim{.owners = api::OwnerReferences(std::vector{machine}), .label = true}),
            "ownerReferences: none -> [controller Machine m], label of its Cluster");
  EXPECT_EQ(describe(ProviderClaim{.label = true}), "label of its Cluster");
}

}  // namespace
}  // namespace capstan::controllers
