#include "runtime/finalizers.h"

#include <gmock/gmock.h>

#include "api/v1beta2/machine.h"
#include "runtime/store.h"
#include "test/fakes/fake_clock.h"
#include "test/fakes/scripted_client.h"

namespace capstan::runtime {
namespace {

using api::Machine;
namespace json = boost::json;

constexpr std::string_view kFinalizer = "machine.cluster.x-k8s.io";
const ObjectKey kKey{.namespace_ = "fleet", .name = "a"};

Machine machine(std::vector<Text> finalizers) {
  Machine made;
  made.metadata.namespace_ = "fleet"_text;
  made.metadata.name = "a"_text;
  made.metadata.resource_version = api::ResourceVersion(41);
  made.metadata.finalizers = api::Finalizers(std::move(finalizers));
  return made;
}

struct FinalizersFixture {
  fakes::FakeClock clock;
  fakes::ScriptedClient client;
  Consistency consistency{clock};
  Store<Machine> store{"Machine"};
  int requests = 0;

  FinalizersFixture() {
    client.on_patch = [this](auto&, auto&, const json::value& body,
                             const kube::PatchOptions& options) -> Result<json::value> {
      ++requests;
      EXPECT_EQ(options.type, kube::PatchType::Json);
      EXPECT_EQ(body.as_array().at(0).at("op"), "test");
      return json::value({{"metadata", {{"namespace", "fleet"}, {"name", "a"}, {"resourceVersion", "42"}}}});
    };
  }
  Result<FinalizerStep> ensure(const Machine& object) {
    return ensure_finalizer(client, consistency, store, object, kFinalizer, Deadline::never());
  }
  Result<void> drop(const Machine& object) {
    return drop_finalizer(client, consistency, store, object, kFinalizer, Deadline::never());
  }
  bool fresh() { return consistency.check(kKey).state == Freshness::State::Fresh; }
};

TEST(Finalizers, IsPutOnOnceAndTheCacheHasToSeeIt) {
  FinalizersFixture stage;

  EXPECT_EQ(*stage.ensure(machine({"other"_text})), FinalizerStep::Added);

  EXPECT_EQ(stage.requests, 1);
  EXPECT_FALSE(stage.fresh());
}

TEST(Finalizers, WhatIsThereCostsNoRequest) {
  FinalizersFixture stage;

  EXPECT_EQ(*stage.ensure(machine({Text(kFinalizer)})), FinalizerStep::Present);

  EXPECT_EQ(stage.requests, 0);
}

TEST(Finalizers, NothingIsPutOnWhatIsBeingDeleted) {
  FinalizersFixture stage;
  Machine going = machine({"other"_text});
  going.metadata.deletion_timestamp = Time::from_unix(1);

  EXPECT_EQ(*stage.ensure(going), FinalizerStep::TooLate);

  EXPECT_EQ(stage.requests, 0);
}

TEST(Finalizers, IsTakenOffAndTheCacheHasToSeeIt) {
  FinalizersFixture stage;

  EXPECT_TRUE(stage.drop(machine({"other"_text, Text(kFinalizer)})));

  EXPECT_EQ(stage.requests, 1);
  EXPECT_FALSE(stage.fresh());
}

// Its events are still to come: until then the cache shows what is no longer there.
TEST(Finalizers, TheLastOneTakesTheObjectAndTheCacheHasToLoseIt) {
  FinalizersFixture stage;
  Machine going = machine({Text(kFinalizer)});
  going.metadata.uid = api::Uid("0aeaf7d9-0000-4000-8000-000000000001");
  going.metadata.deletion_timestamp = Time::from_unix(1);
  stage.store.apply(going);
  stage.client.on_patch = [](auto&, auto&, auto&, auto&) -> Result<json::value> {
    return json::value({{"metadata",
                         {{"namespace", "fleet"},
                          {"name", "a"},
                          {"resourceVersion", "42"},
                          {"deletionTimestamp", "2026-01-01T00:00:00Z"}}}});
  };

  EXPECT_TRUE(stage.drop(going));

  EXPECT_FALSE(stage.fresh());
}

TEST(Finalizers, AnObjectThatIsGoneNeedsNoneTakenOff) {
  FinalizersFixture stage;
  stage.client.on_patch = [](auto&, auto&, auto&, auto&) { return fail(Code::NotFound, "gone"); };

  EXPECT_TRUE(stage.drop(machine({Text(kFinalizer)})));
}

TEST(Finalizers, AListThatChangedMeanwhileIsAConflict) {
  FinalizersFixture stage;
  stage.client.on_patch = [](auto&, auto&, auto&, auto&) {
    return fail({.code = Code::Invalid, .message = "test failed", .reason = "TestFailed"});
  };

  EXPECT_EQ(stage.drop(machine({Text(kFinalizer)})).error().code, Code::Conflict);
}

}  // namespace
}  // namespace capstan::runtime
