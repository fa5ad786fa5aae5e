#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/names.h"
#include "controllers/crdmigration/documents.h"
#include "controllers/crdmigration/reconciler.h"
#include "controllers/shared/controller_fixture.h"
#include "test/builders/machine_set.h"

namespace capstan::controllers::crdmigration {
namespace {

using builders::a_machine_set;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::IsSupersetOf;
using testing::Not;
using namespace std::chrono_literals;

const kube::Resource& kDefinitionResource = kube::resources::custom_resource_definitions();
constexpr std::string_view kMachineSets = "machinesets.cluster.x-k8s.io";

// A cluster whose MachineSets may be stored as v1beta1, by what their definition says.
class CrdMigrationFixture : public ControllerFixture<Reconciler> {
 public:
  explicit CrdMigrationFixture(fakes::Baton& with)
      : ControllerFixture(with, {.name = "crdmigrator", .kind = "CustomResourceDefinition", .pace = 100ms}) {
    json::array versions = list_at(definition(), "/spec/versions");
    json::value former = versions.front();
    former.as_object()["name"] = "v1beta1";
    former.as_object()["storage"] = false;
    versions.push_back(former);
    patch(kDefinitionResource, kMachineSets, {{"spec", {{"versions", versions}}}});
    patch(kDefinitionResource, kMachineSets, {{"status", {{"storedVersions", {"v1beta1", "v1beta2"}}}}},
          "status");
  }

