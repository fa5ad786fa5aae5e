// kube/ against a real kube-apiserver: every verb, what it answers when it refuses, and a watch that is
// renewed.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/json.hpp>
#include <memory>

#include "base/guarded.h"
#include "kube/remote_client.h"
#include "kube/resources.h"
#include "kube/status.h"
#include "kube/test_kinds.h"
#include "kube/typed.h"
#include "kube/watcher.h"
#include "kubeconfig/connect.h"
#include "net/io_pool.h"
#include "test/envtest/real_servers.h"

namespace capstan::kube {
namespace {

using envtest::RealServers;
using std::chrono::seconds;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const Resource kConfigMaps = {.version = "v1", .plural = "configmaps", .kind = "ConfigMap"};

constexpr std::string_view kWidgetCrd = R"(
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Widget, listKind: WidgetList, plural: widgets, singular: widget}
  versions:
  - name: v1
    served: true
    storage: true
    subresources:
      status: {}
      scale: {specReplicasPath: .spec.size, statusReplicasPath: .status.replicas}
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              size: {type: integer, minimum: 0}
              parts:
                type: array
                x-kubernetes-list-type: map
                x-kubernetes-list-map-keys: [name]
                items: {type: object, required: [name], properties: {name: {type: string}, size: {type: integer}}}
              colours: {type: array, x-kubernetes-list-type: set, items: {type: string}}
              notes: {type: array, items: {type: string}}
              origin:
                type: object
                x-kubernetes-map-type: atomic
                properties: {shop: {type: string}, country: {type: string}}
              settings: {type: object, additionalProperties: {type: string}}
          status:
            type: object
            properties:
              phase: {type: string}
              replicas: {type: integer}
              marks: {type: array, items: {type: string}}
)";

const Resource kWidgets = resource_of<Widget>();

// One pair of servers for all tests; each test has a namespace of its own.
class RealApi : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    auto started = RealServers::start({.users = {{.token = "stranger-token", .name = "stranger"}}});
    ASSERT_TRUE(started) << started.error().describe();
    servers_ = std::move(*started);
    io_ = std::make_unique<net::IoPool>();
    client_ = connect(*kubeconfig::load(servers_->kubeconfig_path()));
    const auto applied = servers_->run_kubectl({"apply", "-f", "-"}, std::string(kWidgetCrd));
    ASSERT_TRUE(applied && applied->exit_code == 0) << (applied ? applied->err : applied.error().message);
    const auto served = servers_->run_kubectl(
        {"wait", "--for=condition=Established", "--timeout=60s", "crd/widgets.example.com"});
    ASSERT_TRUE(served && served->exit_code == 0) << (served ? served->err : served.error().message);
  }
  static void TearDownTestSuite() {
    client_.reset();
    io_.reset();
    servers_.reset();
  }

  void SetUp() override {
    ASSERT_NE(client_, nullptr);
    namespace_ = fmt::format("t{}", ++namespaces_);
    const auto made = client_->create(
        resources::namespaces(), {"", namespace_},
        json::parse(fmt::format(R"({{"metadata":{{"name":"{}"}}}})", namespace_)), {}, soon());
    ASSERT_TRUE(made) << made.error().describe();
  }

  static std::unique_ptr<RemoteClient> connect(const Connection& connection) {
    auto client = RemoteClient::make({*io_, threads_, clock_}, connection);
    EXPECT_TRUE(client) << client.error().describe();
    return client ? std::move(*client) : nullptr;
  }
  static Connection token_connection(std::string token) {
    Connection connection;
    connection.server = servers_->url();
    connection.ca_pem = servers_->ca_pem();
    connection.token = Secret(std::move(token));
    return connection;
  }
  static Deadline soon() { return Deadline::in(clock_, seconds(30)); }

  Client& client() { return *client_; }
  ObjectKey key(std::string name) const { return {namespace_, std::move(name)}; }

  json::value config_map(std::string_view name) const {
    return json::parse(
        fmt::format(R"({{"apiVersion":"v1","kind":"ConfigMap","metadata":{{"name":"{}","namespace":"{}"}},)"
                    R"("data":{{"a":"1","b":"2"}}}})",
                    name, namespace_));
  }
  Widget widget(std::string_view name, std::int64_t size = 1) const {
    Widget made;
    made.metadata.name = Text(name);
    made.metadata.namespace_ = Text(namespace_);
    made.spec.size = size;
    return made;
  }
  Widget created(std::string_view name) {
    auto made = create(client(), widget(name), {}, soon());
    EXPECT_TRUE(made) << made.error().describe();
    return made ? *made : Widget();
  }

  static inline std::unique_ptr<RealServers> servers_;
  static inline std::unique_ptr<net::IoPool> io_;
  static inline SystemThreads threads_;
  static inline SystemClock clock_;
  static inline std::unique_ptr<RemoteClient> client_;
  static inline int namespaces_ = 0;
  std::string namespace_;
};

