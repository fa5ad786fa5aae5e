#include "net/digest_stream.h"

#include <gtest/gtest.h>

namespace capstan::net {
namespace {

TEST(Sha256Stream, OfPiecesIsThatOfTheWhole) {
  Sha256Stream stream;

  stream.add("config");
  stream.add("");
  stream.add(".json");

  EXPECT_EQ(stream.finish(), sha256("config.json"));
}

}  // namespace
}  // namespace capstan::net
