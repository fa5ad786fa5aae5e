#include "apiserver/admission/webhooks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apiserver/api.h"
#include "apiserver/api_fixture.h"
#include "apiserver/document/document.h"
#include "base/base64.h"
#include "net/http_server.h"
#include "net/io_pool.h"
#include "net/pki.h"
#include "net/tls.h"

namespace capstan::apiserver {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

using Answer = std::function<json::object(const json::object& request)>;

// A webhook on a port of its own, with a certificate of its own.
class LittleWebhook {
 public:
  LittleWebhook(net::IoPool& io, Answer given) : answer_(std::move(given)) {
    const auto now = SystemClock().now();
    const auto later = now + std::chrono::hours(1);
    ca_ = net::new_ca("webhook CA", now - std::chrono::hours(1), later).value();
    const auto made = net::issue(ca_, {.subject = {.common_name = "webhook"},
                                       .ip_addresses = {"127.0.0.1"},
                                       .server = true,
                                       .not_before = now - std::chrono::minutes(1),
                                       .not_after = later})
                          .value();
    auto tls =
        net::server_tls({.certificate_pem = made.certificate_pem, .private_key_pem = made.private_key_pem})
            .value();
    server_ = net::HttpServer::listen(io, {.tls = std::move(tls), .workers = 1},
                                      [this](const net::ServerRequest& request, net::Responder& responder) {
                                        answer(request, responder);
                                      })
                  .value();
  }

  json::object client_config() const {
    return {{"url", "https://127.0.0.1:" + std::to_string(server_->port()) + "/hook"},
            {"caBundle", base64_encode(ca_.certificate_pem)}};
  }
  std::vector<json::object> requests() const {
    return requests_.with([](const auto& all) { return all; });
  }
  std::vector<std::string> targets() const {
    return targets_.with([](const auto& all) { return all; });
  }

 private:
  void answer(const net::ServerRequest& http, net::Responder& responder) {
    const auto review = json::parse(http.body).as_object();
    const auto& request = review.at("request").as_object();
    requests_.with([&](auto& all) { all.push_back(request); });
    targets_.with([&](auto& all) { all.push_back(http.target); });
    json::object response = answer_(request);
    if (!response.contains("uid")) response["uid"] = request.at("uid");
    const json::object body{
        {"apiVersion", review.at("apiVersion")}, {"kind", review.at("kind")}, {"response", response}};
    responder.respond(
        {.status = 200, .headers = {{"Content-Type", "application/json"}}, .body = json::serialize(body)});
  }

  Answer answer_;
  net::KeyAndCertificate ca_ = {};
  Guarded<std::vector<json::object>> requests_;
  Guarded<std::vector<std::string>> targets_;
  std::unique_ptr<net::HttpServer> server_;
};

json::object allow(const json::object&) { return {{"allowed", true}}; }

json::object with_patch(std::string_view patch) {
  return {{"allowed", true}, {"patchType", "JSONPatch"}, {"patch", base64_encode(patch)}};
}

// An Api whose webhooks are asked for real. Time is the machine's: sockets know no other.
struct Served {
  net::IoPool io;
  SystemClock clock;
  Webhooks webhooks{io, clock};
  Api api{{.clock = clock, .admission = &webhooks, .converter = &webhooks}};
  ApiFixture words;  // only makes requests

  Served() {
    webhooks.serve(api);
    call("POST", "apiextensions.k8s.io/v1/customresourcedefinitions", kWidgetCrd);
  }
  Response call(std::string_view method, std::string_view path, std::string_view body = "") {
    return api.call(words.request(method, path, body));
  }
  Response create(std::string_view name = "w", std::string_view labels = "{}") {
    return call("POST", "test.io/v1/ns:default/widgets",
                R"({"apiVersion":"test.io/v1","kind":"Widget","metadata":{"name":")" + std::string(name) +
                    R"(","labels":)" + std::string(labels) + R"(},"spec":{"size":2}})");
  }
  // `sort` is Mutating or Validating; `more` adds to or replaces members of the webhook.
  void hook(std::string_view sort, const json::object& client_config, std::string_view more = "{}",
            std::string_view name = "c") {
    json::object hook{
        {"name", "h.test.io"},
        {"clientConfig", client_config},
        {"admissionReviewVersions", json::array{"v1"}},
        {"sideEffects", "None"},
        {"rules",
         json::parse(
             R"([{"operations":["*"],"apiGroups":["test.io"],"apiVersions":["v1"],"resources":["widgets"]}])")}};
    const json::value given = json::parse(more);
    for (const auto& member : given.as_object()) hook[member.key()] = member.value();
    const std::string kind = std::string(sort) + "WebhookConfiguration";
    const json::object body{{"apiVersion", "admissionregistration.k8s.io/v1"},
                            {"kind", kind},
                            {"metadata", json::object{{"name", name}}},
                            {"webhooks", json::array{hook}}};
    const auto plural = std::string(sort == "Mutating" ? "mutating" : "validating") + "webhookconfigurations";
    const auto made = call("POST", "admissionregistration.k8s.io/v1/" + plural, json::serialize(body));
    ASSERT_TRUE(made.ok()) << made.text();
  }
};

