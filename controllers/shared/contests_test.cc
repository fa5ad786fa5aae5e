#include "controllers/shared/contests.h"

#include <gmock/gmock.h>

#include <boost/json.hpp>

#include "api/conditions/conditions.h"
#include "api/names.h"
#include "kube/resources.h"
#include "kube/stub_client.h"
#include "test/fakes/fake_clock.h"

namespace capstan::controllers {
namespace {

namespace json = boost::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;
using namespace std::chrono_literals;

const kube::ObjectKey kWriter{.namespace_ = "default", .name = "m1"};
const kube::ObjectKey kNode{.namespace_ = {}, .name = "n1"};

// Answers every GET with a Node whose label `zone` a user has set.
class OneObject : public kube::StubClient {
 public:
  Result<json::value> get(const kube::Resource&, const kube::ObjectKey&, const Deadline&) override {
    ++reads;
    json::value object = json::parse(R"({"metadata": {"managedFields": [
      {"manager": "manager", "operation": "Update", "time": "2024-01-01T10:00:05Z",
       "fieldsV1": {"f:metadata": {"f:labels": {"f:role": {}}}}},
      {"manager": "kubectl-label", "operation": "Update", "time": "2024-01-01T10:00:04Z",
       "fieldsV1": {"f:metadata": {"f:labels": {"f:zone": {}}}}},
      {"manager": "kubelet", "operation": "Update", "time": "2024-01-01T10:00:09Z", "subresource": "status",
       "fieldsV1": {"f:status": {}}}]}})");
    object.at("metadata").as_object()["labels"] = {{"zone", zone}};
    return object;
  }
  std::string zone = "another";
  int reads = 0;
};

// A controller that wants one label, and another writer who takes it away each second.
class Fight {
 public:
  // How often the controller wrote within the span.
  int go_on(Seconds span) {
    int writes = 0;
    for (Seconds at{0}; at < span; ++at) {
      if (contests.may_write(kWriter, target, wanted, clock, Deadline::never())) {
        contests.wrote(kWriter, target, wanted, clock);
        ++writes;
      }
      clock.advance(1s);
    }
    return writes;
  }

  fakes::FakeClock clock;
  OneObject server;
  const kube::Resource& nodes = kube::resources::nodes();
  Contests::Target target{.client = server, .resource = nodes, .key = kNode};
  DisputedFields wanted{{"metadata.labels[zone]", "=a"}};
  Contests contests;
};

TEST(Contests, TwoWritersOfOneLabelCostFiveWritesInTheFirstMinuteAndTwoInEachAfterItAtMost) {
  Fight fight;

  EXPECT_LE(fight.go_on(60s), 5);
  EXPECT_LE(fight.go_on(60s), 2);
  EXPECT_LE(fight.go_on(60s), 2);
  EXPECT_GE(fight.go_on(300s), 4) << "it does not give up";
  EXPECT_EQ(fight.server.reads, 1) << "who it is, is asked once";
}

TEST(Contests, NamesFieldAndManagerAndSinceWhen) {
  Fight fight;
  const Time began = Time::from(fight.clock.now());
  fight.go_on(10s);

  const auto contests = fight.contests.of(kWriter, fight.clock);

  ASSERT_EQ(contests.size(), 1U);
  EXPECT_EQ(contests[0], (Contest{"Node n1", "metadata.labels[zone]", "kubectl-label", began}));
  EXPECT_THAT(describe(contests),
              HasSubstr("metadata.labels[zone] of Node n1 is set to another value again and "
                        "again by kubectl-label since " +
                        began.to_string()));
}

TEST(Contests, WhatIsWrittenTwiceIsNoContestYet) {
  Fight fight;
  EXPECT_EQ(fight.go_on(2s), 2);

  EXPECT_THAT(fight.contests.of(kWriter, fight.clock), IsEmpty());
  EXPECT_EQ(fight.server.reads, 0);
}

// The cache is behind: the server has what was wanted all the time.
TEST(Contests, WhatTheServerHasAsWantedIsNoContest) {
  Fight fight;
  fight.server.zone = "a";
  fight.go_on(10s);

  EXPECT_THAT(fight.contests.of(kWriter, fight.clock), IsEmpty());
}

