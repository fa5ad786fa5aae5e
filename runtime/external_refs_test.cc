#include "runtime/external_refs.h"

#include <gmock/gmock.h>

#include <boost/json.hpp>

#include "api/contract/infra_machine.h"
#include "apiserver/api.h"
#include "kube/resources.h"
#include "test/fakes/baton.h"
#include "test/fakes/memory_client.h"

namespace capstan::runtime {
namespace {

using fakes::Baton;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::UnorderedElementsAre;
using namespace std::literals;
namespace json = boost::json;

constexpr std::string_view kGroup = "infrastructure.cluster.x-k8s.io";
const kube::Resource& kCrds = kube::resources::custom_resource_definitions();

json::value crd(json::object labels) {
  const json::value schema = {
      {"openAPIV3Schema", {{"type", "object"}, {"x-kubernetes-preserve-unknown-fields", true}}}};
  const auto version = [&](std::string_view name, bool storage) {
    return json::object{{"name", name}, {"served", true}, {"storage", storage}, {"schema", schema}};
  };
  return {{"apiVersion", "apiextensions.k8s.io/v1"},
          {"kind", "CustomResourceDefinition"},
          {"metadata", {{"name", "boxes.infrastructure.cluster.x-k8s.io"}, {"labels", std::move(labels)}}},
          {"spec",
           {{"group", kGroup},
            {"scope", "Namespaced"},
            {"names", {{"plural", "boxes"}, {"kind", "Box"}, {"listKind", "BoxList"}}},
            {"versions", json::array{version("v1beta1", false), version("v1beta2", true)}}}}};
}

// A server whose provider has one kind, the CRD cache, and the references of Machines to that kind.
struct ExternalRefsFixture {
  Baton& baton;
  apiserver::Api api;
  fakes::MemoryClient client;
  kube::WatchLoop loop;
  Store<api::CustomResourceDefinition> crds{"CustomResourceDefinition"};
  Queue queue;
  Informer<api::CustomResourceDefinition> crd_informer;
  DynamicInformers informers;
  ExternalRefs refs;

  explicit ExternalRefsFixture(Baton& with)
      : baton(with),
        api({.clock = baton}),
        client(api, baton),
        loop(baton, baton),
        queue(baton, baton, {}),
        crd_informer({.loop = loop, .client = client}, {.resource = kCrds}, crds),
        informers({.loop = loop, .client = client}),
        refs(informers, crds, {.group = "cluster.x-k8s.io", .kind = "Machine", .referrers = referrers},
             queue) {}

  // Machine "waiting" names Box "b".
  static std::vector<ObjectKey> referrers(const kube::Resource& resource, const ObjectKey& key) {
    if (resource.kind != "Box" || key.name != "b") return {};
    return {{key.namespace_, "waiting"}};
  }

  void install(json::object labels) {
    ASSERT_TRUE(client.create(kCrds, {}, crd(std::move(labels)), {}, Deadline::never()));
  }
  void start() {
    crd_informer.start();
    settle();
  }
  void settle() { baton.pause(Deadline::in(baton, 2s)); }
  void make_box(std::string_view name, std::string_view owner) {
    const kube::Resource boxes{
        .group = std::string(kGroup), .version = "v1beta2", .plural = "boxes", .kind = "Box"};
    const json::value box = {
        {"apiVersion", boxes.api_version()},
        {"kind", "Box"},
        {"metadata",
         {{"name", name},
          {"ownerReferences", json::array{{{"apiVersion", "cluster.x-k8s.io/v1beta1"},
                                           {"kind", "Machine"},
                                           {"name", owner},
                                           {"uid", "11111111-1111-4111-8111-111111111111"}}}}}},
        {"spec", {{"providerID", "sim://1"}}},
        {"status",
         {{"initialization", {{"provisioned", true}}},
          {"conditions", json::array{{{"type", "Paused"}}, {{"type", "Ready"}}}}}}};
    ASSERT_TRUE(client.create(boxes, {"default", std::string(name)}, box, {}, Deadline::never()));
  }
  Result<External> get(std::string_view name) {
    return refs.get({.api_group = Text(kGroup), .kind = "Box"_text, .name = Text(name)}, "default");
  }
  std::vector<std::string> queued() {
    std::vector<std::string> names;
    while (const auto taken = queue.take(Deadline::in(baton, 0s))) {
      names.push_back(taken->key.name);
      queue.finish(taken->key, {});
    }
    return names;
  }
};

const json::object kBothContracts = {{"cluster.x-k8s.io/v1beta1", "v1beta1"},
                                     {"cluster.x-k8s.io/v1beta2", "v1beta2"}};

kube::Resource boxes(const std::string& version) {
  return {.group = std::string(kGroup), .version = version, .plural = "boxes", .kind = "Box"};
}

void in_simulation(const std::function<void(ExternalRefsFixture&)>& body) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    Baton baton({.seed = seed});
    const auto report = baton.run([&] {
      ExternalRefsFixture stage(baton);
      body(stage);
    });
    ASSERT_TRUE(report.finished()) << "seed " << seed << ": " << report.why;
  }
}