TEST(Webhooks, ChangeWhatIsStored) {
  Served served;
  LittleWebhook hook(served.io, [](const json::object&) {
    return with_patch(R"([{"op":"add","path":"/metadata/labels/hooked","value":"yes"}])");
  });
  served.hook("Mutating", hook.client_config());

  const auto made = served.create("w", R"({"a":"b"})");

  ASSERT_EQ(made.status, 201) << made.text();
  EXPECT_EQ(at(served.call("GET", "test.io/v1/ns:default/widgets/w"), "metadata.labels.hooked"), "\"yes\"");
  EXPECT_THAT(hook.targets(), ElementsAre("/hook?timeout=10s"));
}

TEST(Webhooks, AreAskedAgainWhenALaterOneChangesTheObject) {
  Served served;
  LittleWebhook eager(served.io, allow);
  LittleWebhook content(served.io, allow);
  LittleWebhook later(served.io, [](const json::object&) {
    return with_patch(R"([{"op":"add","path":"/metadata/labels/hooked","value":"yes"}])");
  });
  served.hook("Mutating", eager.client_config(), R"({"reinvocationPolicy":"IfNeeded"})", "a");
  served.hook("Mutating", content.client_config(), "{}", "b");
  served.hook("Mutating", later.client_config(), R"({"reinvocationPolicy":"IfNeeded"})", "c");

  ASSERT_EQ(served.create("w", R"({"a":"b"})").status, 201);

  ASSERT_EQ(eager.requests().size(), 2U);
  EXPECT_EQ(text_at(eager.requests()[1], {"object", "metadata", "labels", "hooked"}), "yes");
  EXPECT_EQ(content.requests().size(), 1U);
  EXPECT_EQ(later.requests().size(), 1U) << "its own change is no reason to ask it again";
}

TEST(Webhooks, AreNotAskedAgainWhenNothingChanges) {
  Served served;
  LittleWebhook eager(served.io, allow);
  LittleWebhook later(served.io, [](const json::object&) {
    return with_patch(R"([{"op":"add","path":"/metadata/labels/a","value":"b"}])");
  });
  served.hook("Mutating", eager.client_config(), R"({"reinvocationPolicy":"IfNeeded"})", "a");
  served.hook("Mutating", later.client_config(), "{}", "b");

  ASSERT_EQ(served.create("w", R"({"a":"b"})").status, 201);

  EXPECT_EQ(eager.requests().size(), 1U);
}

TEST(Webhooks, SeeTheOptionsOfTheOperation) {
  Served served;
  LittleWebhook hook(served.io, allow);
  served.hook("Validating", hook.client_config());

  served.create();
  auto patch = served.words.request("PATCH", "test.io/v1/ns:default/widgets/w", R"({"spec":{"size":3}})");
  patch.query.field_manager = "me";
  patch.query.field_validation = FieldValidation::Strict;
  served.api.call(patch);
  served.call("DELETE", "test.io/v1/ns:default/widgets/w", R"({"propagationPolicy":"Background"})");

  std::vector<std::string> options;
  for (const auto& request : hook.requests()) options.push_back(json::serialize(request.at("options")));
  EXPECT_THAT(
      options,
      ElementsAre(
          R"({"apiVersion":"meta.k8s.io/v1","kind":"CreateOptions"})",
          R"({"apiVersion":"meta.k8s.io/v1","kind":"UpdateOptions","fieldManager":"me","fieldValidation":"Strict"})",
          R"({"propagationPolicy":"Background","apiVersion":"meta.k8s.io/v1","kind":"DeleteOptions"})"));
}

TEST(Webhooks, WithMatchConditionsAreRefusedRatherThanMisread) {
  Served served;

  const auto refused =
      served.call("POST", "admissionregistration.k8s.io/v1/validatingwebhookconfigurations",
                  R"({"apiVersion":"admissionregistration.k8s.io/v1","kind":"ValidatingWebhookConfiguration",
          "metadata":{"name":"c"},"webhooks":[{"name":"h.test.io","clientConfig":{"url":"https://127.0.0.1:1/"},
          "admissionReviewVersions":["v1"],"sideEffects":"None",
          "matchConditions":[{"name":"mine","expression":"request.name == 'w'"}]}]})");

  EXPECT_EQ(refused.status, 422);
  EXPECT_THAT(refused.text(), HasSubstr("webhooks[0].matchConditions"));
}

