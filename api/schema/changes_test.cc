#include "api/schema/changes.h"

#include <gtest/gtest.h>

#include <vector>

#include "api/v1beta2/machine.h"

namespace capstan::api {
namespace {

Machine a_machine() {
  Machine machine;
  machine.metadata.name = Text("m");
  machine.metadata.labels = {{"tier", "a"}};
  machine.spec.version = Text("v1.30.0");
  return machine;
}

OwnerReference owner(std::string_view kind, std::string_view name) {
  return {.api_version = Text("v1"), .kind = Text(kind), .name = Text(name), .uid = Uid("u")};
}

TEST(Changes, AreNoneBetweenEquals) { EXPECT_EQ(changes(a_machine(), a_machine()), ""); }

TEST(Changes, NameEachFieldWithBothValues) {
  Machine to = a_machine();
  to.metadata.labels = {{"tier", "b c"}, {"example.com/zone", "1"}};
  to.spec.version = {};
  to.spec.min_ready_seconds = 5;

  EXPECT_EQ(changes(a_machine(), to),
            R"(metadata.labels.tier: a -> "b c", metadata.labels[example.com/zone]: none -> 1, )"
            R"(spec.version: v1.30.0 -> none, spec.minReadySeconds: none -> 5)");
}

TEST(Changes, CallObjectsInListsByKindAndName) {
  Machine to = a_machine();
  OwnerReference set = owner("MachineSet", "s");
  set.controller = true;
  to.metadata.owner_references = OwnerReferences(std::vector{owner("Cluster", "c"), set});

  EXPECT_EQ(changes(a_machine(), to),
            "metadata.ownerReferences: none -> [Cluster c, controller MachineSet s]");
}

TEST(Changes, ShowTheWholeWhereNamesDoNotTell) {
  Machine from = a_machine();
  Machine to = a_machine();
  from.metadata.owner_references = OwnerReferences(std::vector{owner("Cluster", "c")});
  auto other = owner("Cluster", "c");
  other.uid = Uid("v");
  to.metadata.owner_references = OwnerReferences(std::vector{other});

  EXPECT_EQ(changes(from, to),
            R"(metadata.ownerReferences: [{"apiVersion":"v1","kind":"Cluster","name":"c","uid":"u"}] -> )"
            R"([{"apiVersion":"v1","kind":"Cluster","name":"c","uid":"v"}])");
}

TEST(Changes, CutLongValuesShort) {
  Machine to = a_machine();
  to.spec.version = Text(std::string(1000, 'x'));

  EXPECT_EQ(changes(a_machine(), to),
            "spec.version: v1.30.0 -> " + std::string(400, 'x') + "... and 600 bytes more");
}

TEST(Changes, OfAnApplyAreOnlyWhatItSays) {
  Machine intent;
  intent.metadata.name = Text("m");
  intent.spec.version = Text("v1.31.0");

  EXPECT_EQ(changes_by_apply(a_machine(), intent), "spec.version: v1.30.0 -> v1.31.0");
}

}  // namespace
}  // namespace capstan::api
