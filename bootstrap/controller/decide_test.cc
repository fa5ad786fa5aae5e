#include "bootstrap/controller/decide.h"

#include <gmock/gmock.h>

#include "api/conditions/conditions.h"
#include "bootstrap/controller/report.h"
#include "test/builders/cluster.h"

namespace capstan::bootstrap::controller {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

// CloudConfig m1 whose turn it is: its Machine and a cluster with infrastructure are there.
struct Seen {
  api::CloudConfig object = {};
  std::optional<Owner> owner = Owner{.kind = "Machine", .name = "m1", .cluster = "c1", .version = "v1.35.0"};
  std::optional<api::Cluster> cluster = builders::a_cluster("c1").infrastructure_provisioned().build();
  Seconds age{0};
  bool fresh = true;

  Seen() {
    object.metadata.name = "m1"_text;
    object.metadata.namespace_ = "default"_text;
    object.metadata.creation_timestamp = builders::noon();
  }
  operator Observation() const {  // NOLINT(google-explicit-constructor): read as what is observed
    return {.now = builders::noon() + age,
            .fresh = fresh,
            .object = std::make_shared<const api::CloudConfig>(object),
            .owner = owner,
            .cluster = cluster ? std::make_shared<const api::Cluster>(*cluster) : nullptr};
  }
};

std::string planned(const Observation& seen) { return describe(decide(seen)); }

const CreateSecret& creation(const Plan& plan) { return std::get<CreateSecret>(plan.actions.at(0)); }

TEST(Decide, RendersTheDataOnceAllIsThere) {
  const Plan plan = decide(Seen());

  EXPECT_THAT(describe(plan), StartsWith("create Secret default/m1 with "));
  EXPECT_THAT(describe(plan), testing::EndsWith(" bytes for a Machine of Cluster c1"));
  EXPECT_THAT(creation(plan).content.value.reveal(), StartsWith("#cloud-config\n"));
  EXPECT_EQ(creation(plan).owner.name, "m1");
}

TEST(Decide, MakesTheSamePlanOfTheSameFacts) {
  Seen other;
  other.owner->version = "v1.36.0";

  EXPECT_EQ(decide(Seen()), decide(Seen()));
  EXPECT_FALSE(decide(other) == decide(Seen())) << "the data name the version";
}

TEST(Decide, WaitsForWhateverComesFirst) {
  Seen ownerless;
  ownerless.owner.reset();
  Seen no_cluster;
  no_cluster.cluster.reset();
  Seen bare;
  bare.cluster = builders::a_cluster("c1").build();

  EXPECT_EQ(planned(ownerless),
            "wait silently (WaitingForOwner): waiting for a Machine or MachinePool to own this object");
  EXPECT_EQ(planned(no_cluster), "wait silently (WaitingForCluster): waiting for Cluster c1");
  EXPECT_EQ(planned(bare),
            "wait silently (WaitingForClusterInfrastructure): waiting for Cluster c1 to have its "
            "infrastructure provisioned");
}

TEST(Decide, SpeaksOfWaitingOnlyWhenItTakesLong) {
  Seen seen;
  seen.owner.reset();
  const Plan early = decide(seen);
  seen.age = Seconds(10);
  const Plan late = decide(seen);

  EXPECT_EQ(early.recheck, Seconds(10));
  EXPECT_FALSE(early.waiting->shown);
  EXPECT_EQ(late.recheck, std::nullopt);
  EXPECT_TRUE(late.waiting->shown);
}

TEST(Decide, RestoresTheStatusOfAnOwnerThatHasItsData) {
  Seen seen;
  seen.owner->data_secret = "data-of-m1";
  seen.cluster.reset();

  EXPECT_EQ(planned(seen), "restore the status: the data are in Secret data-of-m1");
}

TEST(Decide, NamesAFieldThatCantBeRendered) {
  Seen seen;
  seen.object.spec.files.push_back({.path = "/etc/a"_text});
  seen.object.spec.files.push_back({.path = "/etc/a"_text});

  EXPECT_THAT(planned(seen), StartsWith("wait (InvalidConfiguration): "));
  EXPECT_THAT(planned(seen), HasSubstr("/etc/a"));
}

TEST(Decide, DoesNothingWhilePausedBehindOrForWhatLeaves) {
  Seen paused;
  paused.cluster->spec.paused = true;
  Seen behind;
  behind.fresh = false;
  Seen owner_leaves;
  owner_leaves.owner->deleting = true;
  Seen cluster_leaves;
  cluster_leaves.cluster->metadata.deletion_timestamp = builders::noon();
  Seen done;
  done.object.status.initialization.data_secret_created = true;

  EXPECT_EQ(planned(paused), "paused: Cluster spec.paused is set to true");
  EXPECT_EQ(planned(behind), "nothing");
  EXPECT_EQ(planned(owner_leaves), "nothing");
  EXPECT_EQ(planned(cluster_leaves), "nothing");
  EXPECT_EQ(planned(done), "nothing");
}

TEST(Report, NamesTheSecretAndIsReady) {
  const Observation seen = Seen();

  const auto [after, notes] = report(seen, decide(seen), {.secret_name = "m1"});

  EXPECT_EQ(after.status.data_secret_name, "m1");
  EXPECT_EQ(after.status.initialization.data_secret_created, true);
  EXPECT_TRUE(api::conditions::is_true(after.status.conditions, "Ready"));
  EXPECT_THAT(notes, IsEmpty());
}

TEST(Report, RecordsOnceThatTheSecretIsAnothers) {
  Seen seen;
  const Effects effects{.taken = "Secret default/m1 exists and belongs to another object"};
  const Observation first = seen;
  const Reported taken = report(first, decide(first), effects);
  seen.object = taken.after;
  const Observation second = seen;

  EXPECT_THAT(taken.notes,
              ElementsAre(runtime::Note{.code = api::NoteCode::DataSecretTaken, .text = effects.taken}));
  EXPECT_THAT(report(second, decide(second), effects).notes, IsEmpty());
}

}  // namespace
}  // namespace capstan::bootstrap::controller
