#include "runtime/informer.h"

#include <gmock/gmock.h>

#include <boost/json.hpp>

#include "api/core/node.h"
#include "apiserver/api.h"
#include "kube/resources.h"
#include "runtime/resync.h"
#include "runtime/triggers.h"
#include "test/fakes/baton.h"
#include "test/fakes/collecting_sink.h"
#include "test/fakes/memory_client.h"

namespace capstan::runtime {

struct Gadget {
  api::ObjectMeta metadata = {};
  std::int32_t size = 0;
};

}  // namespace capstan::runtime

namespace capstan::api {

template <>
inline constexpr ResourceInfo resource<runtime::Gadget> = {
    .group = "test.capstan.dev", .version = "v1", .kind = "Gadget", .plural = "gadgets"};
template <>
inline constexpr auto members<runtime::Gadget> =
    std::array{member<&runtime::Gadget::metadata>("metadata"), member<&runtime::Gadget::size>("size")};

}  // namespace capstan::api

namespace capstan::runtime {
namespace {

using fakes::Baton;
using testing::ElementsAre;
using testing::UnorderedElementsAre;
using namespace std::literals;
namespace json = boost::json;

const kube::Resource kGadgets{
    .group = "test.capstan.dev", .version = "v1", .plural = "gadgets", .kind = "Gadget"};

json::value gadget_crd() {
  return json::parse(R"({
    "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
    "metadata": {"name": "gadgets.test.capstan.dev"},
    "spec": {"group": "test.capstan.dev", "scope": "Namespaced",
      "names": {"plural": "gadgets", "kind": "Gadget", "listKind": "GadgetList"},
      "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {
        "type": "object", "x-kubernetes-preserve-unknown-fields": true}}}]}})");
}

IndexValues by_provider_id(const api::Node& node) { return {node.spec.provider_id}; }

// A server, an informer of its Nodes, and the keys its changes lead to, inside a simulation.
struct InformerFixture {
  Baton& baton;
  apiserver::Api api;
  fakes::MemoryClient client;
  fakes::CollectingSink sink;
  Metrics metrics;
  kube::WatchLoop loop;
  Store<api::Node> store{"Node"};
  IndexId<api::Node> by_id = store.add_index(by_provider_id);
  Queue queue;
  Informer<api::Node> informer;

  explicit InformerFixture(Baton& with)
      : baton(with),
        api({.clock = baton}),
        client(api, baton),
        loop(baton, baton),
        queue(baton, baton, {}),
        informer({.loop = loop, .client = client, .log = Log(sink, baton), .metrics = &metrics},
                 {.resource = kube::resources::nodes()}, store) {
    trigger_self(store, queue);
  }

  void create(std::string_view name, std::string_view provider_id = "") {
    const json::value node = {{"metadata", {{"name", name}}}, {"spec", {{"providerID", provider_id}}}};
    ASSERT_TRUE(
        client.create(kube::resources::nodes(), {"", std::string(name)}, node, {}, Deadline::never()));
  }
  void settle() { baton.pause(Deadline::in(baton, 1s)); }
  std::vector<std::string> queued() {
    std::vector<std::string> names;
    while (const auto taken = queue.take(Deadline::in(baton, 0s))) {
      names.push_back(std::string(to_string(taken->priority)) + " " + taken->key.name);
      queue.finish(taken->key, {});
    }
    return names;
  }
};

void in_simulation(const std::function<void(InformerFixture&)>& body) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    Baton baton({.seed = seed});
    const auto report = baton.run([&] {
      InformerFixture stage(baton);
      body(stage);
    });
    ASSERT_TRUE(report.finished()) << "seed " << seed << ": " << report.why;
  }
}

TEST(Informer, ListsThenFollowsChanges) {
  in_simulation([](InformerFixture& stage) {
    stage.create("a");
    EXPECT_FALSE(stage.store.synced());
    stage.informer.start();
    stage.settle();
    EXPECT_TRUE(stage.store.synced());
    EXPECT_THAT(stage.queued(), ElementsAre("low a"));

    stage.create("b", "sim://b");
    stage.settle();

    EXPECT_THAT(stage.queued(), ElementsAre("normal b"));
    EXPECT_EQ(stage.store.find(stage.by_id, "sim://b").size(), 1U);
  });
}

TEST(Informer, MissesNothingWhileItsWatchHasExpired) {
  in_simulation([](InformerFixture& stage) {
    stage.create("gone");
    stage.create("kept");
    stage.informer.start();
    stage.settle();
    stage.queued();

    stage.api.expire_watches();
    ASSERT_TRUE(stage.client.remove(kube::resources::nodes(), {"", "gone"}, {}, Deadline::never()));
    stage.create("new");
    stage.baton.pause(Deadline::in(stage.baton, 1min));

    EXPECT_THAT(stage.queued(), UnorderedElementsAre("normal gone", "normal new"));
    EXPECT_FALSE(stage.store.get({"", "gone"}));
    EXPECT_TRUE(stage.store.get({"", "kept"}));
  });
}