TEST(ExternalRefs, ReadsFromACacheThatIsWatchedFromTheFirstUse) {
  in_simulation([](ExternalRefsFixture& stage) {
    stage.install(kBothContracts);
    stage.make_box("b", "m");
    stage.start();

    const auto first = stage.get("b");
    stage.settle();
    const auto second = stage.get("b");

    ASSERT_FALSE(first);
    EXPECT_EQ(first.error().code, Code::Unavailable);
    EXPECT_EQ(first.error().retry_after, 1s);
    ASSERT_TRUE(second) << second.error().describe();
    ASSERT_TRUE(second->object);
    EXPECT_EQ(second->resource.api_version(), "infrastructure.cluster.x-k8s.io/v1beta2");
    const api::contract::InfraMachine box(api::contract::Foreign(*second->object), second->contract);
    EXPECT_TRUE(*box.provisioned());
  });
}

// "It does not exist" would have its owner fail, or make another one.
TEST(ExternalRefs, AnObjectThatCannotBeDecodedIsNeitherThereNorMissing) {
  in_simulation([](ExternalRefsFixture& stage) {
    const kube::Resource boxes{
        .group = std::string(kGroup), .version = "v1beta2", .plural = "boxes", .kind = "Box"};
    stage.install(kBothContracts);
    for (const auto* name : {"garbled", "known"}) stage.make_box(name, "m");
    const auto garble = [&](std::string_view name) {
      ASSERT_TRUE(stage.client.patch(boxes, {"default", std::string(name)}, {{"spec", "as you like it"}}, {},
                                     Deadline::never()));
    };
    garble("garbled");
    stage.start();
    (void)stage.get("garbled");
    stage.settle();
    garble("known");
    stage.settle();

    const auto garbled = stage.get("garbled");
    const auto known = stage.get("known");
    const auto missing = stage.get("missing");

    ASSERT_FALSE(garbled);
    EXPECT_EQ(garbled.error().reason, kUnreadable);
    EXPECT_EQ(garbled.error().message,
              "Box default/garbled can't be read: spec: expected object, found string "
              "\"as you like it\"");
    EXPECT_FALSE(garbled.error().retry_after);
    ASSERT_TRUE(known && known->object) << "an earlier state of it is known";
    EXPECT_THAT(known->unreadable, HasSubstr("Box default/known can't be read: spec"));
    ASSERT_TRUE(missing);
    EXPECT_FALSE(missing->object);
  });
}

TEST(ExternalRefs, TheCacheKeepsOnlyConditionsThatAreRead) {
  in_simulation([](ExternalRefsFixture& stage) {
    stage.install(kBothContracts);
    stage.make_box("listed", "m");
    stage.start();
    (void)stage.get("listed");
    stage.settle();
    stage.make_box("watched", "m");
    stage.settle();

    for (const auto* name : {"listed", "watched"}) {
      const auto box = stage.get(name);
      ASSERT_TRUE(box && box->object) << name;
      EXPECT_EQ(box->object->status.find("conditions").text(), R"([{"type":"Ready"}])") << name;
    }
  });
}

