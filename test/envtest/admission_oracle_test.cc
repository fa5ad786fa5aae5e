// Two real API servers, one with upstream's CRDs and webhooks and one with ours, and the same requests to
// both: what breaks a rule of the webhooks or of the schemas, and odd manifests (odd_manifests.h). Both have
// to take or refuse the same ones, with the same code and at the same fields. Where that is not so on
// purpose, the table below names the row of docs/deviations.md. scripts/envtest --interop names upstream's
// core in CAPSTAN_UPSTREAM.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <httplib.h>

#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "api/schema/yaml.h"
#include "api/v1beta2/ip_address.h"
#include "base/base64.h"
#include "base/threads.h"
#include "test/envtest/kubectl.h"
#include "test/envtest/odd_manifests.h"
#include "test/envtest/real_servers.h"
#include "test/envtest/reserved_port.h"
#include "test/envtest/scratch_folder.h"
#include "test/envtest/upstream_core.h"
#include "webhooks/admission_kinds.h"

namespace capstan::envtest {
namespace {

namespace fs = std::filesystem;
namespace json = boost::json;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::uint64_t kSeed = 2026;
constexpr std::size_t kFurtherFaults = 220;
constexpr std::size_t kOdd = 100;
constexpr std::size_t kLeastRefused = 300;
constexpr std::size_t kMostShown = 20;
// Nothing has this label: the controllers of both leave all objects alone.
constexpr const char* kNoControllers = "--watch-filter=nothing";

// What both servers have to agree on.
struct Answer {
  int code = 0;
  std::set<std::string> fields = {};  // at which something is wrong
  std::string text = {};

  bool accepts() const { return code < 300; }
  // Of a body that can't be decoded each says in its own words what is wrong.
  bool operator==(const Answer& other) const {
    return code == other.code && (code == 400 || fields == other.fields);
  }
};

// What differs on purpose, by rule and kind.
struct Deviation {
  std::string_view rule;  // the beginning of it
  std::string_view row;   // of docs/deviations.md, as far as it tells rows apart
};
constexpr std::array kDeviations = {
    Deviation{"Cluster spec.topology", "No schema of what is in `spec.topology`"},
    Deviation{"MachineSet spec.template required", "A `spec.template` that is left out"},
    Deviation{"MachineDeployment spec.selector.matchExpressions[].key required",
              "A key that is left out of a selector"},
};

// Both refuse it, each at fields of its own.
bool differs_on_purpose(const OddRequest& request) {
  return std::ranges::any_of(kDeviations,
                             [&](const Deviation& one) { return request.rule.starts_with(one.rule); });
}

// The server's remark that it asked no CEL rules of a schema that has some; it is at no field.
constexpr std::string_view kNoField = "<nil>";

// "spec.version" of "...denied the request: spec.version: Invalid value: ...".
std::set<std::string> fields_in(const std::string& message) {
  static const std::regex field(
      R"(((?:spec|status|metadata)[\w.\[\]/-]*): (?:Invalid|Required|Forbidden|Un|Dup|Too|Internal))");
  std::set<std::string> fields;
  for (std::sregex_iterator found(message.begin(), message.end(), field), end; found != end; ++found)
    fields.insert((*found)[1]);
  return fields;
}

Answer answer_of(const httplib::Result& result) {
  if (!result) return {.text = httplib::to_string(result.error())};
  Answer answer{.code = result->status, .text = result->body};
  if (answer.accepts()) return answer;
  const auto document = json::parse(result->body);
  json::error_code absent;
  if (const auto* causes = document.find_pointer("/details/causes", absent)) {
    for (const auto& cause : causes->as_array())
      if (const auto* field = cause.as_object().if_contains("field");
          field != nullptr && field->as_string() != kNoField)
        answer.fields.insert(std::string(field->as_string()));
  }
  answer.text = std::string(document.at("message").as_string());
  if (answer.fields.empty()) answer.fields = fields_in(answer.text);
  return answer;
}

// One of the two API servers.
class Side {
 public:
  explicit Side(const RealServers& servers)
      : servers_(servers),
        client_("127.0.0.1", std::stoi(servers.url().substr(servers.url().rfind(':') + 1))) {
    client_.enable_server_certificate_verification(false);  // it is not what is looked at
    client_.set_bearer_token_auth(servers.admin_token());
    client_.set_keep_alive(true);
    client_.set_read_timeout(seconds(60));
  }
  Answer send(const api::ResourceInfo& kind, const OddRequest& request) {
    const std::string objects =
        fmt::format("/apis/{}/namespaces/default/{}", kind.api_version(), kind.plural);
    const std::string body = json::serialize(request.body);
    if (request.way == Way::Create)
      return answer_of(client_.Post(objects + "?dryRun=All", body, "application/json"));
    const std::string part = request.way == Way::Status ? "/status" : "";
    return answer_of(
        client_.Patch(objects + "/x1" + part + "?dryRun=All", body, "application/merge-patch+json"));
  }
  const RealServers& servers() const { return servers_; }

