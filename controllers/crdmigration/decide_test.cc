#include "controllers/crdmigration/decide.h"

#include <gmock/gmock.h>

#include "controllers/crdmigration/definition.h"
#include "controllers/crdmigration/documents.h"

namespace capstan::controllers::crdmigration {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using namespace std::chrono_literals;

// Of a definition whose objects may still be stored as v1beta1; a page of two objects was read.
Observation seen_long_ago() {
  return {.definition = {.name = "machines.cluster.x-k8s.io",
                         .resource_version = "7",
                         .generation = 3,
                         .noted_generation = "2",
                         .stored = {.group = "cluster.x-k8s.io",
                                    .version = "v1beta2",
                                    .plural = "machines",
                                    .kind = "Machine"},
                         .has_status = true,
                         .served = {"cluster.x-k8s.io/v1beta1", "cluster.x-k8s.io/v1beta2"},
                         .stored_versions = {"v1beta1", "v1beta2"}},
          .age = 1min,
          .pass = {.generation = 3},
          .page = {{.key = {"default", "a"}, .resource_version = "1"},
                   {.key = {"default", "b"}, .resource_version = "2"}}};
}

ManagerEntry entry_of(std::string_view api_version, std::string_view manager) {
  return {.api_version = std::string(api_version),
          .manager = std::string(manager),
          .operation = "Apply",
          .text = R"({"manager":")" + std::string(manager) + R"("})"};
}

TEST(Decide, WritesEveryObjectWhileSeveralVersionsMayBeStored) {
  const auto plan = decide(seen_long_ago());

  EXPECT_EQ(plan.step, Step::RewritePage);
  EXPECT_THAT(plan.rewrites,
              ElementsAre(Rewrite{{"default", "a"}, "1", {}}, Rewrite{{"default", "b"}, "2", {}}));
}

TEST(Decide, DoesNothingForAGenerationThatIsNoted) {
  auto seen = seen_long_ago();
  seen.definition.noted_generation = "3";

  EXPECT_EQ(decide(seen), Plan{});
  EXPECT_FALSE(wants_page(seen));
}

TEST(Decide, WaitsUntilEachApiServerStoresTodaysVersion) {
  auto seen = seen_long_ago();
  seen.age = 1s;

  const auto plan = decide(seen);

  EXPECT_EQ(plan.step, Step::Wait);
  EXPECT_EQ(plan.again, Nanoseconds(4s));
}

TEST(Decide, PrunesOnlyAfterAPassWithoutAFailure) {
  auto seen = seen_long_ago();
  seen.pass.ended = true;
  seen.page.clear();

  const auto pruned = decide(seen);
  seen.pass.failed = 3;
  seen.given_up = 1;
  seen.pass.failures = {"Machine default/a: Invalid: spec.version", "Machine default/b: Forbidden: denied"};
  const auto failed = decide(seen);

  EXPECT_EQ(pruned.step, Step::PruneVersions);
  EXPECT_EQ(pruned.stored_versions, (StoredVersions{{"v1beta1", "v1beta2"}, "v1beta2"}));
  EXPECT_EQ(failed.step, Step::GiveUp);
  EXPECT_EQ(failed.again, Nanoseconds(1s));
  EXPECT_EQ(failed.why,
            "3 objects of machines.cluster.x-k8s.io can't be stored in v1beta2: "
            "Machine default/a: Invalid: spec.version; Machine default/b: Forbidden: denied; and 1 more");
}

TEST(Decide, NotesTheGenerationOnceOneVersionIsStored) {
  auto seen = seen_long_ago();
  seen.pass.ended = true;
  seen.definition.stored_versions = {"v1beta2"};

  const auto plan = decide(seen);

  EXPECT_EQ(plan.step, Step::Note);
  EXPECT_EQ(plan.generation, 3);
}

TEST(Decide, TakesManagersOfVersionsOffThatAreNotServedAnyMore) {
  auto seen = seen_long_ago();
  seen.definition.stored_versions = {"v1beta2"};
  seen.page[0].managers = {entry_of("cluster.x-k8s.io/v1alpha4", "old"),
                           entry_of("cluster.x-k8s.io/v1beta1", "kubectl")};
  seen.page[1].managers = {entry_of("cluster.x-k8s.io/v1beta2", "kubectl")};

  const auto plan = decide(seen);

  ASSERT_THAT(plan.rewrites, SizeIs(1));
  EXPECT_EQ(plan.rewrites[0].key.name, "a");
  EXPECT_THAT(*plan.rewrites[0].managers, ElementsAre(R"({"manager":"kubectl"})"));
}

TEST(Decide, LeavesAnObjectWithoutManagersNotToTheNextApply) {
  auto seen = seen_long_ago();
  seen.page[0].managers = {entry_of("cluster.x-k8s.io/v1alpha4", "a \"quoted\" one")};

  const auto plan = decide(seen);

  ASSERT_THAT(plan.rewrites, SizeIs(2));
  ASSERT_THAT(*plan.rewrites[0].managers, SizeIs(1));
  const auto entry = json::parse(plan.rewrites[0].managers->front());
  EXPECT_EQ(text_at(entry, "/manager"), "a \"quoted\" one");
  EXPECT_EQ(text_at(entry, "/apiVersion"), "cluster.x-k8s.io/v1beta2");
  EXPECT_EQ(json::serialize(entry.at("fieldsV1")), R"({"f:metadata":{"f:name":{}}})");
}

TEST(Decide, LooksAtNoObjectAgainWhereTheSameVersionsAreServed) {
  auto seen = seen_long_ago();
  seen.definition.stored_versions = {"v1beta2"};
  seen.passed = seen.definition.served;

  EXPECT_FALSE(wants_page(seen));
  EXPECT_EQ(decide(seen).step, Step::Note);
}

TEST(Decide, DoesNotNoteWhatAPhaseThatIsSkippedLeavesUndone) {
  auto seen = seen_long_ago();
  seen.settings.phases = {.storage_versions = false};
  seen.page[0].managers = {entry_of("cluster.x-k8s.io/v1alpha4", "old")};
  const auto during = decide(seen);
  seen.pass.ended = true;
  const auto after = decide(seen);

  EXPECT_THAT(during.rewrites, SizeIs(1));
  EXPECT_EQ(after, Plan{});
}

TEST(Decide, KeepsAllManagersWhereThatPhaseIsSkipped) {
  auto seen = seen_long_ago();
  seen.settings.phases = {.managed_fields = false};
  seen.page[0].managers = {entry_of("cluster.x-k8s.io/v1alpha4", "old")};

  const auto plan = decide(seen);

  ASSERT_THAT(plan.rewrites, SizeIs(2));
  EXPECT_FALSE(plan.rewrites[0].managers);
}

TEST(Definition, SaysWhichVersionIsStored) {
  const auto read = read_definition(json::parse(R"({
    "metadata": {"name": "machines.cluster.x-k8s.io", "resourceVersion": "9", "generation": 4,
      "annotations": {"crd-migration.cluster.x-k8s.io/observed-generation": "4"}},
    "spec": {"group": "cluster.x-k8s.io", "scope": "Namespaced",
      "names": {"plural": "machines", "kind": "Machine"},
      "versions": [{"name": "v1beta2", "served": true, "storage": true, "subresources": {"status": {}}},
        {"name": "v1beta1", "served": true, "storage": false}, {"name": "v1alpha4", "served": false}]},
    "status": {"storedVersions": ["v1beta1", "v1beta2"]}})"));

  ASSERT_TRUE(read);
  EXPECT_EQ(read->stored.api_version(), "cluster.x-k8s.io/v1beta2");
  EXPECT_TRUE(read->has_status);
  EXPECT_TRUE(read->is_noted());
  EXPECT_FALSE(read->has_one_stored_version());
  EXPECT_THAT(read->served, ElementsAre("cluster.x-k8s.io/v1beta2", "cluster.x-k8s.io/v1beta1"));
}

TEST(Definition, WithoutAStoredVersionIsAnError) {
  const auto read = read_definition(json::parse(R"({"metadata": {"name": "x"}, "spec": {"versions": 3}})"));

  ASSERT_FALSE(read);
  EXPECT_THAT(read.error().message, HasSubstr("CustomResourceDefinition x: no version is stored"));
}

}  // namespace
}  // namespace capstan::controllers::crdmigration
