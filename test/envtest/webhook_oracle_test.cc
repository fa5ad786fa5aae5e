// Upstream's core as the oracle of our admission webhooks: the same reviews to both, the same defaults,
// verdict and fields from both. Edits come from test/envtest/manifests/webhook_edits.json, one at a time and
// several together. What differs on purpose is taken out here, and stands in docs/deviations.md.
// scripts/envtest builds upstream's core and names it in CAPSTAN_UPSTREAM.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <httplib.h>

#include <algorithm>
#include <boost/json.hpp>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/base64.h"
#include "base/randomness.h"
#include "base/threads.h"
#include "kube/json_patch.h"
#include "test/envtest/kubectl.h"
#include "test/envtest/pki.h"
#include "test/envtest/real_servers.h"
#include "test/envtest/reserved_port.h"
#include "test/envtest/scratch_folder.h"
#include "webhooks/admission_kinds.h"

namespace capstan::envtest {
namespace {

namespace fs = std::filesystem;
namespace json = boost::json;
using std::chrono::seconds;

constexpr std::string_view kAbsent = "(absent)";
constexpr std::size_t kTogether = 600;  // reviews with several edits
constexpr std::size_t kLeastRefused = 300;
constexpr std::size_t kMostPrinted = 20;

struct Review {
  std::string kind = {};
  json::value now = {};
  json::value before = {};  // null: a creation
};

// What both have to agree on: the words of a cause may be others.
struct Verdict {
  bool allowed = false;
  std::int64_t code = 0;
  std::set<std::string> causes = {};  // "spec.version: Invalid value"
  std::string patch = {};

  bool operator==(const Verdict& other) const {
    return allowed == other.allowed && code == other.code && causes == other.causes;
  }
  friend void PrintTo(const Verdict& verdict, std::ostream* out) {
    *out << (verdict.allowed ? "allowed" : "refused") << " with " << verdict.code;
    for (const auto& cause : verdict.causes) *out << "; " << cause;
  }
};

json::value edited(json::value object, std::string_view pointer, const json::value& value) {
  auto* at = &object;
  for (auto slash = pointer.find('/', 1); slash != std::string_view::npos; slash = pointer.find('/', 1)) {
    auto& next = at->as_object()[pointer.substr(1, slash - 1)];
    if (!next.is_object()) next = json::object();
    at = &next;
    pointer.remove_prefix(slash);
  }
  const auto last = pointer.substr(1);
  if (value.is_string() && value.get_string() == kAbsent)
    at->as_object().erase(last);
  else
    at->as_object()[last] = value;
  return object;
}

// Without what is empty: an object that is not sent and {} mean one thing.
json::value pruned(const json::value& value) {
  if (const auto* list = value.if_array()) {
    json::array kept;
    for (const auto& element : *list) kept.push_back(pruned(element));
    return kept;
  }
  const auto* object = value.if_object();
  if (object == nullptr) return value;
  json::object kept;
  for (const auto& [name, member] : *object) {
    auto inner = pruned(member);
    const bool empty = inner.is_null() || (inner.is_object() && inner.get_object().empty()) ||
                       (inner.is_array() && inner.get_array().empty());
    if (!empty) kept[name] = std::move(inner);
  }
  return kept;
}

const json::value* find(const json::value& object, std::string_view pointer) {
  json::error_code none;
  return object.find_pointer(pointer, none);
}

// A port that was free a moment ago: upstream's core has no flag for "any".
int free_port() {
  const auto reserved = ReservedPort::reserve();
  EXPECT_TRUE(reserved) << reserved.error().describe();
  return reserved ? reserved->number() : 0;
}

class Oracle : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    const char* folder = std::getenv("CAPSTAN_UPSTREAM");
    if (folder == nullptr || *folder == '\0') return;
    edits_ = json::parse(content_of("test/envtest/manifests/webhook_edits.json"));
    auto started = RealServers::start();
    ASSERT_TRUE(started) << started.error().describe();
    servers_ = std::move(*started);
    auto scratch = ScratchFolder::create();
    ASSERT_TRUE(scratch) << scratch.error().describe();
    folder_ = std::make_unique<ScratchFolder>(std::move(*scratch));
    kubectl(*servers_, {"apply", "--server-side", "-f", fs::path(folder) / "crds"});
    kubectl(*servers_, {"wait", "--for=condition=Established", "crd", "--all"});
    ASSERT_FALSE(HasFailure());
    start_upstream(folder);
  }
  static void TearDownTestSuite() {
    upstream_.kill();
    client_.reset();
    folder_.reset();
    servers_.reset();
  }
  void SetUp() override {
    ASSERT_NE(std::getenv("CAPSTAN_UPSTREAM"), nullptr)
        << "CAPSTAN_UPSTREAM is not set: run this suite through scripts/envtest --interop";
    ASSERT_TRUE(answers_) << content_of(upstream_.log());
  }