 private:
  const RealServers& servers_;
  httplib::SSLClient client_;
};

const std::vector<webhooks::AdmissionHook>& hooks() {
  static const auto all = webhooks::admission_hooks();
  return all;
}

bool is_upstreams(const api::ResourceInfo& kind) {
  return kind.group == api::group::kCluster || kind.group == api::group::kIpam;
}

const api::ResourceInfo& resource_of_kind(std::string_view kind) {
  return *std::ranges::find_if(hooks(), [&](const auto& hook) { return hook.kind->kind == kind; })->kind;
}

json::object webhook(const webhooks::AdmissionHook& hook, std::uint16_t port, const std::string& ca_pem) {
  const bool mutates = hook.path.starts_with("/mutate");
  const auto singular = hook.path.substr(hook.path.rfind('-') + 1);
  return {{"name", fmt::format("{}.{}.{}", mutates ? "default" : "validation", singular, hook.kind->group)},
          {"admissionReviewVersions", {"v1"}},
          {"sideEffects", "None"},
          {"failurePolicy", "Fail"},
          {"matchPolicy", "Equivalent"},
          {"clientConfig",
           {{"url", fmt::format("https://127.0.0.1:{}{}", port, hook.path)},
            {"caBundle", base64_encode(ca_pem)}}},
          {"rules", json::array{json::object{{"apiGroups", {hook.kind->group}},
                                             {"apiVersions", {hook.kind->version}},
                                             {"operations", {"CREATE", "UPDATE"}},
                                             {"resources", {hook.kind->plural}}}}}};
}

// Names and paths are the same in both packages.
std::string configurations(std::uint16_t port, const std::string& ca_pem) {
  json::array mutating;
  json::array validating;
  for (const auto& hook : hooks())
    if (is_upstreams(*hook.kind))
      (hook.path.starts_with("/mutate") ? mutating : validating).push_back(webhook(hook, port, ca_pem));
  const auto configuration = [](std::string_view kind, json::array all) {
    return json::object{{"apiVersion", "admissionregistration.k8s.io/v1"},
                        {"kind", kind},
                        {"metadata", {{"name", "oracle"}}},
                        {"webhooks", std::move(all)}};
  };
  return json::serialize(json::object{
      {"apiVersion", "v1"},
      {"kind", "List"},
      {"items", json::array{configuration("MutatingWebhookConfiguration", std::move(mutating)),
                            configuration("ValidatingWebhookConfiguration", std::move(validating))}}});
}

OddSources sources_of(const fs::path& upstream_crds) {
  OddSources sources{.rules = json::parse(content_of("test/envtest/manifests/admission_rules.json")),
                     .edits = json::parse(content_of("test/envtest/manifests/webhook_edits.json"))};
  for (const auto& [kind, described] : sources.edits.as_object()) {
    const auto& resource = resource_of_kind(kind);
    const auto file = upstream_crds / fmt::format("{}_{}.yaml", resource.group, resource.plural);
    sources.crds.emplace(std::string(kind), api::parse_yaml(content_of(file)).value());
  }
  return sources;
}

// The feature gates of both managers.
class AdmissionOracle : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    ASSERT_NE(std::getenv("CAPSTAN_UPSTREAM"), nullptr)
        << "CAPSTAN_UPSTREAM is not set: run this suite through scripts/envtest --interop";
    const std::string gates = std::string("--feature-gates=") + GetParam();
    auto upstream = UpstreamCore::start({kNoControllers, gates});
    ASSERT_TRUE(upstream) << upstream.error().describe();
    upstream_ = std::move(*upstream);
    sources_ = sources_of(upstream_->crds());
    start_ours(gates);
    if (HasFatalFailure()) return;
    theirs_ = std::make_unique<Side>(upstream_->management());
    ours_ = std::make_unique<Side>(*servers_);
    register_webhooks(*theirs_, upstream_->port());
    register_webhooks(*ours_, port_);
    for (Side* side : {theirs_.get(), ours_.get()}) make_bases(*side);
  }
  void TearDown() override {
    if (HasFailure()) std::fputs(content_of(manager_.log()).c_str(), stderr);
  }

