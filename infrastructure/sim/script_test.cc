#include "infrastructure/sim/script.h"

#include <gmock/gmock.h>

namespace capstan::infrastructure::sim {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

std::string complaint(std::string_view text) {
  const auto script = parse_script(text);
  return script ? "none" : script.error().message;
}

TEST(Script, SaysEverythingInOneFile) {
  const auto script = parse_script(R"(
seed: 7
latency: {create: 2s, remove: 1s, status: 50ms, list: 200ms, jitterPercent: 20}
quota: {vms: 100, classes: {m5.large: 10}}
boot: {register: 20s, ready: 5s, jitterPercent: 50}
heartbeat: {lease: 10s, status: 5m, grace: 30s}
listLag: 3s
faults:
- verb: create
  code: ResourceExhausted
  message: no more of these
  vms: "md-0-*"
  percent: 30
  skip: 1
  times: 2
  total: 10
  effect: Happened
- vanish: 2m
  percent: 5
- {verb: list, missing: 50, after: 10m, for: 5m}
- {verb: list, late: 60s}
- account: other-#
- domain: a
- {join: Never, vms: "md-1-*"}
- {api: demo-*, for: 30m}
- {domain: b, returns: true}
)");

  ASSERT_TRUE(script) << script.error().message;
  EXPECT_EQ(script->seed, 7U);
  EXPECT_EQ(script->latency,
            (Latency{.create = 2s, .remove = 1s, .status = 50ms, .list = 200ms, .jitter_percent = 20}));
  EXPECT_EQ(script->quota.vms, 100);
  EXPECT_EQ(script->quota.classes.at("m5.large"), 10);
  EXPECT_EQ(script->register_after, 20s);
  EXPECT_EQ(script->boot_jitter_percent, 50);
  EXPECT_EQ(script->ready_after, 5s);
  EXPECT_EQ(script->lease_every, 10s);
  EXPECT_EQ(script->silence_grace, 30s);
  EXPECT_EQ(script->list_lag, 3s);
  EXPECT_EQ(script->faults.at(0), (FaultRule{.verb = SimVerb::Create,
                                             .code = DriverCode::ResourceExhausted,
                                             .message = "no more of these",
                                             .vms = "md-0-*",
                                             .percent = 30,
                                             .skip = 1,
                                             .times = 2,
                                             .total = 10,
                                             .happened = true}));
  EXPECT_EQ(script->faults.at(1), (FaultRule{.vanish = 2min, .percent = 5}));
  EXPECT_EQ(script->faults.at(2),
            (FaultRule{.verb = SimVerb::List, .missing_percent = 50, .after = 10min, .lasts = 5min}));
  EXPECT_EQ(script->faults.at(3), (FaultRule{.verb = SimVerb::List, .late = 60s}));
  EXPECT_EQ(script->faults.at(4), (FaultRule{.account = "other-#"}));
  EXPECT_EQ(script->faults.at(5), (FaultRule{.domain = "a"}));
  EXPECT_EQ(script->faults.at(6), (FaultRule{.never_joins = true, .vms = "md-1-*"}));
  EXPECT_EQ(script->faults.at(7), (FaultRule{.api = "demo-*", .lasts = 30min}));
  EXPECT_EQ(script->faults.at(8), (FaultRule{.domain = "b", .returns = true}));
}

TEST(Script, MayBeJsonOrEmpty) {
  EXPECT_EQ(parse_script(R"({"listLag": "1s"})")->list_lag, 1s);
  EXPECT_EQ(*parse_script(""), Script());
}

TEST(Script, NamesTheLineThatIsNoYaml) {
  EXPECT_THAT(complaint("seed: 1\nlatency: {create: 2s\n"), HasSubstr("line"));
}

TEST(Script, NamesTheFieldThatIsWrong) {
  EXPECT_THAT(complaint("faults: [{verb: create}, {verb: create, code: Exausted}]"),
              HasSubstr("faults[1].code: no code is called Exausted"));
  EXPECT_THAT(complaint("faults: [{verb: make}]"), HasSubstr("faults[0].verb: no verb is called make"));
  EXPECT_THAT(complaint("faults: [{code: Unknown}]"), HasSubstr("faults[0]: needs either verb"));
  EXPECT_THAT(complaint("faults: [{verb: create, vanish: 1s}]"), HasSubstr("faults[0]: needs either verb"));
  EXPECT_THAT(complaint("faults: [{join: Later}]"), HasSubstr("faults[0].join: must be Never"));
  EXPECT_THAT(complaint("faults: [{verb: create, late: 1s}]"), HasSubstr("are about verb list"));
  EXPECT_THAT(complaint("faults: [{api: demo, domain: a}]"), HasSubstr("faults[0]: needs either verb"));
  EXPECT_THAT(complaint("faults: [{vanish: 1s, returns: true}]"),
              HasSubstr("faults[0].returns: is about a failure domain"));
  EXPECT_THAT(complaint("faults: [{domain: a, returns: 5m}]"), HasSubstr("must be true or false"));
  EXPECT_THAT(complaint("latency: {create: soon}"), HasSubstr("latency.create: must be a span of time"));
  EXPECT_THAT(complaint("latency: {create: -1s}"), HasSubstr("latency.create"));
  EXPECT_THAT(complaint("latency: {creat: 1s}"), HasSubstr("latency.creat: no field is called that"));
  EXPECT_THAT(complaint("faults: [{vanish: 1s, percent: 101}]"),
              HasSubstr("faults[0].percent: must be a whole number"));
  EXPECT_THAT(complaint("quota: {classes: {a: many}}"), HasSubstr("quota.classes.a"));
  EXPECT_THAT(complaint("faults: {}"), HasSubstr("faults: must be a list"));
  EXPECT_THAT(complaint("[]"), HasSubstr("must be an object"));
  EXPECT_THAT(complaint("seed: 1\n---\nseed: 2\n"), HasSubstr("one document"));
}

TEST(Globs, MatchWholeNames) {
  EXPECT_TRUE(matches_glob("*", ""));
  EXPECT_TRUE(matches_glob("md-*-a?c", "md-0-x-abc"));
  EXPECT_TRUE(matches_glob("m1", "m1"));
  EXPECT_FALSE(matches_glob("m1", "m10"));
  EXPECT_FALSE(matches_glob("*-0", "md-00-1"));
  EXPECT_FALSE(matches_glob("?", ""));
}

}  // namespace
}  // namespace capstan::infrastructure::sim