TEST(Webhooks, RefuseWithTheirWords) {
  Served served;
  LittleWebhook hook(served.io, [](const json::object&) {
    return json::object{{"allowed", false}, {"status", json::object{{"message", "not today"}}}};
  });
  served.hook("Validating", hook.client_config());

  const auto refused = served.create();

  EXPECT_EQ(refused.status, 400);
  EXPECT_EQ(text_at(*refused.object, {"message"}),
            "admission webhook \"h.test.io\" denied the request: not today");
  EXPECT_EQ(served.call("GET", "test.io/v1/ns:default/widgets/w").status, 404);
}

TEST(Webhooks, AreAskedToTheEndWhenTheirConfigurationsChangeMeanwhile) {
  Served served;
  LittleWebhook first(served.io, [&](const json::object& request) {
    EXPECT_TRUE(
        served.call("DELETE", "admissionregistration.k8s.io/v1/validatingwebhookconfigurations/c").ok());
    EXPECT_TRUE(served
                    .call("POST", "v1/ns:default/configmaps",
                          R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"looks-up-webhooks"}})")
                    .ok());
    return allow(request);
  });
  LittleWebhook second(served.io, allow);
  served.hook("Validating", first.client_config(), "{}", "a");
  served.hook("Validating", second.client_config(), "{}", "b");
  served.hook("Validating", second.client_config(), "{}", "c");

  const auto made = served.create();

  EXPECT_EQ(made.status, 201) << made.text();
  EXPECT_EQ(second.requests().size(), 2U);
}

TEST(Webhooks, WarnTheClient) {
  Served served;
  LittleWebhook hook(served.io, [](const json::object&) {
    return json::object{{"allowed", true}, {"warnings", json::array{"mind the gap"}}};
  });
  served.hook("Validating", hook.client_config());

  EXPECT_THAT(served.create().warnings, ::testing::Contains("mind the gap"));
}

TEST(Webhooks, AreNotAskedWhenTheirRulesDoNotMatch) {
  Served served;
  LittleWebhook hook(served.io, allow);
  served.hook(
      "Validating", hook.client_config(),
      R"({"rules":[{"operations":["DELETE"],"apiGroups":["test.io"],"apiVersions":["v1"],"resources":["widgets"]}]})");

  served.create();
  const auto before = hook.requests();
  served.call("DELETE", "test.io/v1/ns:default/widgets/w");

  EXPECT_THAT(before, IsEmpty());
  ASSERT_EQ(hook.requests().size(), 1U);
  EXPECT_EQ(text_at(hook.requests()[0], {"operation"}), "DELETE");
  EXPECT_EQ(text_at(hook.requests()[0], {"oldObject", "metadata", "name"}), "w");
}

TEST(Webhooks, AreAskedAboutSelectedNamespacesOnly) {
  Served served;
  LittleWebhook hook(served.io, allow);
  served.call("POST", "v1/namespaces", R"({"metadata":{"name":"default","labels":{"team":"a"}}})");
  served.call("PATCH", "v1/namespaces/default", R"({"metadata":{"labels":{"team":"a"}}})");
  served.hook("Validating", hook.client_config(), R"({"namespaceSelector":{"matchLabels":{"team":"b"}}})");

  served.create("one");
  const auto before = hook.requests();
  served.call("PATCH", "v1/namespaces/default", R"({"metadata":{"labels":{"team":"b"}}})");
  served.create("two");

  EXPECT_THAT(before, IsEmpty());
  EXPECT_EQ(hook.requests().size(), 1U);
}

TEST(Webhooks, AreAskedAboutSelectedObjectsOnly) {
  Served served;
  LittleWebhook hook(served.io, allow);
  served.hook("Validating", hook.client_config(), R"({"objectSelector":{"matchLabels":{"a":"b"}}})");

  served.create("plain");
  const auto before = hook.requests();
  served.create("labelled", R"({"a":"b"})");

  EXPECT_THAT(before, IsEmpty());
  EXPECT_EQ(hook.requests().size(), 1U);
}