  void start_ours(const std::string& gates) {
    auto servers = RealServers::start();
    ASSERT_TRUE(servers) << servers.error().describe();
    servers_ = std::move(*servers);
    auto folder = ScratchFolder::create();
    ASSERT_TRUE(folder) << folder.error().describe();
    folder_ = std::make_unique<ScratchFolder>(std::move(*folder));
    const auto reserved = ReservedPort::reserve();
    ASSERT_TRUE(reserved) << reserved.error().describe();
    port_ = reserved->number();
    kubectl(*servers_, {"apply", "--server-side", "-f", "config/crd/bases"});
    kubectl(*servers_, {"wait", "--for=condition=Established", "crd", "--all"});
    ASSERT_FALSE(HasFailure());
    auto started = ChildProcess::start(
        {.argv = {fs::read_symlink("/proc/self/exe").parent_path() / "capstan", "--kubeconfig",
                  servers_->kubeconfig_path(), "--health-addr=0", "--diagnostics-address=0", kNoControllers,
                  gates, fmt::format("--webhook-port={}", port_),
                  "--webhook-cert-dir=" + servers_->certificates().string(),
                  "--webhook-cert-name=apiserver.crt", "--webhook-key-name=apiserver.key"}},
        folder_->path() / "capstan.log");
    ASSERT_TRUE(started) << started.error().describe();
    manager_ = std::move(*started);
  }
  // API servers learn of configurations through an informer, and managers take a moment to serve.
  void register_webhooks(Side& side, std::uint16_t port) {
    ASSERT_THAT(kubectl(side.servers(), {"apply", "-f=-"}, configurations(port, side.servers().ca_pem())),
                ::testing::Not(::testing::StartsWith("failed")));
    const OddRequest refused = prepared(
        {.rule = "probe", .kind = "Machine", .body = sources_.edits.at("Machine").at("base")}, "v1.x");
    const auto resource = resource_of_kind("Machine");
    const SystemClock clock;
    SystemThreads threads;
    const Deadline limit = Deadline::in(clock, seconds(60));
    while (!side.send(resource, refused).text.contains("validation.machine.cluster")) {
      ASSERT_FALSE(limit.passed(clock.steady_now())) << side.send(resource, refused).text;
      threads.pause(Deadline::in(clock, milliseconds(200)));
    }
  }
  void make_bases(Side& side) {
    for (const auto& [kind, described] : sources_.edits.as_object()) {
      if (kind == "MachinePool" && std::string_view(GetParam()).contains("MachinePool=false")) continue;
      json::value object = described.at("base");
      name_kind(object, kind);
      ASSERT_THAT(kubectl(side.servers(), {"create", "-f=-"}, json::serialize(object)),
                  ::testing::EndsWith("created\n"));
    }
  }
  static void name_kind(json::value& object, std::string_view kind) {
    object.as_object()["apiVersion"] = resource_of_kind(kind).api_version();
    object.as_object()["kind"] = kind;
  }
  // A new object has a name of its own.
  static OddRequest prepared(OddRequest request, std::string_view version = {}) {
    if (request.way != Way::Create) return request;
    name_kind(request.body, request.kind);
    json::object& metadata = request.body.as_object()["metadata"].as_object();
    if (metadata.contains("name") && metadata["name"] == "x1") metadata["name"] = "fresh";
    if (!version.empty()) request.body.as_object()["spec"].as_object()["version"] = version;
    return request;
  }

