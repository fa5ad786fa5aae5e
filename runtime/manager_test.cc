#include "runtime/manager.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace capstan::runtime {
namespace {

using testing::ElementsAre;

class Parts {
 public:
  Manager manager{clock_, {}};
  std::vector<std::string> happened;

  void add(Group group, const std::string& name, bool works = true) {
    manager.add({.group = group,
                 .name = name,
                 .start = [this, name, works]() -> Result<void> {
                   if (!works) return fail(Code::Unavailable, "no luck");
                   happened.push_back("+" + name);
                   return {};
                 },
                 .stop = [this, name] { happened.push_back("-" + name); }});
  }

 private:
  SystemClock clock_;
};

TEST(Manager, StartsByGroupAndStopsInReverse) {
  Parts parts;
  parts.add(Group::Controllers, "controllers");
  parts.add(Group::Endpoints, "endpoints");
  parts.add(Group::Informers, "informers");

  ASSERT_TRUE(parts.manager.start());
  parts.manager.stop();

  EXPECT_THAT(parts.happened, ElementsAre("+endpoints", "+informers", "+controllers", "-controllers",
                                          "-informers", "-endpoints"));
}

TEST(Manager, ServesWebhooksBeforeInformersListAndUntilTheyHaveStopped) {
  Parts parts;
  parts.add(Group::Informers, "informers");
  parts.add(Group::Webhooks, "webhooks");

  ASSERT_TRUE(parts.manager.start());
  parts.manager.stop();

  EXPECT_THAT(parts.happened, ElementsAre("+webhooks", "+informers", "-informers", "-webhooks"));
}

TEST(Manager, StopsWhatRanWhenOneFailsAndNamesIt) {
  Parts parts;
  parts.add(Group::Endpoints, "endpoints");
  parts.add(Group::Informers, "informers", false);
  parts.add(Group::Controllers, "controllers");

  const auto started = parts.manager.start();

  ASSERT_FALSE(started);
  EXPECT_EQ(started.error().message, "start informers: no luck");
  EXPECT_THAT(parts.happened, ElementsAre("+endpoints", "-endpoints"));
}

TEST(Manager, StoppingTwiceStopsOnce) {
  Parts parts;
  parts.add(Group::Io, "io");
  ASSERT_TRUE(parts.manager.start());

  parts.manager.stop();
  parts.manager.stop();

  EXPECT_THAT(parts.happened, ElementsAre("+io", "-io"));
}

}  // namespace
}  // namespace capstan::runtime
