// An agent on a scratch machine, with a workload API server in memory. The test plays provider, signer,
// kubelet and users. For the tests of the agent as a whole; one thread.
#pragma once

#include <gmock/gmock.h>

#include <boost/json.hpp>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "agent/agent.h"
#include "agent/checksum.h"
#include "agent/joined_fixture.h"
#include "agent/machine_fixture.h"
#include "agent/signing_fixture.h"
#include "api/bootstrap/names.h"
#include "api/bootstrap/node_config_release.h"
#include "api/schema/encode.h"
#include "base/base64.h"
#include "kube/resources.h"
#include "test/fakes/fake_clock.h"
#include "test/fakes/memory_client.h"
#include "test/fakes/relay_client.h"

namespace capstan::agent {

namespace json = boost::json;
inline const Deadline kNever = Deadline::never();
inline const std::string kNode = "m1";
inline const kube::ObjectKey kSecret = {.namespace_ = "kube-system", .name = "capstan-node-config-workers"};
inline const kube::Resource kRequests = {.group = "certificates.k8s.io",
                                         .version = "v1",
                                         .plural = "certificatesigningrequests",
                                         .kind = "CertificateSigningRequest",
                                         .namespaced = false};

// A client of one identity: it notes what it is asked, and is refused what its identity is refused.
class IdentityClient final : public fakes::RelayClient {
 public:
  struct Rules {
    std::vector<std::string> asked = {};              // "system:node:m1 patch Node m1"
    std::set<std::string, std::less<>> expired = {};  // identities that are answered 401
    bool answers = true;
    bool watches = false;                                                // the test tells each event
    std::map<std::string, kube::StreamSink*, std::less<>> watched = {};  // by identity
    int opened = 0;                                                      // watches
    MortalThreads* threads = nullptr;
  };
  IdentityClient(kube::Client& inner, std::string identity, Rules& rules)
      : RelayClient(inner), identity_(std::move(identity)), rules_(rules) {}

  std::unique_ptr<kube::Stream> watch(const kube::Resource& resource, const kube::WatchOptions& options,
                                      kube::StreamSink& sink) override {
    if (!rules_.watches) return RelayClient::watch(resource, options, sink);
    rules_.watched[identity_] = &sink;
    ++rules_.opened;
    return std::make_unique<ToldStream>(rules_, identity_);
  }

 private:
  class ToldStream final : public kube::Stream {
   public:
    ToldStream(Rules& rules, std::string identity) : rules_(rules), identity_(std::move(identity)) {}
    ~ToldStream() override { rules_.watched.erase(identity_); }

   private:
    Rules& rules_;
    std::string identity_;
  };
  std::optional<Error> sending(const fakes::Asked& asked) override {
    if (asked.call == fakes::Call::Watch) return Error{.code = Code::Forbidden, .message = "no watches here"};
    rules_.threads->switch_point("before a request");
    if (!rules_.answers) return Error{.code = Code::Unavailable, .message = "no route to host"};
    rules_.asked.push_back(identity_ + " " + asked.describe());
    if (rules_.expired.contains(identity_))
      return Error{.code = Code::Unauthorized, .message = "Unauthorized"};
    return {};
  }
  void answered(const fakes::Asked&, const Result<json::value>&) override {
    rules_.threads->switch_point("after a request");
  }

  std::string identity_;
  Rules& rules_;
};

struct AgentStage {
  fakes::FakeClock clock;
  apiserver::Api api{{.clock = clock}};
  fakes::MemoryClient user{api, clock, {.user = "admin"}};
  ScratchRoot machine;
  MortalThreads threads;
  Root root = *Root::open(machine.folder(), threads);
  FakeSystemctl systemctl;
  IdentityClient::Rules rules = {.threads = &threads};
  SeededRandomness randomness{1};
  Signal changed;
  std::string download = "kubelet program";
  Fetch fetch = [this](const std::string&, PendingFile& into, const Deadline&) {
    return into.write(download);
  };
  net::KeyAndCertificate ca = *net::new_ca("test", clock.now(), clock.now() + std::chrono::days(365));
  std::unique_ptr<Agent> agent;

  AgentStage() {
    make(kube::resources::custom_resource_definitions(),
         {.name = "certificatesigningrequests.certificates.k8s.io"}, requests_definition());
    machine.put("/etc/capstan/agent.json",
                json::serialize(json::value{{"server", "https://10.0.0.1:6443"},
                                            {"certificateAuthority", ca.certificate_pem},
                                            {"token", "abcdef.0123456789abcdef"},
                                            {"namespace", "default"},
                                            {"machine", "m1"},
                                            {"version", "v1.35.0"},
                                            {"nodeConfig", "workers"},
                                            {"secret", kSecret.name}}));
    start();
  }

  // A process, after the one before was killed.
  void start() {
    const AgentDeps deps{.tools = {.root = root,
                                   .systemctl = systemctl,
                                   .fetch = fetch,
                                   .clock = clock,
                                   .threads = threads,
                                   .own = own_mark()},
                         .randomness = randomness,
                         .dial = [this](const kube::Connection& to) { return dial(to); },
                         .changed = changed};
    agent = std::make_unique<Agent>(deps,
                                    AgentOptions{.facts_path = "/etc/capstan/agent.json", .host_name = "h"});
  }
  std::string round() {
    std::string troubles;
    for (const std::string& trouble : agent->round({}).troubles) troubles += trouble + "\n";
    return troubles;
  }
  Result<std::unique_ptr<kube::Client>> dial(const kube::Connection& to) {
    const auto certificate = net::read_certificate(to.certificate_pem);
    return std::make_unique<IdentityClient>(user, certificate ? certificate->common_name : "token", rules);
  }