// --- untyped verbs ---

TEST_F(RealApi, CreatesReadsReplacesAndDeletes) {
  const Resource& maps = kConfigMaps;

  const auto made = client().create(maps, key("a"), config_map("a"), {}, soon());
  const auto read = client().get(maps, key("a"), soon());
  json::value changed = read.value();
  changed.at("data").as_object()["a"] = "3";
  const auto replaced = client().replace(maps, key("a"), changed, "", {}, soon());
  const auto stale = client().replace(maps, key("a"), changed, "", {}, soon());
  const auto removed = client().remove(maps, key("a"), {}, soon());
  const auto gone = client().get(maps, key("a"), soon());

  ASSERT_TRUE(made) << made.error().describe();
  json::value known = *read;
  known.at("metadata").as_object().erase("managedFields");
  EXPECT_EQ(known, *made);
  ASSERT_TRUE(replaced) << replaced.error().describe();
  EXPECT_EQ(replaced->at("data").at("a"), json::value("3"));
  EXPECT_EQ(stale.error().code, Code::Conflict);
  EXPECT_TRUE(removed);
  EXPECT_EQ(gone.error().code, Code::NotFound);
  EXPECT_EQ(gone.error().reason, "NotFound");
}

TEST_F(RealApi, RefusalsHaveTheirCodes) {
  const Resource& maps = kConfigMaps;
  ASSERT_TRUE(client().create(maps, key("a"), config_map("a"), {}, soon()));
  json::value bad_label = config_map("b");
  bad_label.at("metadata").as_object()["labels"] = {{"x", "not a label!"}};

  const auto twice = client().create(maps, key("a"), config_map("a"), {}, soon());
  const auto invalid = client().create(maps, key("b"), bad_label, {}, soon());
  const auto homeless =
      client().create(maps, {"nowhere", "a"}, json::parse(R"({"metadata":{"name":"a"}})"), {}, soon());
  const auto stranger = connect(token_connection("stranger-token"))->get(maps, key("a"), soon());
  const auto unknown = connect(token_connection("wrong"))->get(maps, key("a"), soon());
  const auto unserved = client().get({"example.org", "v1", "gadgets", "Gadget", true}, key("a"), soon());
  const auto no_path = client().get_path("/apis/example.org/v1", soon());

  EXPECT_EQ(twice.error().code, Code::AlreadyExists);
  EXPECT_EQ(invalid.error().code, Code::Invalid);
  EXPECT_THAT(invalid.error().causes, Contains(::testing::Field(&Cause::field, "metadata.labels")));
  EXPECT_EQ(homeless.error().code, Code::NotFound);
  EXPECT_EQ(stranger.error().code, Code::Forbidden);
  EXPECT_EQ(unknown.error().code, Code::Unauthorized);
  EXPECT_EQ(unserved.error().code, Code::Unavailable)
      << "a kind that is not served proves nothing about an object";
  EXPECT_EQ(unserved.error().reason, kNotServed);
  EXPECT_EQ(no_path.error().code, Code::NotFound);
}

