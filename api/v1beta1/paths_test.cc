#include "api/v1beta1/paths.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>

namespace capstan::api::v1beta1 {
namespace {

namespace json = boost::json;

json::object parsed(const char* text) { return json::parse(text).as_object(); }

TEST(Paths, TakeRemovesAndPutMakesTheWay) {
  json::object document = parsed(R"({"a":{"b":{"c":1,"d":2}}})");

  const json::value taken = take(document, "a.b.c");
  put(document, "x.y", taken);

  EXPECT_EQ(document, parsed(R"({"a":{"b":{"d":2}},"x":{"y":1}})"));
}

TEST(Paths, NothingIsTakenWhereNothingStands) {
  json::object document = parsed(R"({"a":7})");

  EXPECT_TRUE(take(document, "a.b").is_null());
  EXPECT_TRUE(take(document, "z").is_null());
  EXPECT_EQ(look_up(document, "a.b.c"), nullptr);
  EXPECT_EQ(document, parsed(R"({"a":7})"));
}

TEST(Paths, OnlyParentsThatHaveBecomeEmptyGo) {
  json::object document = parsed(R"({"a":{"b":{"c":{}},"keep":1}})");

  remove_empty_parents(document, "a.b.c.d");

  EXPECT_EQ(document, parsed(R"({"a":{"keep":1}})"));
}

TEST(Paths, PutReplacesWhatIsNoObjectOnTheWay) {
  json::object document = parsed(R"({"a":7})");

  put(document, "a.b", 1);

  EXPECT_EQ(document, parsed(R"({"a":{"b":1}})"));
}

}  // namespace
}  // namespace capstan::api::v1beta1
