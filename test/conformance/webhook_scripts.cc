// Admission and conversion webhooks, called by URL. The webhook is a little TLS server of the script's own.
#include <httplib.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "base/base64.h"
#include "base/guarded.h"
#include "test/conformance/script.h"

namespace capstan::conformance {
namespace {

std::string file_text(const std::filesystem::path& path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

// A folder with a fresh certificate for 127.0.0.1 that signs itself.
struct Identity {
  std::filesystem::path folder;
  Identity() {
    char pattern[] = "/tmp/capstan-webhook-XXXXXX";
    folder = mkdtemp(pattern);
    const std::string command =
        "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=webhook "
        "-addext subjectAltName=IP:127.0.0.1 -keyout " +
        (folder / "key").string() + " -out " + (folder / "crt").string() + " 2>/dev/null";
    if (std::system(command.c_str()) != 0) throw Broken("the openssl program can't make a certificate");
  }
  ~Identity() { std::filesystem::remove_all(folder); }
};

class Webhook {
 public:
  using Answer = std::function<json::value(const json::value& review)>;

  explicit Webhook(Answer answer)
      : server_((identity_.folder / "crt").c_str(), (identity_.folder / "key").c_str()) {
    server_.Post("/hook", [this, answer = std::move(answer)](const httplib::Request& request,
                                                             httplib::Response& response) {
      const json::value review = parse(request.body);
      reviews_.with([&](auto& reviews) { reviews.push_back(review); });
      response.set_content(json::serialize(answer(review)), "application/json");
    });
    server_.set_tcp_nodelay(true);
    server_.set_keep_alive_max_count(1);  // or stop() would wait for idle connections
    port_ = server_.bind_to_any_port("127.0.0.1");
    thread_ = std::thread([this] { server_.listen_after_bind(); });
    while (!server_.is_running()) std::this_thread::yield();
  }
  ~Webhook() {
    server_.stop();
    thread_.join();
  }

  json::object client_config(std::string_view path = "/hook") const {
    const std::string pem = file_text(identity_.folder / "crt");
    return {{"url", "https://127.0.0.1:" + std::to_string(port_) + std::string(path)},
            {"caBundle", base64_encode(pem)}};
  }
  std::vector<json::value> reviews() const {
    return reviews_.with([](const auto& reviews) { return reviews; });
  }

 private:
  Identity identity_;
  httplib::SSLServer server_;
  int port_ = 0;
  std::thread thread_;
  Guarded<std::vector<json::value>> reviews_;
};

json::value verdict(const json::value& review, json::object response) {
  response["uid"] = at(review, "request.uid");
  return json::object{
      {"apiVersion", "admission.k8s.io/v1"}, {"kind", "AdmissionReview"}, {"response", response}};
}
json::value allowed(const json::value& review) { return verdict(review, {{"allowed", true}}); }

// A registered webhook over the session's widgets; taken away again at the end.
class Registered {
 public:
  Registered(Session& s, std::string_view sort, const json::object& client_config,
             std::string_view rules_and_more, std::string_view suffix = "")
      : session_(s),
        path_("/apis/admissionregistration.k8s.io/v1/" + std::string(sort) + "webhookconfigurations/" +
              s.ns() + std::string(suffix)) {
    const bool mutating = sort == "mutating";
    json::object hook = parse(rules_and_more).as_object();
    hook["name"] = "hook.conformance.capstan.dev";
    hook["admissionReviewVersions"] = json::array{"v1"};
    if (!hook.contains("sideEffects")) hook["sideEffects"] = "None";
    hook["clientConfig"] = client_config;
    if (!hook.contains("rules"))
      hook["rules"] = parse(
          R"([{"apiGroups":["conformance.capstan.dev"],"apiVersions":["v1"],"operations":["CREATE","UPDATE","DELETE"],"resources":["widgets"]}])");
    hook["namespaceSelector"] =
        json::object{{"matchLabels", json::object{{"kubernetes.io/metadata.name", s.ns()}}}};
    s.made(
        path_.substr(0, path_.rfind('/')),
        json::object{{"apiVersion", "admissionregistration.k8s.io/v1"},
                     {"kind", mutating ? "MutatingWebhookConfiguration" : "ValidatingWebhookConfiguration"},
                     {"metadata", json::object{{"name", s.ns() + std::string(suffix)}}},
                     {"webhooks", json::array{hook}}});
  }
  ~Registered() {
    try {
      session_.remove(path_);
    } catch (const std::exception&) {  // the script's own failure is the one to report
    }
  }

 private:
  Session& session_;
  std::string path_;
};

// The server learns of a new webhook a moment later: try until it has been asked at all.
void until_called(Session& s, const Webhook& hook) {
  s.eventually(
      "the webhook is called",
      [&] {
        s.merge(s.widgets("probe"),
                R"({"metadata":{"annotations":{"n":")" + std::to_string(std::rand()) + "\"}}}");
        return !hook.reviews().empty();
      },
      std::chrono::seconds(20));
}

Reply try_widget(Session& s, std::string_view name, std::string_view query = "") {
  return s.post(s.widgets() + std::string(query),
                parse(R"({"apiVersion":"conformance.capstan.dev/v1","kind":"Widget","metadata":{"name":")" +
                      std::string(name) + R"("},"spec":{"replicas":2}})"));
}