TEST_F(RealApi, MergePatchesAndDryRuns) {
  const Resource& maps = kConfigMaps;
  ASSERT_TRUE(client().create(maps, key("a"), config_map("a"), {}, soon()));
  const json::value patch = json::parse(R"({"data":{"a":null,"c":"3"}})");

  const auto rehearsed = client().patch(maps, key("a"), patch, {.dry_run = true}, soon());
  const auto untouched = client().get(maps, key("a"), soon());
  const auto patched = client().patch(maps, key("a"), patch, {.field_manager = "me"}, soon());
  const auto read = client().get(maps, key("a"), soon());
  const auto misspelt =
      client().patch(maps, key("a"), json::parse(R"({"dat":{}})"), {.strict_fields = true}, soon());

  EXPECT_EQ(rehearsed->at("data"), json::parse(R"({"b":"2","c":"3"})"));
  EXPECT_EQ(untouched->at("data"), json::parse(R"({"a":"1","b":"2"})"));
  EXPECT_EQ(patched->at("data"), json::parse(R"({"b":"2","c":"3"})"));
  EXPECT_FALSE(patched->at("metadata").as_object().contains("managedFields"))
      << "writers do not look at them";
  EXPECT_THAT(json::serialize(read->at("metadata").at("managedFields")), HasSubstr(R"("manager":"me")"));
  EXPECT_EQ(misspelt.error().code, Code::Invalid);
}

TEST_F(RealApi, DeletesOnlyWhatItIsMeantTo) {
  const Resource& maps = kConfigMaps;
  const auto made = client().create(maps, key("a"), config_map("a"), {}, soon());
  const std::string uid(made->at("metadata").at("uid").as_string());

  const auto other = client().remove(maps, key("a"), {.uid = "another"}, soon());
  const auto rehearsed = client().remove(maps, key("a"), {.uid = uid, .dry_run = true}, soon());
  const auto right =
      client().remove(maps, key("a"), {.uid = uid, .propagation = Propagation::Background}, soon());
  const auto again = client().remove(maps, key("a"), {}, soon());

  EXPECT_EQ(other.error().code, Code::Conflict);
  EXPECT_TRUE(rehearsed);
  EXPECT_TRUE(right) << right.error().describe();
  EXPECT_EQ(again.error().code, Code::NotFound);
}

TEST_F(RealApi, ForegroundDeletionWaitsForTheCollector) {
  const Resource& maps = kConfigMaps;
  ASSERT_TRUE(client().create(maps, key("a"), config_map("a"), {}, soon()));

  const auto removed = client().remove(maps, key("a"), {.propagation = Propagation::Foreground}, soon());
  const auto still = client().get(maps, key("a"), soon());

  ASSERT_TRUE(removed);
  EXPECT_EQ(still->at("metadata").at("finalizers"), json::parse(R"(["foregroundDeletion"])"));
}

TEST_F(RealApi, ListsInPagesOfOneVersion) {
  const Resource& maps = kConfigMaps;
  for (int i = 0; i < 7; ++i) {
    ASSERT_TRUE(
        client().create(maps, key(fmt::format("a{}", i)), config_map(fmt::format("a{}", i)), {}, soon()));
  }

  const auto first = client().list(maps, {.namespace_ = namespace_, .limit = 3}, soon());
  ASSERT_TRUE(client().create(maps, key("late"), config_map("late"), {}, soon()));
  const std::string token(first->at("metadata").at("continue").as_string());
  const auto second =
      client().list(maps, {.namespace_ = namespace_, .limit = 3, .continue_token = token}, soon());
  const auto selected =
      client().list(maps, {.namespace_ = namespace_, .field_selector = "metadata.name in (x)"}, soon());
  const auto garbled = client().list(maps, {.namespace_ = namespace_, .continue_token = "garbage"}, soon());
  const auto all = detail::list_raw(client(), maps, {.namespace_ = namespace_, .limit = 3}, soon());

  EXPECT_EQ(first->at("items").as_array().size(), 3U);
  EXPECT_EQ(second->at("metadata").at("resourceVersion"), first->at("metadata").at("resourceVersion"));
  EXPECT_EQ(selected.error().code, Code::Invalid);
  EXPECT_EQ(garbled.error().code, Code::Invalid);
  EXPECT_EQ(all->items.size(), 8U);
}

