#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "webhooks/conversion.h"

namespace capstan::webhooks {
namespace {

using testing::HasSubstr;

Result<std::string> v1beta2_of(std::string_view group, std::string_view) {
  return std::string(group) + "/v1beta2";
}

TEST(Conversion, OverHttpAnswersAReviewWithAReview) {
  net::ServerRequest request;
  request.body = R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"ConversionReview","request":{
    "uid":"u1","desiredAPIVersion":"cluster.x-k8s.io/v1beta2","objects":[
    {"apiVersion":"cluster.x-k8s.io/v1beta1","kind":"Machine","metadata":{"name":"m","namespace":"default"},
     "spec":{"clusterName":"c","bootstrap":{"dataSecretName":"s"},"infrastructureRef":{
       "apiVersion":"infrastructure.cluster.x-k8s.io/v1beta1","kind":"DockerMachine","name":"m"}}}]}})";

  const auto answer = answer_convert(request, v1beta2_of);

  EXPECT_EQ(answer.status, 200);
  EXPECT_THAT(answer.body, HasSubstr(R"("apiVersion":"cluster.x-k8s.io/v1beta2")"));
  EXPECT_THAT(answer.body, HasSubstr(R"("uid":"u1")"));
}

TEST(Conversion, OverHttpRefusesWhatIsNoReview) {
  net::ServerRequest request;
  request.body = "{";

  EXPECT_EQ(answer_convert(request, v1beta2_of).status, 400);
}

}  // namespace
}  // namespace capstan::webhooks
