#include "apiserver/verbs/strategic.h"

#include <gtest/gtest.h>

#include "apiserver/builtin/builtin.h"

namespace capstan::apiserver {
namespace {

std::string patched(std::string_view live, std::string_view patch) {
  const auto result = strategic_merge(json::parse(live).get_object(), json::parse(patch).get_object(),
                                      *builtin_type("io.k8s.api.core.v1.PodSpec"));
  return result ? json::serialize(*result) : "! " + result.error();
}

TEST(StrategicMerge, MergesItemsByTheirKey) {
  EXPECT_EQ(patched(R"({"containers":[{"name":"a","image":"1"},{"name":"b","image":"1"}]})",
                    R"({"containers":[{"name":"b","image":"2"},{"name":"c","image":"3"}]})"),
            R"({"containers":[{"name":"a","image":"1"},{"name":"b","image":"2"},{"name":"c","image":"3"}]})");
}

TEST(StrategicMerge, ReplacesAtomicLists) {
  EXPECT_EQ(patched(R"({"tolerations":[{"key":"a"}]})", R"({"tolerations":[{"key":"b"}]})"),
            R"({"tolerations":[{"key":"b"}]})");
}

TEST(StrategicMerge, DeletesAndReplacesOnRequest) {
  EXPECT_EQ(patched(R"({"containers":[{"name":"a"},{"name":"b"}]})",
                    R"({"containers":[{"$patch":"delete","name":"a"}]})"),
            R"({"containers":[{"name":"b"}]})");
  EXPECT_EQ(patched(R"({"containers":[{"name":"a"},{"name":"b"}]})",
                    R"({"containers":[{"$patch":"replace"},{"name":"c"}]})"),
            R"({"containers":[{"name":"c"}]})");
  EXPECT_EQ(patched(R"({"securityContext":{"runAsUser":1}})",
                    R"({"securityContext":{"$patch":"replace","fsGroup":2}})"),
            R"({"securityContext":{"fsGroup":2}})");
}

TEST(StrategicMerge, BringsItemsIntoTheClientsOrder) {
  EXPECT_EQ(
      patched(
          R"({"containers":[{"name":"a"},{"name":"b"}]})",
          R"({"$setElementOrder/containers":[{"name":"b"},{"name":"a"}],"containers":[{"name":"a","image":"2"}]})"),
      R"({"containers":[{"name":"b"},{"name":"a","image":"2"}]})");
}

TEST(StrategicMerge, RetainsOnlyTheKeysItIsTold) {
  EXPECT_EQ(
      patched(R"({"volumes":[{"name":"v","emptyDir":{}}]})",
              R"({"volumes":[{"$retainKeys":["name","hostPath"],"name":"v","hostPath":{"path":"/x"}}]})"),
      R"({"volumes":[{"name":"v","hostPath":{"path":"/x"}}]})");
}

TEST(StrategicMerge, RefusesItemsWithoutTheirKey) {
  EXPECT_TRUE(patched(R"({"containers":[]})", R"({"containers":[{"image":"x"}]})").starts_with("! "));
  EXPECT_TRUE(patched("{}", R"({"securityContext":{"$patch":"frobnicate"}})").starts_with("! "));
}

// Found by fuzzing: each application made one more item that no patch could ever name.
TEST(StrategicMerge, RefusesItemsWhoseKeyIsNull) {
  EXPECT_TRUE(patched("{}", R"({"containers":[{"name":null,"image":"x"}]})").starts_with("! "));
}

}  // namespace
}  // namespace capstan::apiserver
