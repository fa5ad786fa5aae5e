#include "controllers/shared/lost_managers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace capstan::controllers {
namespace {

namespace json = boost::json;

// The field managers after the repair of an object that had these.
std::string repaired(std::string_view managers) {
  json::value live = {{"apiVersion", "g/v1"}, {"metadata", {{"resourceVersion", "5"}}}};
  if (!managers.empty()) live.at("metadata").as_object()["managedFields"] = json::parse(managers);
  const auto patch = managers_patch(live, {.manager = "us"});
  if (!patch) return patch.error().message;
  EXPECT_EQ(patch->at("metadata").at("resourceVersion"), "5");
  return json::serialize(patch->at("metadata").at("managedFields"));
}

constexpr std::string_view kOurs =
    R"({"manager":"us","operation":"Apply","apiVersion":"g/v1","fieldsType":"FieldsV1",)"
    R"("fieldsV1":{"f:metadata":{"f:name":{}}}})";

TEST(RepairManagers, AnObjectWithoutAnyGetsAnEntryOfOurs) {
  EXPECT_EQ(repaired(""), "[" + std::string(kOurs) + "]");
}

TEST(RepairManagers, TheInventedEntryGoesAndThoseOfOthersStay) {
  EXPECT_EQ(repaired(R"([{"manager":"before-first-apply","operation":"Update"},
                         {"manager":"kubectl","operation":"Update"}])"),
            R"([{"manager":"kubectl","operation":"Update"},)" + std::string(kOurs) + "]");
}

TEST(RepairManagers, AnObjectThatLostNothingIsLeftAsItIs) {
  EXPECT_EQ(repaired("[" + std::string(kOurs) + "]"), "nothing was lost");
}

}  // namespace
}  // namespace capstan::controllers