TEST(Contests, AnotherIntentIsWrittenAtOnce) {
  Fight fight;
  fight.go_on(10s);

  fight.wanted = {{"metadata.labels[zone]", "=b"}};

  EXPECT_EQ(fight.go_on(2s), 2);
}

TEST(Contests, AreOverTwoMinutesAfterTheFieldWasLastWanted) {
  Fight fight;
  fight.go_on(10s);
  const auto again = fight.contests.next(kWriter, fight.clock);
  fight.clock.advance(115s);
  const auto meanwhile = fight.contests.of(kWriter, fight.clock);
  const auto end = fight.contests.next(kWriter, fight.clock);
  fight.clock.advance(10s);

  ASSERT_TRUE(again);
  EXPECT_LE(*again, 60s);
  EXPECT_EQ(meanwhile.size(), 1U);
  ASSERT_TRUE(end);
  EXPECT_LE(*end, 6s);
  EXPECT_THAT(fight.contests.of(kWriter, fight.clock), IsEmpty());
  EXPECT_EQ(fight.contests.next(kWriter, fight.clock), std::nullopt);
  EXPECT_EQ(fight.go_on(2s), 2) << "it begins anew";
}

TEST(Contests, OfOtherObjectsHoldNobodyUp) {
  Fight fight;
  fight.go_on(10s);
  const kube::ObjectKey other{.namespace_ = {}, .name = "n2"};

  EXPECT_TRUE(fight.contests.may_write(kWriter, {fight.server, fight.nodes, other}, fight.wanted, fight.clock,
                                       Deadline::never()));
}

TEST(Contests, RememberNoMoreThanTheirLimit) {
  Fight fight;
  Contests contests({.most_fields = 100});
  for (int i = 0; i < 1000; ++i) {
    const kube::ObjectKey node{.namespace_ = {}, .name = "n" + std::to_string(i)};
    contests.wrote(kWriter, {fight.server, fight.nodes, node}, fight.wanted, fight.clock);
    fight.clock.advance(10ms);
    ASSERT_LE(contests.size(), 100U);
  }
}

TEST(Contests, DisputedFieldsAreLabelsAnnotationsAndOwners) {
  api::ObjectMeta before;
  before.labels.set("keep", "1");
  before.labels.set("change", "1");
  before.labels.set("drop", "1");
  before.finalizers = api::Finalizers({"f"_text});
  api::ObjectMeta wanted;
  wanted.labels.set("keep", "1");
  wanted.labels.set("change", "2");
  wanted.annotations.set("add", "");
  wanted.owner_references = api::OwnerReferences({{.kind = "Machine"_text, .name = "m1"_text}});

  EXPECT_THAT(disputed_fields(before, wanted),
              ElementsAre(Pair("metadata.annotations[add]", "="), Pair("metadata.labels[change]", "=2"),
                          Pair("metadata.labels[drop]", ""), Pair("metadata.ownerReferences", testing::_)));
}

TEST(FieldManagerOf, IsTheLastWriterForAFieldThatIsNotThere) {
  OneObject server;
  const auto object = server.get(kube::resources::nodes(), kNode, Deadline::never());

  EXPECT_EQ(field_manager_of(*object, "metadata.labels[gone]"), "manager");
  EXPECT_EQ(field_manager_of(json::object(), "metadata.labels[gone]"), "");
}

TEST(ShowContests, TheConditionComesAndGoesWithTheContest) {
  api::Conditions conditions;
  const Time now = Time::from_unix(1000);
  show_contests(conditions, {{"Node n1", "metadata.labels[zone]", "", now}}, 1, now);
  ASSERT_TRUE(api::conditions::is_true(conditions, api::condition::kContested));
  EXPECT_THAT(api::conditions::find(conditions, api::condition::kContested)->message.str(),
              HasSubstr("by another writer"));

  show_contests(conditions, {}, 1, now);

  EXPECT_EQ(api::conditions::find(conditions, api::condition::kContested), nullptr);
}

}  // namespace
}  // namespace capstan::controllers
