#include "apiserver/admission/webhook_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace capstan::apiserver {
namespace {

using ::testing::ElementsAre;

ObjectPtr object(std::string_view text) {
  return std::make_shared<const json::object>(json::parse(text).get_object());
}

Webhook webhook(std::string_view body) {
  return webhooks_of({object(R"({"metadata":{"name":"c"},"webhooks":[)" + std::string(body) + "]}")}).at(0);
}

Webhook with_rule(std::string_view rule, std::string_view more = "") {
  return webhook(R"({"name":"h","rules":[)" + std::string(rule) + "]" + std::string(more) + "}");
}

TypePtr widgets() {
  auto type = std::make_shared<ResourceType>();
  type->group = "test.io";
  type->plural = "widgets";
  type->kind = "Widget";
  type->versions = {{.name = "v1", .storage = true}, {.name = "v2"}, {.name = "v3", .served = false}};
  return type;
}

AdmissionReviewRequest creation() {
  return {.operation = "CREATE", .type = widgets(), .version = "v1", .namespace_ = "default", .name = "w"};
}

constexpr std::string_view kExact =
    R"({"operations":["CREATE"],"apiGroups":["test.io"],"apiVersions":["v1"],"resources":["widgets"]})";

TEST(WebhookRules, MatchTheirOperation) {
  auto update = creation();
  update.operation = "UPDATE";

  EXPECT_EQ(wanted_version(with_rule(kExact), creation()), "v1");
  EXPECT_FALSE(wanted_version(with_rule(kExact), update));
}

TEST(WebhookRules, MatchAnythingByStars) {
  const auto all =
      with_rule(R"({"operations":["*"],"apiGroups":["*"],"apiVersions":["*"],"resources":["*"]})");
  auto status = creation();
  status.subresource = "status";

  EXPECT_EQ(wanted_version(all, creation()), "v1");
  EXPECT_FALSE(wanted_version(all, status));
}

TEST(WebhookRules, MatchSubresourcesByName) {
  auto status = creation();
  status.subresource = "status";
  const auto rule = [](std::string_view resource) {
    return with_rule(R"({"operations":["*"],"apiGroups":["*"],"apiVersions":["*"],"resources":[")" +
                     std::string(resource) + "\"]}");
  };

  EXPECT_TRUE(wanted_version(rule("widgets/status"), status));
  EXPECT_TRUE(wanted_version(rule("widgets/*"), status));
  EXPECT_TRUE(wanted_version(rule("*/*"), status));
  EXPECT_TRUE(wanted_version(rule("*/status"), status));
  EXPECT_FALSE(wanted_version(rule("widgets"), status));
  EXPECT_FALSE(wanted_version(rule("widgets/scale"), status));
}

TEST(WebhookRules, MatchOtherVersionsWhenEquivalent) {
  constexpr std::string_view kNewer =
      R"({"operations":["*"],"apiGroups":["test.io"],"apiVersions":["v2"],"resources":["widgets"]})";
  constexpr std::string_view kUnserved =
      R"({"operations":["*"],"apiGroups":["test.io"],"apiVersions":["v3"],"resources":["widgets"]})";

  EXPECT_EQ(wanted_version(with_rule(kNewer), creation()), "v2");
  EXPECT_FALSE(wanted_version(with_rule(kNewer, R"(,"matchPolicy":"Exact")"), creation()));
  EXPECT_FALSE(wanted_version(with_rule(kUnserved), creation()));
}

TEST(WebhookRules, MatchTheirScope) {
  constexpr std::string_view kCluster =
      R"({"operations":["*"],"apiGroups":["*"],"apiVersions":["*"],"resources":["*"],"scope":"Cluster"})";
  constexpr std::string_view kNamespaced =
      R"({"operations":["*"],"apiGroups":["*"],"apiVersions":["*"],"resources":["*"],"scope":"Namespaced"})";

  EXPECT_FALSE(wanted_version(with_rule(kCluster), creation()));
  EXPECT_TRUE(wanted_version(with_rule(kNamespaced), creation()));
}

TEST(ObjectSelector, LooksAtTheObjectAsItIsAndAsItWas) {
  const auto hook = with_rule(kExact, R"(,"objectSelector":{"matchLabels":{"a":"b"}})");
  const auto labelled = object(R"({"metadata":{"labels":{"a":"b"}}})");
  const auto plain = object(R"({"metadata":{}})");
  auto request = creation();

  request.object = plain;
  EXPECT_FALSE(object_selected(hook, request));
  request.old_object = labelled;
  EXPECT_TRUE(object_selected(hook, request));
  request.old_object = nullptr;
  request.object = labelled;
  EXPECT_TRUE(object_selected(hook, request));
}

TEST(ObjectSelector, SelectsEverythingWhenAbsent) {
  EXPECT_TRUE(object_selected(with_rule(kExact), creation()));
}

TEST(WebhookList, GoesByTheConfigurationsNameThenAsWritten) {
  const auto all =
      webhooks_of({object(R"({"metadata":{"name":"b"},"webhooks":[{"name":"three"}]})"),
                   object(R"({"metadata":{"name":"a"},"webhooks":[{"name":"two"},{"name":"one"}]})")});

  std::vector<std::string> names;
  for (const auto& hook : all) names.push_back(hook.name);
  EXPECT_THAT(names, ElementsAre("two", "one", "three"));
}

TEST(WebhookConfiguration, IsReadWithItsDefaults) {
  const auto plain = webhook(R"({"name":"h","sideEffects":"Some"})");
  const auto full = webhook(R"({"name":"h","failurePolicy":"Ignore","timeoutSeconds":3,"sideEffects":"None",)"
                            R"("clientConfig":{"url":"https://h/x","caBundle":"cGVt"}})");

  EXPECT_EQ(plain.timeout, std::chrono::seconds(10));
  EXPECT_FALSE(plain.ignores_failure);
  EXPECT_FALSE(plain.supports_dry_run);
  EXPECT_EQ(full.timeout, std::chrono::seconds(3));
  EXPECT_TRUE(full.ignores_failure);
  EXPECT_TRUE(full.supports_dry_run);
  EXPECT_EQ(full.client.url, "https://h/x");
  EXPECT_EQ(full.client.ca_pem, "pem");
}

TEST(WebhookConfiguration, NamesTheServiceItWants) {
  EXPECT_EQ(webhook(R"({"name":"h","clientConfig":{"service":{"namespace":"n","name":"s"}}})").client.service,
            "n/s");
}

TEST(Exemption, KeepsConfigurationsOutOfTheReachOfWebhooks) {
  auto type = std::make_shared<ResourceType>();
  type->group = "admissionregistration.k8s.io";
  type->plural = "validatingwebhookconfigurations";

  EXPECT_TRUE(is_exempt({.type = type}));
  EXPECT_FALSE(is_exempt(creation()));
}

}  // namespace
}  // namespace capstan::apiserver