  static void start_upstream(const fs::path& core) {
    const auto pki = Pki::create(folder_->path() / "pki");
    ASSERT_TRUE(pki) << pki.error().describe();
    const auto certificate = pki->issue_server("webhooks");
    ASSERT_TRUE(certificate) << certificate.error().describe();
    const int port = free_port();
    auto child = ChildProcess::start(
        {.argv = {core / "core", "--kubeconfig", servers_->kubeconfig_path(), "--health-addr=127.0.0.1:0",
                  "--diagnostics-address=0", fmt::format("--webhook-port={}", port),
                  "--webhook-cert-dir=" + certificate->certificate.parent_path().string(),
                  "--webhook-cert-name=" + certificate->certificate.filename().string(),
                  "--webhook-key-name=" + certificate->key.filename().string()}},
        folder_->path() / "core.log");
    ASSERT_TRUE(child) << child.error().describe();
    upstream_ = std::move(*child);
    client_ = std::make_unique<httplib::SSLClient>("127.0.0.1", port);
    client_->set_ca_cert_path(pki->ca().certificate.c_str());
    client_->set_keep_alive(true);
    answers_ = becomes_ready();
  }
  static bool becomes_ready() {
    const SystemClock clock;
    SystemThreads threads;
    for (const Deadline patience = Deadline::in(clock, seconds(60)); !patience.passed(clock.steady_now());) {
      if (client_->Post("/validate-cluster-x-k8s-io-v1beta2-machine", "{}", "application/json")) return true;
      threads.pause(Deadline::in(clock, std::chrono::milliseconds(100)));
    }
    return false;
  }

  // ---- one question, two answers

  static const webhooks::AdmissionHook* hook(std::string_view verb, std::string_view kind) {
    static const auto hooks = webhooks::admission_hooks();
    const auto found = std::ranges::find_if(hooks, [&](const auto& one) {
      return one.kind->kind == kind && one.path.starts_with(fmt::format("/{}-", verb));
    });
    return found == hooks.end() ? nullptr : &*found;
  }
  static std::string group_of(std::string_view kind) {
    return std::string(hook("validate", kind)->kind->group);
  }
  static std::string text_of(const Review& review) {
    const json::object kind{{"group", group_of(review.kind)}, {"version", "v1beta2"}, {"kind", review.kind}};
    return json::serialize(json::object{{"kind", "AdmissionReview"},
                                        {"apiVersion", "admission.k8s.io/v1"},
                                        {"request",
                                         {{"uid", "u1"},
                                          {"kind", kind},
                                          {"requestKind", kind},
                                          {"operation", review.before.is_null() ? "CREATE" : "UPDATE"},
                                          {"object", review.now},
                                          {"oldObject", review.before},
                                          {"dryRun", false}}}});
  }
  static Verdict verdict_in(std::string_view answer) {
    const auto document = json::parse(answer);
    const auto& response = document.at("response");
    Verdict verdict{.allowed = response.at("allowed").as_bool()};
    if (const auto* code = find(response, "/status/code")) verdict.code = code->as_int64();
    if (const auto* causes = find(response, "/status/details/causes")) {
      for (const auto& cause : causes->as_array()) {
        const std::string message(cause.at("message").as_string());
        verdict.causes.insert(fmt::format("{}: {}", std::string(cause.at("field").as_string()),
                                          message.substr(0, message.find(':'))));
      }
    }
    if (const auto* patch = find(response, "/patch"))
      verdict.patch = base64_decode(std::string_view(patch->as_string())).value();
    return verdict;
  }
  static Verdict upstreams(const webhooks::AdmissionHook& hook, const std::string& review) {
    const auto answer = client_->Post(hook.path, review, "application/json");
    if (answer && answer->status == 200) return verdict_in(answer->body);
    ADD_FAILURE() << hook.path << ": " << httplib::to_string(answer.error());
    return {};
  }
  static json::value patched(json::value object, const Verdict& verdict) {
    if (!verdict.patch.empty()) {
      EXPECT_TRUE(kube::apply_json_patch(object, json::parse(verdict.patch)));
    }
    return object;
  }

  // ---- what differs on purpose (docs/deviations.md, Webhooks)