  void compare(const OddRequest& given) {
    const OddRequest request = prepared(given);
    const auto& resource = resource_of_kind(request.kind);
    const Answer theirs = theirs_->send(resource, request);
    const Answer ours = ours_->send(resource, request);
    ++asked_;
    if (!theirs.accepts()) ++refused_;
    const bool both_refuse = !theirs.accepts() && !ours.accepts();
    if (theirs == ours || (both_refuse && differs_on_purpose(request)) || ++shown_ > kMostShown) return;
    ADD_FAILURE() << request.rule << " of a " << request.kind << ", " << to_string(request.way)
                  << "\n  theirs " << theirs.code << " " << ::testing::PrintToString(theirs.fields) << " "
                  << theirs.text.substr(0, 400) << "\n  ours   " << ours.code << " "
                  << ::testing::PrintToString(ours.fields) << " " << ours.text.substr(0, 400) << "\n  body   "
                  << json::serialize(request.body).substr(0, 600);
  }

  std::unique_ptr<UpstreamCore> upstream_;
  std::unique_ptr<RealServers> servers_;
  std::unique_ptr<ScratchFolder> folder_;
  ChildProcess manager_;
  std::uint16_t port_ = 0;
  std::unique_ptr<Side> theirs_;
  std::unique_ptr<Side> ours_;
  OddSources sources_;
  std::size_t asked_ = 0;
  std::size_t refused_ = 0;
  std::size_t shown_ = 0;
};

TEST_P(AdmissionOracle, RefusesWhatUpstreamRefusesAtTheSameFields) {
  SeededRandomness chance(kSeed);
  for (const OddRequest& request : requests_of_rules(sources_)) compare(request);
  const std::size_t by_rules = refused_;
  for (const OddRequest& request : requests_of_schemas(sources_, kFurtherFaults, chance)) compare(request);

  EXPECT_GE(refused_, kLeastRefused) << "of " << asked_;
  fmt::print("{} bad manifests, {} refused, {} of these by rules of webhooks\n", asked_, refused_, by_rules);
}

TEST_P(AdmissionOracle, TakesTheOddManifestsThatUpstreamTakes) {
  SeededRandomness chance(kSeed);
  for (const OddRequest& request : random_requests(sources_, kOdd, chance)) compare(request);

  EXPECT_GT(asked_ - refused_, kOdd / 10) << "accepted";
  fmt::print("{} odd manifests, {} refused\n", asked_, refused_);
}

TEST(AdmissionOracleRows, StandInThePageOfDeviations) {
  const std::string page = content_of("docs/deviations.md");
  for (const Deviation& each : kDeviations) EXPECT_THAT(page, ::testing::HasSubstr(each.row)) << each.rule;
}

INSTANTIATE_TEST_SUITE_P(Gates, AdmissionOracle,
                         ::testing::Values("MachinePool=true",
                                           "MachinePool=false,MachineTaintPropagation=true"),
                         [](const auto& row) { return row.index == 0 ? "AsShipped" : "Others"; });

}  // namespace
}  // namespace capstan::envtest
