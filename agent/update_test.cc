#include "agent/update.h"

#include <gmock/gmock.h>

namespace capstan::agent {
namespace {

using ::testing::HasSubstr;

const UpdateAsked kAsked{.id = "web-2", .version = "v1.36.0"};
const Wanted kWanted{.kubelet = WantedProgram{.version = "v1.36.0"}};

UpdateSeen done() {
  return {.asked = kAsked,
          .wanted = &kWanted,
          .newest = true,
          .applied = true,
          .running = "v1.36.0",
          .running_before = "v1.35.3"};
}
std::string why_failed(const UpdateSeen& seen) {
  const auto result = result_of(seen);
  return result ? result->failed_because : "no result";
}

TEST(Update, IsAskedForByALabelUntilItsResultStandsThere) {
  const Annotations ready = {{"capstan.dev/ready-for-update", "web-2"}};
  const Annotations version = {{"capstan.dev/update-version", "v1.36.0"}};

  EXPECT_FALSE(update_asked({}, version));
  const auto asked = update_asked(ready, version);
  ASSERT_TRUE(asked);
  EXPECT_EQ(asked->id, "web-2");
  EXPECT_EQ(asked->version, "v1.36.0");
  EXPECT_FALSE(update_asked(
      {{"capstan.dev/ready-for-update", "web-2"}, {"capstan.dev/update-result", "failed"}}, version));
}

TEST(Update, HasSucceededOnceTheOtherKubeletRuns) {
  EXPECT_EQ(why_failed(done()), "");
  UpdateSeen seen = done();
  seen.running = "v1.35.3";
  EXPECT_FALSE(result_of(seen)) << "it was restarted, and the old one still reports";
  seen.running_before = "";
  EXPECT_EQ(why_failed(seen), "") << "its program is the wanted one already, whatever its version is called";
}

TEST(Update, OfAnEntryThatLeadsToALaterPatchSucceedsWithThatOne) {
  UpdateSeen seen = done();
  seen.running = "v1.36.2";
  EXPECT_EQ(why_failed(seen), "");
}

TEST(Update, WaitsWhileTheConfigurationHasErrorsOrAnotherOneIsOffered) {
  UpdateSeen faulty = done();
  faulty.applied = false;
  EXPECT_FALSE(result_of(faulty));

  const Wanted without_entry{.kubelet = WantedProgram{.version = "v1.35.0"}};
  UpdateSeen late = done();
  late.wanted = &without_entry;
  late.newest = false;
  EXPECT_FALSE(result_of(late)) << "the entry may be in the one that is offered";
  late.newest = true;
  EXPECT_THAT(why_failed(late), HasSubstr("no kubelet.binaries of v1.36.0: add the entry"));
}

TEST(Update, FailsWhereAnotherBootstrapConfigurationIsWanted) {
  const UpdateAsked asked{.id = "web-2", .version = "v1.36.0", .bootstrap = "CloudConfigTemplate web-b"};
  const UpdateSeen seen{.asked = asked, .wanted = &kWanted, .newest = true, .applied = true};

  EXPECT_THAT(why_failed(seen), HasSubstr("another one, too (CloudConfigTemplate web-b)"));
}

TEST(Update, FailsWhereTheNodeDoesNotSayWhichVersion) {
  const UpdateAsked asked{.id = "web-2"};
  EXPECT_THAT(why_failed({.asked = asked, .wanted = &kWanted}), HasSubstr("capstan.dev/update-version"));
}

TEST(Update, ItsResultIsALabelAndAReason) {
  NodeMarks marks;
  add_result({}, marks);
  EXPECT_EQ(marks.labels.at("capstan.dev/update-result"), "successful");
  EXPECT_TRUE(marks.annotations.empty());

  add_result({.failed_because = "no disk"}, marks);
  EXPECT_EQ(marks.labels.at("capstan.dev/update-result"), "failed");
  EXPECT_EQ(marks.annotations.at("capstan.dev/update-failed-reason"), "no disk");
}

}  // namespace
}  // namespace capstan::agent