const Script kScripts[] = {
    {"webhook: a mutation by JSON patch shows in the stored object",
     [](Session& s) {
       s.made_widget("probe");
       Webhook hook([](const json::value& review) {
         return verdict(review,
                        {{"allowed", true},
                         {"patchType", "JSONPatch"},
                         {"patch", base64_encode(R"([{"op":"add","path":"/spec/note","value":"hooked"}])")}});
       });
       Registered registered(s, "mutating", hook.client_config(), "{}");
       until_called(s, hook);

       const Reply made = try_widget(s, "w");

       s.expect_status(made, 201);
       s.expect_equal(made.body, "spec.note", "hooked");
     }},
    {"webhook: a mutation is checked against the schema",
     [](Session& s) {
       s.made_widget("probe");
       Webhook hook([](const json::value& review) {
         if (at(review, "request.name") != "w") return allowed(review);
         return verdict(
             review, {{"allowed", true},
                      {"patchType", "JSONPatch"},
                      {"patch", base64_encode(R"([{"op":"replace","path":"/spec/replicas","value":-5}])")}});
       });
       Registered registered(s, "mutating", hook.client_config(), "{}");
       until_called(s, hook);

       s.expect_refused(try_widget(s, "w"), 422, "Invalid", "spec.replicas");
     }},
    {"webhook: a refusal carries the webhook's name and words",
     [](Session& s) {
       s.made_widget("probe");
       Webhook hook([](const json::value& review) {
         if (at(review, "request.name") != "w") return allowed(review);
         return verdict(review,
                        {{"allowed", false}, {"status", json::object{{"message", "not on a Friday"}}}});
       });
       Registered registered(s, "validating", hook.client_config(), "{}");
       until_called(s, hook);

       const Reply refused = try_widget(s, "w");

       s.expect_status(refused, 400);
       s.expect_equal(
           refused.body, "message",
           "admission webhook \"hook.conformance.capstan.dev\" denied the request: not on a Friday");
       s.expect_status(s.get(s.widgets("w")), 404);
     }},
    {"webhook: a refusal may choose its code",
     [](Session& s) {
       s.made_widget("probe");
       Webhook hook([](const json::value& review) {
         if (at(review, "request.name") != "w") return allowed(review);
         return verdict(review,
                        {{"allowed", false},
                         {"status", json::object{{"code", 422}, {"reason", "Invalid"}, {"message", "bad"}}}});
       });
       Registered registered(s, "validating", hook.client_config(), "{}");
       until_called(s, hook);

       s.expect_refused(try_widget(s, "w"), 422, "Invalid");
     }},
    {"webhook: the review tells operation, object and user",
     [](Session& s) {
       s.made_widget("probe");
       Webhook hook(allowed);
       Registered registered(s, "validating", hook.client_config(), "{}");
       until_called(s, hook);

       const json::value review = hook.reviews().back();

       s.expect_equal(review, "request.operation", "UPDATE");
       s.expect_equal(review, "request.kind",
                      parse(R"({"group":"conformance.capstan.dev","version":"v1","kind":"Widget"})"));
       s.expect_equal(review, "request.resource.resource", "widgets");
       s.expect_equal(review, "request.namespace", s.ns());
       s.expect_equal(review, "request.object.metadata.name", "probe");
       s.expect_equal(review, "request.oldObject.metadata.name", "probe");
       s.expect_present(review, "request.userInfo.username");
       s.expect_equal(review, "request.dryRun", false);
     }},
    {"webhook: the review tells the options of the operation",
     [](Session& s) {
       s.made_widget("probe");
       Webhook hook(allowed);
       Registered registered(s, "validating", hook.client_config(), "{}");
       until_called(s, hook);

       try_widget(s, "w", "?fieldManager=me&fieldValidation=Strict");
       s.expect_equal(
           hook.reviews().back(), "request.options",
           parse(
               R"({"kind":"CreateOptions","apiVersion":"meta.k8s.io/v1","fieldManager":"me","fieldValidation":"Strict"})"));
       s.merge(s.widgets("w"), R"({"spec":{"replicas":3}})");
       s.expect_equal(hook.reviews().back(), "request.options.kind", "UpdateOptions");
       s.remove(s.widgets("w") + "?propagationPolicy=Background");
       s.expect_equal(hook.reviews().back(), "request.options.kind", "DeleteOptions");
       s.expect_equal(hook.reviews().back(), "request.options.propagationPolicy", "Background");
     }},
    {"webhook: asked again when a later one changes the object",
     [](Session& s) {
       s.made_widget("probe");
       Webhook first(allowed);
       Webhook second([](const json::value& review) {
         return verdict(review,
                        {{"allowed", true},
                         {"patchType", "JSONPatch"},
                         {"patch", base64_encode(R"([{"op":"add","path":"/spec/note","value":"hooked"}])")}});
       });
       Registered earlier(s, "mutating", first.client_config(), R"({"reinvocationPolicy":"IfNeeded"})");
       Registered later(s, "mutating", second.client_config(), R"({"reinvocationPolicy":"IfNeeded"})",
                        "-later");
       until_called(s, first);
       until_called(s, second);
       const auto before = first.reviews().size();
       const auto before_second = second.reviews().size();

       try_widget(s, "w");

       s.expect(first.reviews().size() == before + 2, "the first one is asked twice");
       s.expect_equal(first.reviews().back(), "request.object.spec.note", "hooked");
       s.expect(second.reviews().size() == before_second + 1, "the one that changed it is asked once");
     }},
    {"webhook: deletion sends the old object only",
     [](Session& s) {
       s.made_widget("probe");
       Webhook hook(allowed);
       Registered registered(s, "validating", hook.client_config(), "{}");
       until_called(s, hook);
       s.remove(s.widgets("probe"));

       const json::value review = hook.reviews().back();

       s.expect_equal(review, "request.operation", "DELETE");
       s.expect_equal(review, "request.oldObject.metadata.name", "probe");
       s.expect_absent(review, "request.object");
     }},
    {"webhook: a rule that does not match is not called",
     [](Session& s) {
       s.made_widget("probe");
       Webhook hook(allowed);
       Registered registered(
           s, "validating", hook.client_config(),
           R"({"rules":[{"apiGroups":["conformance.capstan.dev"],"apiVersions":["v1"],"operations":["UPDATE"],"resources":["widgets"]}]})");
       until_called(s, hook);
       try_widget(s, "w");

       for (const json::value& review : hook.reviews())
         s.expect(at(review, "request.operation") == "UPDATE", "only updates are sent");
     }},
    {"webhook: an object selector picks by label",
     [](Session& s) {
       s.made_widget("probe");
       s.merge(s.widgets("probe"), R"({"metadata":{"labels":{"hook":"yes"}}})");
       Webhook hook(allowed);
       Registered registered(s, "validating", hook.client_config(),
                             R"({"objectSelector":{"matchLabels":{"hook":"yes"}}})");
       until_called(s, hook);
       try_widget(s, "w");

       for (const json::value& review : hook.reviews())
         s.expect(at(review, "request.name") == "probe", "only the labelled object is sent");
     }},
    {"webhook: unreachable with policy Fail refuses",
     [](Session& s) {
       Webhook hook(allowed);
       json::object nowhere = hook.client_config();
       nowhere["url"] = "https://127.0.0.1:1/hook";
       Registered registered(s, "validating", nowhere, R"({"failurePolicy":"Fail","timeoutSeconds":1})");

       s.eventually(
           "creation is refused",
           [&] {
             const Reply reply = try_widget(s, "w" + std::to_string(std::rand()));
             return reply.status == 500 && reply.text.find("failed calling webhook") != std::string::npos;
           },
           std::chrono::seconds(20));
     }},
    {"webhook: unreachable with policy Ignore lets pass",
     [](Session& s) {
       Webhook hook(allowed);
       json::object nowhere = hook.client_config();
       nowhere["url"] = "https://127.0.0.1:1/hook";
       Registered registered(s, "validating", nowhere, R"({"failurePolicy":"Ignore","timeoutSeconds":1})");

       s.expect_status(try_widget(s, "w"), 201);
     }},
    {"webhook: a dry run is announced",
     [](Session& s) {
       s.made_widget("probe");
       Webhook hook(allowed);
       Registered registered(s, "validating", hook.client_config(), "{}");
       until_called(s, hook);
       try_widget(s, "w", "?dryRun=All");

       s.expect_equal(hook.reviews().back(), "request.dryRun", true);
     }},
    {"webhook: a configuration without side effects declared is refused",
     [](Session& s) {
       const Reply reply = s.post(
           "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations",
           parse(
               R"({"apiVersion":"admissionregistration.k8s.io/v1","kind":"ValidatingWebhookConfiguration","metadata":{"name":"bad"},"webhooks":[{"name":"a.b.c","admissionReviewVersions":["v1"],"clientConfig":{"url":"https://127.0.0.1:1/"}}]})"));

       s.expect_status(reply, 422);
     }},
    {"conversion: a webhook turns the stored version into the asked one",
     [](Session& s) {
       Webhook hook([](const json::value& review) {
         json::array converted;
         const json::value objects = at(review, "request.objects");
         for (json::value object : objects.as_array()) {
           object.as_object()["apiVersion"] = at(review, "request.desiredAPIVersion");
           auto& spec = object.as_object()["spec"].as_object();
           if (at(review, "request.desiredAPIVersion").as_string().ends_with("/v1")) {
             if (const json::value old = at(object, "spec.old"); !old.is_null()) {
               spec["fresh"] = old;
               spec.erase("old");
             }
           } else if (const json::value fresh = at(object, "spec.fresh"); !fresh.is_null()) {
             spec["old"] = fresh;
             spec.erase("fresh");
           }
           converted.push_back(object);
         }
         return json::object{{"apiVersion", "apiextensions.k8s.io/v1"},
                             {"kind", "ConversionReview"},
                             {"response", json::object{{"uid", at(review, "request.uid")},
                                                       {"convertedObjects", converted},
                                                       {"result", json::object{{"status", "Success"}}}}}};
       });
       const std::string group = "v" + s.ns() + ".example.com";
       const std::string open =
           R"({"openAPIV3Schema":{"type":"object","properties":{"spec":{"type":"object","x-kubernetes-preserve-unknown-fields":true}}}})";
       const std::string crds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
       s.made(
           crds,
           parse(
               R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"turns.)" +
               group + R"("},"spec":{"group":")" + group +
               R"(","scope":"Namespaced","names":{"kind":"Turn","plural":"turns","singular":"turn","listKind":"TurnList"},"conversion":{"strategy":"Webhook","webhook":{"conversionReviewVersions":["v1"],"clientConfig":)" +
               json::serialize(hook.client_config()) +
               R"(}},"versions":[{"name":"v1","served":true,"storage":true,"schema":)" + open +
               R"(},{"name":"v1alpha1","served":true,"storage":false,"schema":)" + open + "}]}}"));
       s.eventually(
           "the new path serves", [&] { return s.get(s.group(group + "/v1", "turns")).status == 200; },
           std::chrono::seconds(20));

       Reply made;
       s.eventually(
           "an object can be made",
           [&] {
             made = s.post(s.group(group + "/v1alpha1", "turns"),
                           parse(R"({"apiVersion":")" + group +
                                 R"(/v1alpha1","kind":"Turn","metadata":{"name":"t"},"spec":{"old":"x"}})"));
             return made.status == 201;
           },
           std::chrono::seconds(20));
       const Reply fresh = s.get(s.group(group + "/v1", "turns", "t"));
       const Reply old = s.get(s.group(group + "/v1alpha1", "turns", "t"));
       s.remove(crds + "/turns." + group);

       s.expect_equal(made.body, "spec.old", "x");
       s.expect_equal(fresh.body, "spec.fresh", "x");
       s.expect_equal(old.body, "spec.old", "x");
     }},
};

}  // namespace

std::span<const Script> webhook_scripts() { return kScripts; }

}  // namespace capstan::conformance
