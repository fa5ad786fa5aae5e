#include "cmd/program/flags.h"

#include <gtest/gtest.h>

namespace capstan::program {
namespace {

TEST(ListenAddresses, AreRead) {
  EXPECT_TRUE(parse_listen_address("x", "0")->off);
  EXPECT_EQ(parse_listen_address("x", ":9440")->port, 9440);
  EXPECT_EQ(parse_listen_address("x", "127.0.0.1:1")->host, "127.0.0.1");
  EXPECT_EQ(parse_listen_address("x", "[::1]:1")->host, "::1");
}

TEST(ListenAddresses, WithAPortThatThereIsNotAreRefused) {
  for (const char* address : {":65536", ":99999", "localhost:-1", ":80x", ":"})
    EXPECT_FALSE(parse_listen_address("x", address)) << address;
  EXPECT_TRUE(parse_listen_address("x", ":65535"));
}

}  // namespace
}  // namespace capstan::program