TEST_F(RealApi, RawPathsAndReviews) {
  const auto version = client().get_path("/version", soon());
  const auto healthy = client().get_path("/healthz", soon());
  const auto review = client().post_path(
      "/apis/authentication.k8s.io/v1/tokenreviews",
      json::parse(
          R"({"apiVersion":"authentication.k8s.io/v1","kind":"TokenReview","spec":{"token":"stranger-token"}})"),
      soon());

  EXPECT_EQ(version->at("gitVersion"), json::value("v1.36.3"));
  EXPECT_EQ(*healthy, json::value("ok"));
  EXPECT_EQ(review->at("status").at("user").at("username"), json::value("stranger"));
}

TEST_F(RealApi, ImpersonatesWithTheRightsOfTheOther) {
  Connection connection = *kubeconfig::load(servers_->kubeconfig_path());
  connection.impersonate = {.user = "jane", .groups = {"crew"}};

  const auto read = connect(connection)->get(kConfigMaps, key("a"), soon());

  EXPECT_EQ(read.error().code, Code::Forbidden);
  EXPECT_THAT(read.error().message, HasSubstr("jane"));
}

// --- eviction ---

TEST_F(RealApi, EvictsUnlessABudgetForbidsIt) {
  const auto pod = [&](std::string_view name) {
    return json::parse(
        fmt::format(R"({{"apiVersion":"v1","kind":"Pod","metadata":{{"name":"{}","labels":{{"app":"{}"}}}},)"
                    R"("spec":{{"containers":[{{"name":"c","image":"i"}}]}}}})",
                    name, name));
  };
  const json::value running =
      json::parse(R"({"status":{"phase":"Running","conditions":[{"type":"Ready","status":"True"}]}})");
  for (const char* name : {"free", "guarded"}) {
    ASSERT_TRUE(client().create(resources::pods(), key(name), pod(name), {}, soon()));
    ASSERT_TRUE(client().patch(resources::pods(), key(name), running,
                               {.type = PatchType::Strategic, .subresource = "status"}, soon()));
  }
  const auto budget =
      json::parse(R"({"apiVersion":"policy/v1","kind":"PodDisruptionBudget","metadata":{"name":"b"},
                                      "spec":{"minAvailable":1,"selector":{"matchLabels":{"app":"guarded"}}}})");
  ASSERT_TRUE(client().create(resources::pod_disruption_budgets(), key("b"), budget, {}, soon()));

  const auto free = client().evict(key("free"), {.grace_period_seconds = 0}, soon());
  const auto guarded = client().evict(key("guarded"), {}, soon());
  const auto missing = client().evict(key("missing"), {}, soon());

  EXPECT_TRUE(free) << free.error().describe();
  EXPECT_EQ(client().get(resources::pods(), key("free"), soon()).error().code, Code::NotFound);
  EXPECT_EQ(guarded.error().code, Code::RateLimited);
  EXPECT_TRUE(guarded.error().retry_after);
  EXPECT_EQ(missing.error().code, Code::NotFound);
}

// --- typed ---

TEST_F(RealApi, PatchesOfSpecAndStatusGoToTheirHalf) {
  const Widget before = created("a");
  Widget after = before;
  after.spec.size = 5;
  after.status.phase = Text("Running");

  const auto main = patch(client(), before, after, soon());
  const auto status = patch_status(client(), before, after, soon());
  const auto read = get<Widget>(client(), key("a"), soon());

  ASSERT_TRUE(main && *main) << main.error().describe();
  ASSERT_TRUE(status && *status) << status.error().describe();
  EXPECT_EQ((*main)->status.phase, "") << "the main resource does not take a status";
  EXPECT_EQ(read->spec.size, 5);
  EXPECT_EQ(read->status.phase, "Running");
  EXPECT_GT(read->metadata.generation, before.metadata.generation);
}

