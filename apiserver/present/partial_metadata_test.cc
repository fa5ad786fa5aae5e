#include "apiserver/present/partial_metadata.h"

#include <gtest/gtest.h>

namespace capstan::apiserver {
namespace {

const auto kSecret = std::make_shared<const json::object>(
    json::parse(
        R"({"apiVersion":"v1","kind":"Secret","metadata":{"name":"s","labels":{"a":"b"}},"data":{"k":"dg=="}})")
        .get_object());

TEST(PartialMetadata, KeepsMetadataAndNothingElse) {
  EXPECT_EQ(
      json::serialize(partial_metadata(*kSecret)),
      R"({"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"name":"s","labels":{"a":"b"}}})");
}

TEST(PartialMetadata, ListsCarryTheMetadataOfTheList) {
  const json::object list{{"resourceVersion", "5"}};

  const auto made = partial_metadata_list({kSecret, kSecret}, &list);

  EXPECT_EQ(made.at("kind"), "PartialObjectMetadataList");
  EXPECT_EQ(json::serialize(made.at("metadata")), R"({"resourceVersion":"5"})");
  EXPECT_EQ(made.at("items").as_array().size(), 2U);
}

}  // namespace
}  // namespace capstan::apiserver