// The server keeps whatever this kind says; we want a number.
TEST(Informer, AnObjectItCannotReadKeepsItsLastStateAndIsTold) {
  in_simulation([](InformerFixture& stage) {
    ASSERT_TRUE(stage.client.create(kube::resources::custom_resource_definitions(), {}, gadget_crd(), {},
                                    Deadline::never()));
    const auto write = [&](std::string_view name, const json::value& size) {
      const json::value gadget = {{"apiVersion", kGadgets.api_version()},
                                  {"kind", "Gadget"},
                                  {"metadata", {{"name", name}}},
                                  {"size", size}};
      const kube::PatchOptions apply{.type = kube::PatchType::Apply, .field_manager = "test", .force = true};
      ASSERT_TRUE(
          stage.client.patch(kGadgets, {"default", std::string(name)}, gadget, apply, Deadline::never()));
    };
    write("a", 3);
    write("b", 4);
    Store<Gadget> gadgets("Gadget");
    Informer<Gadget> informer({.loop = stage.loop,
                               .client = stage.client,
                               .log = Log(stage.sink, stage.baton),
                               .metrics = &stage.metrics},
                              {.resource = kGadgets}, gadgets);
    informer.start();
    stage.settle();

    write("a", "three");
    write("b", 5);
    stage.settle();

    EXPECT_EQ(gadgets.get({"default", "a"})->size, 3);
    EXPECT_EQ(gadgets.get({"default", "b"})->size, 5) << "the stream goes on";
    ASSERT_EQ(informer.quarantined().size(), 1U);
    EXPECT_EQ(informer.quarantined()[0].key.name, "a");
    EXPECT_EQ(stage.sink.count("can't be read"), 1U);

    stage.api.expire_watches();
    stage.baton.pause(Deadline::in(stage.baton, 1min));
    EXPECT_EQ(gadgets.get({"default", "a"})->size, 3) << "a list that can't read it does not lose it either";
    EXPECT_EQ(gadgets.unreadable({"default", "a"})->problem,
              "Gadget default/a can't be read: size: expected integer, found string \"three\"");

    write("a", 6);
    stage.settle();
    EXPECT_EQ(gadgets.get({"default", "a"})->size, 6);
    EXPECT_TRUE(informer.quarantined().empty());
    EXPECT_FALSE(gadgets.unreadable({"default", "a"}));
  });
}

// A manager that starts while an object can't be read would take it for missing.
TEST(Informer, AnObjectItCannotReadInItsFirstListIsNotMissing) {
  in_simulation([](InformerFixture& stage) {
    ASSERT_TRUE(stage.client.create(kube::resources::custom_resource_definitions(), {}, gadget_crd(), {},
                                    Deadline::never()));
    const json::value owner = {{"apiVersion", "v1"}, {"kind", "Set"}, {"name", "s"}, {"uid", "uid-of-s"}};
    const json::value bad = {
        {"apiVersion", kGadgets.api_version()},
        {"kind", "Gadget"},
        {"metadata",
         {{"name", "a"}, {"labels", {{"shelf", "top"}}}, {"ownerReferences", json::array{owner}}}},
        {"size", "three"}};
    ASSERT_TRUE(stage.client.create(kGadgets, {"default", "a"}, bad, {}, Deadline::never()));
    Store<Gadget> gadgets("Gadget");
    Informer<Gadget> informer(
        {.loop = stage.loop, .client = stage.client, .log = Log(stage.sink, stage.baton)},
        {.resource = kGadgets}, gadgets);

    informer.start();
    stage.settle();
    const auto there = gadgets.unreadable({"default", "a"});
    ASSERT_TRUE(stage.client.remove(kGadgets, {"default", "a"}, {}, Deadline::never()));
    stage.settle();

    EXPECT_TRUE(gadgets.synced());
    ASSERT_TRUE(there);
    EXPECT_EQ(there->problem,
              "Gadget default/a can't be read: size: expected integer, found string \"three\"");
    EXPECT_TRUE(there->metadata_read);
    EXPECT_TRUE(there->may_be_owned_by(api::Uid("uid-of-s")));
    EXPECT_FALSE(there->may_be_owned_by(api::Uid("uid-of-t")));
    EXPECT_EQ(there->labels.value_or_empty("shelf"), "top");
    EXPECT_FALSE(gadgets.unreadable({"default", "a"})) << "it is gone";
  });
}

TEST(Informer, StoppedItLearnsNothingMore) {
  in_simulation([](InformerFixture& stage) {
    stage.informer.start();
    stage.settle();

    stage.informer.stop();
    stage.create("a");
    stage.settle();

    EXPECT_EQ(stage.store.size(), 0U);
  });
}

TEST(Resync, LooksAtEveryObjectOncePerPeriodEvenlySpread) {
  in_simulation([](InformerFixture& stage) {
    for (int i = 0; i < 60; ++i) stage.create("n" + std::to_string(i));
    stage.informer.start();
    stage.settle();
    stage.queued();
    Resync resync(stage.baton, stage.baton, 10min);
    resync.add(stage.store, stage.queue);
    resync.start();

    stage.baton.pause(Deadline::in(stage.baton, 5min + 1s));
    const std::size_t half = stage.queued().size();
    stage.baton.pause(Deadline::in(stage.baton, 5min + 1s));
    const std::size_t rest = stage.queued().size();

    EXPECT_NEAR(static_cast<double>(half), 30, 15);
    EXPECT_EQ(half + rest, 60U);
  });
}

}  // namespace
}  // namespace capstan::runtime