TEST_F(RealApi, AnArrayIsNotOverwrittenBehindSomebodysBack) {
  const Widget before = created("a");
  Widget first = before;
  first.status.marks = {Text("first")};
  Widget second = before;
  second.status.marks = {Text("second")};

  const auto winner = patch_status(client(), before, first, soon());
  const auto loser = patch_status(client(), before, second, soon());

  ASSERT_TRUE(winner) << winner.error().describe();
  EXPECT_EQ(loser.error().code, Code::Conflict);
}

TEST_F(RealApi, FinalizersAreTestedBeforeTheyAreWritten) {
  const Widget bare = created("a");

  const auto added = add_finalizer(client(), bare, "example.com/one", soon());
  const auto outdated = add_finalizer(client(), bare, "example.com/two", soon());
  const Widget with_one = *get<Widget>(client(), key("a"), soon());
  const auto both = add_finalizer(client(), with_one, "example.com/two", soon());
  const auto removed_stale = remove_finalizer(client(), with_one, "example.com/one", soon());
  const Widget with_both = *get<Widget>(client(), key("a"), soon());
  const auto removed = remove_finalizer(client(), with_both, "example.com/one", soon());
  const Widget with_two = *get<Widget>(client(), key("a"), soon());
  const auto last = remove_finalizer(client(), with_two, "example.com/two", soon());

  ASSERT_TRUE(added) << added.error().describe();
  EXPECT_EQ(outdated.error().code, Code::Conflict)
      << "the first finalizer must not be overwritten by the second";
  ASSERT_TRUE(both) << both.error().describe();
  EXPECT_EQ(removed_stale.error().code, Code::Conflict);
  ASSERT_TRUE(removed) << removed.error().describe();
  ASSERT_TRUE(last) << last.error().describe();
  EXPECT_TRUE((*last)->metadata.finalizers.get().empty());
}

TEST_F(RealApi, ADeletedObjectWaitsForItsFinalizer) {
  const auto held = add_finalizer(client(), created("a"), "example.com/one", soon());

  ASSERT_TRUE(remove<Widget>(client(), key("a"), {}, soon()));
  const auto waiting = get<Widget>(client(), key("a"), soon());
  const auto released = remove_finalizer(client(), *waiting, "example.com/one", soon());
  const auto gone = get<Widget>(client(), key("a"), soon());

  EXPECT_TRUE(waiting->metadata.deleting());
  EXPECT_TRUE(released) << released.error().describe();
  EXPECT_EQ(gone.error().code, Code::NotFound);
}

TEST_F(RealApi, ScaleIsASubresource) {
  created("a");
  const std::string path = *object_path(kWidgets, key("a"), "scale");

  const auto scaled = client().patch(kWidgets, key("a"), json::parse(R"({"spec":{"replicas":4}})"),
                                     {.subresource = "scale"}, soon());
  const auto scale = client().get_path(path, soon());

  ASSERT_TRUE(scaled) << scaled.error().describe();
  EXPECT_EQ(scale->at("spec").at("replicas"), json::value(4));
  EXPECT_EQ(get<Widget>(client(), key("a"), soon())->spec.size, 4);
}

// --- server-side apply ---

Widget rich(Widget wanted) {
  wanted.metadata.labels.set("example.com/colour", "red");
  wanted.metadata.annotations.set("note", "x");
  wanted.metadata.finalizers = api::Finalizers({Text("example.com/keep")});
  wanted.spec.parts = {{.name = Text("p"), .size = 1}, {.name = Text("q"), .size = 2}};
  wanted.spec.colours = {Text("red"), Text("green")};
  wanted.spec.notes = {Text("n")};
  wanted.spec.origin = WidgetOrigin{.shop = Text("s"), .country = Text("c")};
  wanted.spec.settings.set("a.b/c", "d");
  return wanted;
}