  void make_set(std::string_view name) {
    make(kube::resource_of<api::MachineSet>(), api::to_json(a_machine_set(name).build()));
  }
  json::value definition() { return read(kDefinitionResource, kMachineSets); }
  std::string stored_versions() { return json::serialize(list_at(definition(), "/status/storedVersions")); }
  bool is_noted() { return read_definition(definition()).value().is_noted(); }
  // Enough for the API servers to settle, and for a pass.
  void migrate() { settle(20s); }
  std::vector<std::string> requests_about_sets() {
    auto all = requests();
    std::erase_if(all, [](const std::string& note) { return note.find(" machinesets") == note.npos; });
    return all;
  }
};

void in_world(const std::function<void(CrdMigrationFixture&)>& body) {
  under_seeds([&](fakes::Baton& baton) {
    CrdMigrationFixture world(baton);
    body(world);
  });
}

TEST(MigrationTurns, WriteEachObjectOnceThenPruneTheVersionsAndNoteTheGeneration) {
  in_world([](CrdMigrationFixture& world) {
    world.make_set("a");
    world.make_set("b");
    world.start();
    world.migrate();

    EXPECT_EQ(world.stored_versions(), R"(["v1beta2"])");
    EXPECT_TRUE(world.is_noted());
    EXPECT_THAT(world.requests_about_sets(),
                ElementsAre("get customresourcedefinitions machinesets.cluster.x-k8s.io",
                            "get customresourcedefinitions machinesets.cluster.x-k8s.io", "list machinesets",
                            "patch machinesets/status a", "patch machinesets/status b",
                            "get customresourcedefinitions machinesets.cluster.x-k8s.io",
                            "patch customresourcedefinitions/status machinesets.cluster.x-k8s.io",
                            "get customresourcedefinitions machinesets.cluster.x-k8s.io",
                            "patch customresourcedefinitions machinesets.cluster.x-k8s.io"));
  });
}

TEST(MigrationTurns, AreSilentOnceAllIsNoted) {
  in_world([](CrdMigrationFixture& world) {
    world.make_set("a");
    world.start();
    world.migrate();
    world.requests();

    world.settle(30min);

    EXPECT_THAT(world.requests(), IsEmpty());
  });
}

TEST(MigrationTurns, ReadAllObjectsPageByPage) {
  fakes::Baton baton({.seed = 1});
  const auto report = baton.run([&] {
    CrdMigrationFixture world(baton);
    for (int i = 0; i < 251; ++i) world.make_set(fmt::format("set-{}", i));
    world.start();
    world.migrate();

    const auto requests = world.requests();
    EXPECT_EQ(std::ranges::count(requests, "list machinesets"), 2);
    EXPECT_EQ(std::ranges::count_if(
                  requests, [](const auto& each) { return each.starts_with("patch machinesets/status"); }),
              251);
    EXPECT_EQ(world.stored_versions(), R"(["v1beta2"])");
  });
  EXPECT_TRUE(report.finished()) << report.why;
}

TEST(MigrationTurns, AreNotHeldUpByWhatIsDeletedOrChangedMeanwhile) {
  for (const Code code : {Code::NotFound, Code::Conflict}) {
    in_world([&](CrdMigrationFixture& world) {
      world.make_set("a");
      world.make_set("b");
      world.client.refuse("patch machinesets/status a", {.code = code, .message = "no"});
      world.start();
      world.migrate();

      EXPECT_EQ(world.stored_versions(), R"(["v1beta2"])");
    });
  }
}

TEST(MigrationTurns, KeepTheVersionsWhileOneObjectIsRefusedAndTryAgain) {
  in_world([](CrdMigrationFixture& world) {
    world.make_set("a");
    world.make_set("b");
    world.client.refuse("patch machinesets/status a", {.code = Code::Invalid, .message = "no"});
    world.start();
    world.migrate();
    EXPECT_EQ(world.stored_versions(), R"(["v1beta1","v1beta2"])");
    EXPECT_FALSE(world.is_noted());
    EXPECT_THAT(world.requests(), Contains("patch machinesets/status b"));

    world.client.allow();
    world.settle(10min);

    EXPECT_EQ(world.stored_versions(), R"(["v1beta2"])");
  });
}

TEST(MigrationTurns, BeginAgainWhenTheServerHasForgottenTheList) {
  in_world([](CrdMigrationFixture& world) {
    world.make_set("a");
    world.client.refuse_next("list machinesets",
                             {.code = Code::Gone, .message = "the continue token is too old"});
    world.start();
    world.migrate();

    EXPECT_EQ(world.client.count("list machinesets"), 2);
    EXPECT_EQ(world.stored_versions(), R"(["v1beta2"])");
  });
}

// As an admission webhook refuses: with the code of a missing right.
TEST(MigrationTurns, GoOnWithTheOthersWhenAWebhookForbidsOne) {
  in_world([](CrdMigrationFixture& world) {
    for (const char* name : {"a", "b", "c"}) world.make_set(name);
    world.client.refuse("patch machinesets/status b", {.code = Code::Forbidden, .message = "no"});
    world.start();
    world.migrate();
    EXPECT_THAT(world.requests(), IsSupersetOf({"patch machinesets/status a", "patch machinesets/status c"}));
    EXPECT_EQ(world.stored_versions(), R"(["v1beta1","v1beta2"])");
    EXPECT_FALSE(world.is_noted());

    world.client.allow();
    world.settle(10min);

    EXPECT_EQ(world.stored_versions(), R"(["v1beta2"])");
  });
}

TEST(MigrationTurns, RepeatAPassWithGrowingPausesWhileOneObjectIsRefused) {
  in_world([](CrdMigrationFixture& world) {
    world.make_set("a");
    world.client.refuse("patch machinesets/status a", {.code = Code::Invalid, .message = "no"});
    world.start();
    world.migrate();
    world.requests();

    world.settle(30min);

    const auto requests = world.requests();
    const auto passes = std::ranges::count(requests, "patch machinesets/status a");
    EXPECT_GE(passes, 5);
    EXPECT_LE(passes, 15);
  });
}

TEST(MigrationTurns, StopAtOnceWhereARightIsMissing) {
  in_world([](CrdMigrationFixture& world) {
    world.make_set("a");
    world.make_set("b");
    world.client.refuse("patch machinesets/status", {.code = Code::Forbidden, .message = "no"});
    world.client.refuse("create selfsubjectaccessreviews", {.code = Code::Forbidden, .message = "no"});
    world.start();
    world.settle(5s);

    EXPECT_THAT(world.requests(), Not(Contains("patch machinesets/status b")));
    EXPECT_EQ(world.stored_versions(), R"(["v1beta1","v1beta2"])");
  });
}

TEST(MigrationTurns, ListNothingWhenAnotherPartOfTheDefinitionChanges) {
  in_world([](CrdMigrationFixture& world) {
    world.make_set("a");
    world.start();
    world.migrate();
    world.requests();

    world.patch(kDefinitionResource, kMachineSets, {{"spec", {{"names", {{"shortNames", {"ms", "mset"}}}}}}});
    world.migrate();

    EXPECT_TRUE(world.is_noted());
    EXPECT_THAT(world.requests(), Not(Contains(HasSubstr("list"))));
  });
}

TEST(MigrationTurns, TakeOffManagersOfAVersionThatIsServedNoMore) {
  in_world([](CrdMigrationFixture& world) {
    world.make_set("a");
    world.patch(kube::resource_of<api::MachineSet>(), "a",
                {{"metadata",
                  {{"managedFields",
                    {{{"manager", "old"},
                      {"operation", "Update"},
                      {"apiVersion", "cluster.x-k8s.io/v1alpha4"},
                      {"fieldsType", "FieldsV1"},
                      {"fieldsV1", {{"f:spec", {{"f:replicas", json::object()}}}}}}}}}}});
    world.start();
    world.migrate();

    const auto set = world.read(kube::resource_of<api::MachineSet>(), "a");
    EXPECT_THAT(json::serialize(list_at(set, "/metadata/managedFields")), Not(HasSubstr("v1alpha4")));
    EXPECT_TRUE(world.is_noted());
  });
}

TEST(MigrationTurns, LeaveOtherDefinitionsAlone) {
  in_world([](CrdMigrationFixture& world) {
    world.start();
    world.migrate();

    EXPECT_THAT(world.requests(), Not(Contains(HasSubstr("machinelifecyclepolicies"))));
  });
}

}  // namespace
}  // namespace capstan::controllers::crdmigration