TEST(ExternalRefs, AnObjectThatIsNotThereIsKnownNotToBe) {
  in_simulation([](ExternalRefsFixture& stage) {
    stage.install(kBothContracts);
    stage.start();
    (void)stage.get("b");
    stage.settle();

    const auto found = stage.get("b");

    ASSERT_TRUE(found) << found.error().describe();
    EXPECT_FALSE(found->object);
  });
}

TEST(ExternalRefs, ChangesLeadToTheOwnerWhateverItsApiVersion) {
  in_simulation([](ExternalRefsFixture& stage) {
    stage.install(kBothContracts);
    stage.start();
    (void)stage.get("b");
    stage.settle();

    stage.make_box("c", "m");
    stage.make_box("d", "n");
    stage.settle();

    EXPECT_THAT(stage.queued(), UnorderedElementsAre("m", "n"));
  });
}

TEST(ExternalRefs, ChangesLeadToWhoRefersToTheObjectWithoutOwningIt) {
  in_simulation([](ExternalRefsFixture& stage) {
    stage.install(kBothContracts);
    stage.make_box("b", "waiting");
    stage.start();
    (void)stage.get("b");
    stage.settle();
    (void)stage.queued();
    const kube::Resource box = stage.get("b")->resource;
    const json::value nobodys = {{"metadata", {{"ownerReferences", nullptr}}}};
    ASSERT_TRUE(stage.client.patch(box, {"default", "b"}, nobodys, {}, Deadline::never()));
    stage.settle();
    (void)stage.queued();

    ASSERT_TRUE(stage.client.remove(box, {"default", "b"}, {}, Deadline::never()));
    stage.settle();

    EXPECT_THAT(stage.queued(), ElementsAre("waiting"));
  });
}

TEST(ExternalRefs, WhatAProviderKeepsToItselfWakesNobody) {
  in_simulation([](ExternalRefsFixture& stage) {
    stage.install(kBothContracts);
    stage.make_box("d", "m");
    stage.make_box("c", "n");
    stage.start();
    (void)stage.get("d");
    stage.settle();
    const auto found = stage.get("d");
    ASSERT_TRUE(found) << found.error().describe();
    const kube::Resource& box = found->resource;
    (void)stage.queued();

    const json::value own = {{"metadata", {{"finalizers", json::array{"box.example.com/vm"}}}},
                             {"spec", {{"instanceKey", "k"}}}};
    const json::value of_the_contract = {{"spec", {{"providerID", "sim://2"}}}};
    ASSERT_TRUE(stage.client.patch(box, {"default", "d"}, own, {}, Deadline::never()));
    ASSERT_TRUE(stage.client.patch(box, {"default", "c"}, of_the_contract, {}, Deadline::never()));
    stage.settle();
    EXPECT_THAT(stage.queued(), ElementsAre("n"));

    // It has a finalizer: what changes is that it is on its way.
    ASSERT_TRUE(stage.client.remove(box, {"default", "d"}, {}, Deadline::never()));
    stage.settle();
    EXPECT_THAT(stage.queued(), ElementsAre("m"));
    EXPECT_THAT(*stage.get("d")->object->metadata.finalizers, testing::SizeIs(1)) << "read all the same";
  });
}

TEST(ExternalRefs, WhatSomebodyMadeIsFoundUntilSomebodyControlsIt) {
  in_simulation([](ExternalRefsFixture& stage) {
    const api::Uid maker("11111111-1111-4111-8111-111111111111");
    stage.install(kBothContracts);
    stage.make_box("b", "m");
    stage.start();
    (void)stage.get("b");
    stage.settle();

    const auto made = stage.refs.plainly_owned_by(kGroup, "Box", maker);
    const json::value taken = {
        {"metadata",
         {{"ownerReferences", json::array{{{"apiVersion", "cluster.x-k8s.io/v1beta2"},
                                           {"kind", "Machine"},
                                           {"name", "m"},
                                           {"controller", true},
                                           {"uid", "11111111-1111-4111-8111-111111111111"}}}}}}};
    ASSERT_TRUE(stage.client.patch(made->resource, {"default", "b"}, taken, {}, Deadline::never()));
    stage.settle();
    const auto later = stage.refs.plainly_owned_by(kGroup, "Box", maker);

    ASSERT_TRUE(made) << made.error().describe();
    ASSERT_EQ(made->objects.size(), 1U);
    EXPECT_EQ(made->objects[0]->metadata.name, "b");
    ASSERT_TRUE(later) << later.error().describe();
    EXPECT_TRUE(later->objects.empty());
  });
}