  static bool keeps_replicas(const Review& review) {
    return !review.before.is_null() && find(review.now, "/spec/replicas") == nullptr;
  }
  static json::value without_replicas(json::value object) {
    object.at("spec").as_object().erase("replicas");
    return object;
  }
  static void forget_stored_topology(const Review& review, Verdict& verdict) {
    const auto* now = find(review.now, "/spec/topology");
    const auto* before = review.before.is_null() ? nullptr : find(review.before, "/spec/topology");
    if (now == nullptr || before == nullptr || *now != *before) return;
    verdict.causes.erase("spec.topology: Forbidden");
    if (verdict.code == 422 && verdict.causes.empty()) verdict = {.allowed = true, .code = 200};
  }

  // As an API server does it: defaults first, then the rules about what came of them.
  void compare(Review review) {
    review.now.as_object()["apiVersion"] = group_of(review.kind) + "/v1beta2";
    review.now.as_object()["kind"] = review.kind;
    if (const auto* defaulting = hook("mutate", review.kind)) {
      const auto text = text_of(review);
      const auto theirs = upstreams(*defaulting, text);
      const auto ours = verdict_in(webhooks::answer_review(*defaulting, text, {}));
      if (!agree(defaulting->path, review, theirs, ours) || !theirs.allowed) return;
      const bool kept = keeps_replicas(review);
      const auto by_them = patched(review.now, theirs);
      review.now = patched(review.now, ours);
      const auto& by_us = review.now;
      if (pruned(kept ? without_replicas(by_them) : by_them) !=
          pruned(kept ? without_replicas(by_us) : by_us))
        add_failure(defaulting->path, review,
                    fmt::format("theirs {}\n  ours   {}", theirs.patch, ours.patch));
    }
    const auto* validation = hook("validate", review.kind);
    const auto text = text_of(review);
    auto theirs = upstreams(*validation, text);
    forget_stored_topology(review, theirs);
    agree(validation->path, review, theirs, verdict_in(webhooks::answer_review(*validation, text, {})));
  }
  bool agree(const std::string& path, const Review& review, const Verdict& theirs, const Verdict& ours) {
    ++asked_;
    if (!theirs.allowed) ++refused_;
    if (theirs == ours) return true;
    add_failure(path, review,
                fmt::format("theirs {}\n  ours   {}", ::testing::PrintToString(theirs),
                            ::testing::PrintToString(ours)));
    return false;
  }
  void add_failure(const std::string& path, const Review& review, const std::string& how) {
    if (++printed_ <= kMostPrinted)
      ADD_FAILURE() << path << "\n  " << how << "\n  of " << json::serialize(review.now) << "\n  before "
                    << json::serialize(review.before);
  }

  static inline std::unique_ptr<RealServers> servers_;
  static inline std::unique_ptr<ScratchFolder> folder_;
  static inline ChildProcess upstream_;
  static inline std::unique_ptr<httplib::SSLClient> client_;
  static inline json::value edits_;
  static inline bool answers_ = false;
  std::size_t asked_ = 0;
  std::size_t refused_ = 0;
  std::size_t printed_ = 0;
};

TEST_F(Oracle, AgreesOnEachEditOfEveryKind) {
  for (const auto& [kind, described] : edits_.as_object()) {
    const auto& base = described.at("base");
    for (const auto& [pointer, values] : described.at("edits").as_object()) {
      for (const auto& value : values.as_array()) {
        const auto odd = edited(base, pointer, value);
        compare({.kind = std::string(kind), .now = odd});
        compare({.kind = std::string(kind), .now = odd, .before = base});
        compare({.kind = std::string(kind), .now = base, .before = odd});
      }
    }
  }

  EXPECT_GE(refused_, kLeastRefused) << "of " << asked_;
  fmt::print("{} answers compared, {} of them refusals\n", asked_, refused_);
}

TEST_F(Oracle, AgreesOnSeveralEditsAtOnce) {
  SeededRandomness chance(2025);
  const auto& kinds = edits_.as_object();
  const auto any = [&](const auto& all) {
    return *std::next(all.begin(), static_cast<std::ptrdiff_t>(chance.next() % all.size()));
  };
  const auto odd = [&](const json::value& described, std::size_t edits) {
    auto object = described.at("base");
    for (std::size_t i = 0; i < edits; ++i) {
      const auto edit = any(described.at("edits").as_object());
      object = edited(std::move(object), edit.key(), any(edit.value().as_array()));
    }
    return object;
  };

  for (std::size_t i = 0; i < kTogether; ++i) {
    const auto kind = any(kinds);
    Review review{.kind = std::string(kind.key()), .now = odd(kind.value(), 1 + chance.next() % 4)};
    if (chance.next() % 2 == 0) review.before = odd(kind.value(), 2);
    compare(std::move(review));
  }

  EXPECT_GE(refused_, kLeastRefused) << "of " << asked_;
  fmt::print("{} answers compared, {} of them refusals\n", asked_, refused_);
}

}  // namespace
}  // namespace capstan::envtest
