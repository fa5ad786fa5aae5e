#include "cmd/dev/screen.h"

#include <gtest/gtest.h>

#include <memory>

namespace capstan::dev {
namespace {

struct Close {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, Close>;

TEST(Screen, NoticesThatNobodyCanReadIt) {
  const SystemClock clock;
  const File full(std::fopen("/dev/full", "w"));
  ASSERT_NE(full, nullptr);
  Screen screen(clock, Show::Lines, full.get());

  screen.say("hello");

  EXPECT_TRUE(screen.lost());
}

TEST(Screen, IsNotLostWhileItIsRead) {
  const SystemClock clock;
  const File file(std::tmpfile());
  ASSERT_NE(file, nullptr);
  Screen screen(clock, Show::Json, file.get());

  screen.show({});

  EXPECT_FALSE(screen.lost());
  EXPECT_GT(std::ftell(file.get()), 0);
}

}  // namespace
}  // namespace capstan::dev
