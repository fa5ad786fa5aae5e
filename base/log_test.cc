#include "base/log.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include <array>
#include <vector>

#include "base/guarded.h"
#include "base/secret.h"
#include "base/text.h"
#include "base/time.h"

namespace capstan {
namespace {

using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;

class FixedClock final : public Clock {
 public:
  WallTime now() const override { return WallTime(Nanoseconds(1'136'214'245'123'999'999)); }
  SteadyTime steady_now() const override { return SteadyTime(); }
};

class Lines final : public LogSink {
 public:
  void write(std::string_view line) override {
    lines_.with([&](auto& lines) { lines.emplace_back(line); });
  }
  std::vector<std::string> all() const {
    return lines_.with([](const auto& lines) { return lines; });
  }
  std::string last() const { return all().empty() ? "" : all().back(); }

 private:
  Guarded<std::vector<std::string>> lines_;
};

struct Key {
  std::string describe() const { return "default/a b"; }
};

const FixedClock kClock;

TEST(Log, TextLineHasTimeLevelMessageAndPairs) {
  Lines lines;
  const Log log(lines, kClock);

  log.info("machine created", {{"machine", "default/a"}, {"replicas", 3}});

  EXPECT_EQ(lines.last(), "2006-01-02T15:04:05.123Z INFO  machine created machine=default/a replicas=3\n");
}

TEST(Log, JsonLineHasTheSameFacts) {
  Lines lines;
  const Log log =
      Log(lines, kClock, {.format = LogFormat::Json}).component("machine").with({{"cluster", "c1"}});

  log.error("could not create machine", {{"attempts", 3U}, {"fatal", false}, {"share", 0.5}});

  EXPECT_EQ(
      lines.last(),
      R"({"ts":"2006-01-02T15:04:05.123Z","level":"error","component":"machine","msg":"could not create machine",)"
      R"("cluster":"c1","attempts":3,"fatal":false,"share":0.5})"
      "\n");
}

TEST(Log, EveryKindOfFactHasItsOwnForm) {
  Lines lines;
  const Log log(lines, kClock);

  log.info("x", {{"key", Key{}},
                 {"error", Error{.code = Code::Conflict, .message = "changed"}},
                 {"code", Code::Gone},
                 {"text", Text("interned")},
                 {"after", std::chrono::milliseconds(1500)},
                 {"since", Time::from_unix(0)},
                 {"empty", ""}});

  EXPECT_THAT(lines.last(),
              EndsWith("x key=\"default/a b\" error=\"Conflict: changed\" code=Gone text=interned "
                       "after=1.5s since=1970-01-01T00:00:00Z empty=\"\"\n"));
}

TEST(Log, ASecretCannotBeLogged) {
  static_assert(!std::constructible_from<LogValue, Secret<std::string>>);
  static_assert(std::constructible_from<LogValue, std::string>);
}

TEST(Log, JsonEscapesWhatJsonMustNotContain) {
  Lines lines;
  const Log log(lines, kClock, {.format = LogFormat::Json});

  log.info("x", {{"bad \"key\"", "quote \" slash \\ line \n tab \t bell \a"},
                 {"utf8", "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80"},
                 {"not_utf8", std::string_view("\xff\xc3(\xed\xa0\x80", 6)},
                 {"nan", std::numeric_limits<double>::quiet_NaN()}});

  EXPECT_THAT(lines.last(), HasSubstr(R"("bad \"key\"":"quote \" slash \\ line \n tab \t bell \u0007")"));
  EXPECT_THAT(lines.last(), HasSubstr("\"utf8\":\"\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80\""));
  EXPECT_THAT(lines.last(),
              HasSubstr("\"not_utf8\":\"\xef\xbf\xbd\xef\xbf\xbd(\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\""));
  EXPECT_THAT(lines.last(), HasSubstr("\"nan\":\"nan\""));
}

TEST(Log, ForeignTextCannotForgeASecondLine) {
  Lines lines;
  const Log log(lines, kClock);

  log.info("message\nwith break", {{"name", "evil\n2006-01-02T15:04:05.123Z INFO  all fine"}});

  EXPECT_EQ(std::ranges::count(lines.last(), '\n'), 1);
}

TEST(Log, LongValuesAreCut) {
  Lines lines;
  const Log log(lines, kClock);

  log.info("x", {{"body", std::string(1'000'000, 'a')}});

  EXPECT_LT(lines.last().size(), 9'000U);
  EXPECT_THAT(lines.last(), EndsWith("... (1000000 bytes)\"\n"));
}

TEST(Log, DebugIsSilentUntilAsked) {
  Lines lines;
  const Log quiet(lines, kClock);
  const Log loud(lines, kClock, {.levels = {.all = Level::Debug}});

  quiet.debug("hidden");
  loud.debug("shown");

  EXPECT_THAT(lines.all(), ElementsAre(HasSubstr("DEBUG shown")));
  EXPECT_FALSE(quiet.enabled(Level::Debug));
  EXPECT_TRUE(quiet.enabled(Level::Info));
}

TEST(Log, AComponentCanBeLouderThanTheRest) {
  Lines lines;
  const Log root(lines, kClock, {.levels = {.all = Level::Error, .components = {{"queue", Level::Debug}}}});

  root.component("queue").debug("from queue");
  root.component("machine").info("from machine");
  root.component("machine").error("error of machine");

  EXPECT_THAT(lines.all(),
              ElementsAre(HasSubstr("queue: from queue"), HasSubstr("machine: error of machine")));
}

TEST(Log, ItsLevelChangesForChildrenThatAreThereButNotForComponentsWithTheirOwn) {
  Lines lines;
  const Log root(lines, kClock, {.levels = {.components = {{"queue", Level::Error}}}});
  const Log machine = root.component("machine").with({{"controller", "machine"}});
  const Log queue = root.component("queue");

  root.set_level(Level::Debug);
  machine.debug("louder");
  queue.debug("hidden");
  root.set_level(Level::Error);
  machine.info("hidden");

  EXPECT_THAT(lines.all(), ElementsAre(HasSubstr("louder")));
}

TEST(Log, ChildrenAddPairsAndLeaveTheParentAlone) {
  Lines lines;
  const Log parent = Log(lines, kClock).with({{"controller", "machine"}});
  const Log child = parent.with({{"object", "default/a"}});

  child.info("child");
  parent.info("parent");

  EXPECT_THAT(lines.all(), ElementsAre(EndsWith("child controller=machine object=default/a\n"),
                                       EndsWith("parent controller=machine\n")));
}

TEST(Log, DefaultLogWritesNothing) {
  const Log log;

  log.with({{"a", 1}}).component("x").error("nobody hears this");

  EXPECT_FALSE(log.enabled(Level::Error));
}

TEST(DescriptorSink, WritesTheWholeLineAtOnce) {
  std::array<int, 2> ends = {};
  ASSERT_EQ(pipe2(ends.data(), O_DIRECT), 0);  // a packet per write
  DescriptorSink sink(ends[1]);

  sink.write("one line\n");
  sink.write("another\n");

  std::array<char, 100> buffer = {};
  const auto read_bytes = read(ends[0], buffer.data(), buffer.size());
  EXPECT_EQ(std::string_view(buffer.data(), static_cast<std::size_t>(read_bytes)), "one line\n");
  close(ends[0]);
  close(ends[1]);
}

TEST(DescriptorSink, SurvivesAClosedDescriptor) {
  DescriptorSink sink(-1);

  sink.write("nobody listens\n");
}

}  // namespace
}  // namespace capstan