TEST(Webhooks, ThatCannotBeReachedStopTheRequestOrNot) {
  Served served;
  served.hook("Validating", {{"url", "https://127.0.0.1:1/hook"}}, R"({"timeoutSeconds":1})");
  const auto refused = served.create();
  served.call("DELETE", "admissionregistration.k8s.io/v1/validatingwebhookconfigurations/c");
  served.hook("Validating", {{"url", "https://127.0.0.1:1/hook"}},
              R"({"timeoutSeconds":1,"failurePolicy":"Ignore"})");

  EXPECT_EQ(refused.status, 500);
  EXPECT_THAT(
      std::string(text_at(*refused.object, {"message"})),
      HasSubstr("Internal error occurred: failed calling webhook \"h.test.io\": failed to call webhook: Post "
                "\"https://127.0.0.1:1/hook?timeout=1s\": "));
  EXPECT_EQ(served.create().status, 201);
}

TEST(Webhooks, MustHaveACertificateTheirBundleKnows) {
  Served served;
  LittleWebhook hook(served.io, allow);
  LittleWebhook other(served.io, allow);
  auto config = hook.client_config();
  config["caBundle"] = other.client_config()["caBundle"];
  served.hook("Validating", config);

  EXPECT_EQ(served.create().status, 500);
  EXPECT_THAT(hook.requests(), IsEmpty());
}

TEST(Webhooks, MustAnswerTheQuestionTheyWereAsked) {
  Served served;
  LittleWebhook hook(served.io,
                     [](const json::object&) { return json::object{{"uid", "another"}, {"allowed", true}}; });
  served.hook("Validating", hook.client_config());

  const auto refused = served.create();

  EXPECT_EQ(refused.status, 500);
  EXPECT_THAT(refused.text(), HasSubstr("received invalid webhook response: expected response.uid"));
}

TEST(Webhooks, OfServicesAreAnErrorThatNamesTheService) {
  Served served;
  served.hook("Validating", {{"service", json::object{{"namespace", "n"}, {"name", "s"}}}});

  const auto refused = served.create();

  EXPECT_EQ(refused.status, 500);
  EXPECT_THAT(refused.text(), HasSubstr(R"(service \"n/s\" can't be reached)"));
}

TEST(Webhooks, ConvertObjectsOneByOneInOrder) {
  net::IoPool io;
  const SystemClock clock;
  Webhooks webhooks(io, clock);
  LittleWebhook hook(io, [](const json::object& request) {
    json::array converted;
    for (auto object : request.at("objects").as_array()) {
      object.as_object()["apiVersion"] = request.at("desiredAPIVersion");
      converted.push_back(object);
    }
    return json::object{{"result", json::object{{"status", "Success"}}}, {"convertedObjects", converted}};
  });
  ResourceType type{.group = "test.io", .kind = "Widget"};
  type.conversion = std::make_shared<const json::value>(json::object{
      {"strategy", "Webhook"}, {"webhook", json::object{{"clientConfig", hook.client_config()}}}});
  const auto object = [](std::string_view version, std::string_view name) {
    return std::make_shared<const json::object>(json::object{
        {"apiVersion", version}, {"kind", "Widget"}, {"metadata", json::object{{"name", name}}}});
  };

  const auto converted = webhooks.convert(
      type, "test.io/v2", {object("test.io/v1", "a"), object("test.io/v2", "b"), object("test.io/v1", "c")});

  ASSERT_TRUE(converted);
  std::vector<std::string> seen;
  for (const auto& one : *converted)
    seen.push_back(std::string(text_at(*one, {"apiVersion"})) + " " + std::string(name_of(*one)));
  EXPECT_THAT(seen, ElementsAre("test.io/v2 a", "test.io/v2 b", "test.io/v2 c"));
  EXPECT_EQ(hook.requests().at(0).at("objects").as_array().size(), 2U);
}

TEST(Webhooks, ThatFailToConvertAreNamedByTheKind) {
  net::IoPool io;
  const SystemClock clock;
  Webhooks webhooks(io, clock);
  LittleWebhook hook(io, [](const json::object&) {
    return json::object{{"result", json::object{{"status", "Failure"}, {"message", "no such field"}}}};
  });
  ResourceType type{.group = "test.io", .kind = "Widget"};
  type.conversion = std::make_shared<const json::value>(json::object{
      {"strategy", "Webhook"}, {"webhook", json::object{{"clientConfig", hook.client_config()}}}});

  const auto failed = webhooks.convert(
      type, "test.io/v2",
      {std::make_shared<const json::object>(json::object{{"apiVersion", "test.io/v1"}, {"kind", "Widget"}})});

  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().status, 500);
  EXPECT_EQ(text_at(*failed.error().object, {"message"}),
            "conversion webhook for test.io/v1, Kind=Widget failed: no such field");
}

}  // namespace
}  // namespace capstan::apiserver