TEST(ExternalRefs, AMissingDefinitionIsNoMissingObject) {
  in_simulation([](ExternalRefsFixture& stage) {
    stage.start();

    const auto found = stage.get("b");

    ASSERT_FALSE(found);
    EXPECT_EQ(found.error().code, Code::Unavailable);
    EXPECT_FALSE(found.error().retry_after);
    EXPECT_THAT(found.error().message, HasSubstr("boxes.infrastructure.cluster.x-k8s.io does not exist"));
  });
}

TEST(ExternalRefs, ADefinitionWithoutContractIsRefused) {
  in_simulation([](ExternalRefsFixture& stage) {
    stage.install({});
    stage.start();

    const auto found = stage.get("b");

    ASSERT_FALSE(found);
    EXPECT_EQ(found.error().code, Code::Unavailable);
    EXPECT_THAT(found.error().message, HasSubstr("contract"));
  });
}

TEST(ExternalRefs, AProviderThatMovesOnIsReadInItsNewVersion) {
  in_simulation([](ExternalRefsFixture& stage) {
    stage.install({{"cluster.x-k8s.io/v1beta1", "v1beta1"}});
    stage.make_box("b", "m");
    stage.start();
    (void)stage.get("b");
    stage.settle();
    ASSERT_EQ(stage.get("b")->contract, api::contract::ContractVersion::V1Beta1);
    EXPECT_EQ(stage.get("b")->resource.version, "v1beta1");
    const auto& old = stage.informers.hold(boxes("v1beta1")).store();
    EXPECT_TRUE(old.synced());

    const json::value labels = {{"metadata", {{"labels", {{"cluster.x-k8s.io/v1beta2", "v1beta2"}}}}}};
    ASSERT_TRUE(stage.client.patch(kCrds, {"", "boxes.infrastructure.cluster.x-k8s.io"}, labels, {},
                                   Deadline::never()));
    stage.settle();
    (void)stage.get("b");
    stage.settle();

    const auto found = stage.get("b");
    ASSERT_TRUE(found) << found.error().describe();
    EXPECT_EQ(found->contract, api::contract::ContractVersion::V1Beta2);
    EXPECT_EQ(found->resource.version, "v1beta2");
    EXPECT_FALSE(old.synced()) << "it is still held";
    EXPECT_TRUE(stage.informers.hold(boxes("v1beta2")).store().synced());
  });
}

TEST(DynamicInformers, WatchWhileSomebodyHoldsAndForgetAfterwards) {
  in_simulation([](ExternalRefsFixture& stage) {
    stage.install(kBothContracts);
    stage.make_box("b", "m");
    const kube::Resource boxes{
        .group = std::string(kGroup), .version = "v1beta2", .plural = "boxes", .kind = "Box"};

    auto first = stage.informers.hold(boxes);
    auto second = stage.informers.hold(boxes);
    stage.settle();
    const auto& store = first.store();
    EXPECT_EQ(store.size(), 1U);
    first = {};
    EXPECT_EQ(store.size(), 1U);
    second = {};

    EXPECT_EQ(store.size(), 0U);
    EXPECT_FALSE(store.synced());
    const auto again = stage.informers.hold(boxes);
    stage.settle();
    EXPECT_EQ(store.size(), 1U);
  });
}

TEST(DynamicInformers, AKindTheServerDoesNotHaveIsReportedAndFoundOnceItIsThere) {
  in_simulation([](ExternalRefsFixture& stage) {
    const auto hold = stage.informers.hold(boxes("v1beta2"));
    stage.settle();
    EXPECT_TRUE(hold.trouble());
    EXPECT_FALSE(hold.store().synced());

    stage.install(kBothContracts);
    stage.make_box("b", "m");
    stage.baton.pause(Deadline::in(stage.baton, 2min));

    EXPECT_FALSE(hold.trouble());
    EXPECT_EQ(hold.store().size(), 1U);
  });
}

}  // namespace
}  // namespace capstan::runtime
