#include "net/file_limit.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

namespace capstan::net {
namespace {

rlimit limit_now() {
  rlimit limit = {};
  getrlimit(RLIMIT_NOFILE, &limit);
  return limit;
}

TEST(FileLimit, IsRaisedAsFarAsAllowedAndNeverLowered) {
  const rlimit before = limit_now();
  const rlimit low{.rlim_cur = 64, .rlim_max = before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &low), 0);

  EXPECT_EQ(raise_file_limit(128).value(), 128U);
  EXPECT_EQ(raise_file_limit(100).value(), 128U);
  EXPECT_EQ(limit_now().rlim_cur, 128U);
  EXPECT_EQ(raise_file_limit(before.rlim_max).value(), before.rlim_max);
}

}  // namespace
}  // namespace capstan::net