  void make(const kube::Resource& resource, const kube::ObjectKey& key, const json::value& object) {
    if (auto made = user.create(resource, key, object, {}, kNever); !made)
      ADD_FAILURE() << "create " << key.name << ": " << made.error().describe();
  }
  void change(const kube::Resource& resource, const kube::ObjectKey& key, const json::value& patch,
              const std::string& subresource = {}) {
    if (auto done = user.patch(resource, key, patch, {.subresource = subresource}, kNever); !done)
      ADD_FAILURE() << "patch " << key.name << ": " << done.error().describe();
  }
  json::value get(const kube::Resource& resource, const kube::ObjectKey& key) {
    return user.get(resource, key, kNever).value_or(json::value());
  }

  // The provider.
  static std::string config(std::string_view members) {
    return "{\"clusterName\":\"c1\",\"apply\":{\"maxDelaySeconds\":100}," + std::string(members) + "}";
  }
  void offer(const std::string& text) {
    const json::value data = {{"config.json", base64_encode(text)},
                              {"checksum", base64_encode(checksum_of(text))}};
    if (user.get(kube::resources::secrets(), kSecret, kNever))
      return change(kube::resources::secrets(), kSecret, {{"data", data}});
    make(kube::resources::secrets(), kSecret,
         {{"apiVersion", "v1"},
          {"kind", "Secret"},
          {"metadata", {{"name", kSecret.name}, {"namespace", kSecret.namespace_}}},
          {"data", data}});
  }
  void release(const std::string& text) {
    const std::string all = api::bootstrap::release_text(checksum_of(text), UINT32_MAX);
    change(kube::resources::secrets(), kSecret,
           {{"metadata", {{"annotations", {{api::bootstrap::annotation::kReleased, all}}}}}});
  }
  void offer_and_release(const std::string& text) {
    offer(text);
    release(text);
  }
  // An open watch tells how the object is now.
  void send_event(std::string_view identity, const json::value& object, std::string_view type = "MODIFIED") {
    const auto watch = rules.watched.find(identity);
    ASSERT_TRUE(watch != rules.watched.end()) << identity << " watches nothing";
    watch->second->on_bytes(json::serialize(json::value{{"type", type}, {"object", object}}) + "\n");
  }
  json::value node() { return get(kube::resources::nodes(), {.name = kNode}); }
  json::value secret() { return get(kube::resources::secrets(), kSecret); }
  void sign_requests() {
    const auto listed = user.list(kRequests, {}, kNever);
    for (const json::value& request : listed->at("items").as_array()) {
      const auto pem = base64_decode(std::string_view(request.at("spec").at("request").as_string()));
      const std::string certificate =
          sign_request(ca, *pem, clock.now(), clock.now() + std::chrono::days(10));
      change(kRequests,
             {.name = std::string(std::string_view(request.at("metadata").at("name").as_string()))},
             {{"status", {{"certificate", base64_encode(certificate)}}}}, "status");
    }
  }
  void forget_requests() {
    const auto listed = user.list(kRequests, {}, kNever);
    for (const json::value& request : listed->at("items").as_array())
      static_cast<void>(user.remove(
          kRequests, {.name = std::string(std::string_view(request.at("metadata").at("name").as_string()))},
          {}, kNever));
  }

  // The kubelet.
  void join() {
    put_kubelet_access(machine, ca, kNode, clock.now());
    make(kube::resources::nodes(), {.name = kNode},
         {{"apiVersion", "v1"}, {"kind", "Node"}, {"metadata", {{"name", kNode}}}});
  }
  std::string annotation(std::string_view key) {
    const json::value present = node();
    boost::system::error_code error;
    const json::value* found = present.find_pointer("/metadata/annotations", error);
    if (found == nullptr || !found->as_object().contains(key)) return "none";
    return std::string(std::string_view(found->at(key).as_string()));
  }
  std::string applied() { return annotation(api::bootstrap::annotation::kApplied); }
  std::string apply_error() { return annotation(api::bootstrap::annotation::kApplyError); }

  // A Node with that configuration on it.
  void settle(const std::string& text) {
    offer_and_release(text);
    round();
    sign_requests();
    round();
    join();
    EXPECT_EQ(round(), "");
    EXPECT_EQ(applied(), checksum_of(text));
    systemctl.calls.clear();
    rules.asked.clear();
  }

  static json::value requests_definition() {
    const json::value schema = {{"type", "object"}, {"x-kubernetes-preserve-unknown-fields", true}};
    return {{"apiVersion", "apiextensions.k8s.io/v1"},
            {"kind", "CustomResourceDefinition"},
            {"metadata",
             {{"name", "certificatesigningrequests.certificates.k8s.io"},
              {"annotations", {{"api-approved.kubernetes.io", "unapproved, for tests"}}}}},
            {"spec",
             {{"group", "certificates.k8s.io"},
              {"scope", "Cluster"},
              {"names",
               {{"plural", "certificatesigningrequests"},
                {"singular", "certificatesigningrequest"},
                {"kind", "CertificateSigningRequest"},
                {"listKind", "CertificateSigningRequestList"}}},
              {"versions", json::array{{{"name", "v1"},
                                        {"served", true},
                                        {"storage", true},
                                        {"subresources", {{"status", json::object()}}},
                                        {"schema", {{"openAPIV3Schema", schema}}}}}}}}};
  }
};

}  // namespace capstan::agent