TEST_F(RealApi, AnApplyIsSentOnceAndAgainOnlyAfterADrift) {
  const Widget wanted = rich(widget("a"));

  const auto made = apply<Widget>(client(), wanted, nullptr, "capi-test", soon());
  ASSERT_TRUE(made && *made) << made.error().describe();
  const Widget known = *get<Widget>(client(), key("a"), soon());
  const auto silent = apply<Widget>(client(), wanted, &known, "capi-test", soon());
  ASSERT_TRUE(client().patch(kWidgets, key("a"),
                             json::parse(R"({"metadata":{"labels":{"other":"1"}},"spec":{"size":9}})"),
                             {.field_manager = "human"}, soon()));
  const Widget drifted = *get<Widget>(client(), key("a"), soon());
  const auto healed = apply<Widget>(client(), wanted, &drifted, "capi-test", soon());
  ASSERT_TRUE(healed && *healed) << healed.error().describe();
  const Widget well = *get<Widget>(client(), key("a"), soon());
  const auto silent_again = apply<Widget>(client(), wanted, &well, "capi-test", soon());

  EXPECT_FALSE(silent->has_value()) << "claims differ from what the server noted";
  EXPECT_EQ((*healed)->metadata.resource_version, well.metadata.resource_version);
  EXPECT_EQ(well.spec.size, 1);
  EXPECT_TRUE(well.metadata.labels.contains("other")) << "others keep their labels";
  EXPECT_FALSE(silent_again->has_value());
}

TEST_F(RealApi, AFieldThatLeavesTheIntentIsRemoved) {
  const auto made = apply<Widget>(client(), rich(widget("a")), nullptr, "capi-test", soon());
  ASSERT_TRUE(made && *made) << made.error().describe();
  const Widget before = *get<Widget>(client(), key("a"), soon());
  Widget less = rich(widget("a"));
  less.metadata.labels = {};
  less.spec.parts.pop_back();
  less.spec.colours.pop_back();

  const auto applied = apply<Widget>(client(), less, &before, "capi-test", soon());

  ASSERT_TRUE(applied && *applied) << applied.error().describe();
  const Widget known = *get<Widget>(client(), key("a"), soon());
  EXPECT_TRUE(known.metadata.labels.empty());
  EXPECT_EQ(known.spec.parts.size(), 1U);
  EXPECT_EQ(known.spec.colours.size(), 1U);
  EXPECT_FALSE(apply<Widget>(client(), less, &known, "capi-test", soon())->has_value());
}

TEST_F(RealApi, AnApplyToAVanishedObjectIsAConflict) {
  const auto made = apply<Widget>(client(), widget("a"), nullptr, "capi-test", soon());
  ASSERT_TRUE(made && *made) << made.error().describe();
  const Widget known = *get<Widget>(client(), key("a"), soon());
  ASSERT_TRUE(remove<Widget>(client(), key("a"), {}, soon()));
  Widget changed = widget("a", 7);

  const auto applied = apply<Widget>(client(), changed, &known, "capi-test", soon());

  EXPECT_EQ(applied.error().code, Code::Conflict);
}

TEST_F(RealApi, AnApplyWithoutForceRespectsOtherManagers) {
  const json::value intent = json::parse(fmt::format(
      R"({{"apiVersion":"example.com/v1","kind":"Widget","metadata":{{"name":"a","namespace":"{}"}},"spec":{{"size":2}}}})",
      namespace_));
  json::value other = intent;
  other.at("spec").as_object()["size"] = 3;
  PatchOptions options{.type = PatchType::Apply, .field_manager = "one"};
  ASSERT_TRUE(client().patch(kWidgets, key("a"), intent, options, soon()));

  options.field_manager = "two";
  const auto polite = client().patch(kWidgets, key("a"), other, options, soon());
  options.force = true;
  const auto forced = client().patch(kWidgets, key("a"), other, options, soon());

  EXPECT_EQ(polite.error().code, Code::Conflict);
  EXPECT_THAT(polite.error().causes, Contains(::testing::Field(&Cause::field, ".spec.size")));
  EXPECT_TRUE(forced) << forced.error().describe();
}

// --- watching ---

class Diary final : public WatchHandler<Widget> {
 public:
  void on_init_start() override { note("start"); }
  void on_item(Widget&& widget) override { note("item " + key_of(widget).name); }
  void on_init_done(const InitDone&) override { note("done"); }
  void on_apply(Widget&& widget) override {
    note(fmt::format("apply {} {}", key_of(widget).name, widget.spec.size));
  }
  void on_delete(Widget&& widget) override { note("delete " + key_of(widget).name); }
  void on_quarantine(const Quarantine& quarantine) override {
    note("quarantine " + quarantine.error.message);
  }
  void on_trouble(const Error& error) override { note("trouble " + error.describe()); }

  bool wait_for(std::string_view line) {
    return SystemThreads().wait_until(changed_, Deadline::in(SystemClock(), seconds(30)), [&] {
      return std::ranges::count(lines(), line) > 0;
    }) == Woken::Notified;
  }
  std::vector<std::string> lines() const {
    return lines_.with([](const auto& lines) { return lines; });
  }

 private:
  void note(std::string line) {
    lines_.with([&](auto& lines) { lines.push_back(std::move(line)); });
    changed_.notify();
  }
  Guarded<std::vector<std::string>> lines_;
  Signal changed_;
};

TEST_F(RealApi, AWatchIsRenewedFromItsVersionWithoutAnotherList) {
  created("before");
  Diary diary;
  WatchLoop loop(threads_, clock_);
  Watcher<Widget> watcher(loop, client(), {.resource = kWidgets, .namespace_ = namespace_}, diary, 1,
                          {.page_size = 1, .shortest_watch = seconds(1), .longest_watch = seconds(1)});
  watcher.start();
  ASSERT_TRUE(diary.wait_for("done"));

  created("during");
  const bool during = diary.wait_for("apply during 1");
  // The server ends a watch after a second; the third one proves two renewals.
  for (const Deadline patience = soon();
       watcher.progress().watches < 3 && !patience.passed(clock_.steady_now());) {
    ASSERT_TRUE(get<Widget>(client(), key("during"), soon()));
  }
  ASSERT_TRUE(remove<Widget>(client(), key("before"), {}, soon()));
  const bool deleted = diary.wait_for("delete before");
  const WatchProgress progress = watcher.progress();
  watcher.stop();

  EXPECT_TRUE(during);
  EXPECT_TRUE(deleted);
  EXPECT_EQ(progress.lists, 1U);
  EXPECT_GE(progress.watches, 3U);
  const auto lines = diary.lines();
  EXPECT_THAT(std::vector<std::string>(lines.begin(), lines.begin() + 3),
              ElementsAre("start", "item before", "done"));
}

class EndOnly final : public StreamSink {
 public:
  void on_bytes(std::string_view bytes) override {
    bytes_.with([&](std::string& all) { all += bytes; });
  }
  void on_end(Result<void> outcome) override {
    end_.with([&](auto& end) { end = std::move(outcome); });
    changed_.notify();
  }
  std::string await() {
    SystemThreads().wait_until(changed_, Deadline::in(SystemClock(), seconds(30)),
                               [&] { return end_.with([](const auto& end) { return end.has_value(); }); });
    const auto end =
        end_.with([](const auto& ended) { return ended.value_or(fail(Code::Internal, "no end came")); });
    return end ? bytes_.with([](const std::string& all) { return all; }) : end.error().describe();
  }

 private:
  Guarded<std::string> bytes_;
  Guarded<std::optional<Result<void>>> end_;
  Signal changed_;
};

TEST_F(RealApi, AVersionThatIsTooOldIsGone) {
  EndOnly sink;

  const auto stream = client().watch(
      kWidgets, {.namespace_ = namespace_, .resource_version = "1", .timeout_seconds = 5}, sink);

  EXPECT_THAT(sink.await(), HasSubstr("too old resource version"));
}

TEST_F(RealApi, ARefusedWatchSaysWhy) {
  EndOnly sink;
  const auto stranger = connect(token_connection("stranger-token"));

  const auto stream = stranger->watch(kWidgets, {.namespace_ = namespace_}, sink);

  EXPECT_THAT(sink.await(), HasSubstr("Forbidden"));
}

}  // namespace
}  // namespace capstan::kube
