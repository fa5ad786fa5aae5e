#include "kube/patch.h"

#include <gtest/gtest.h>

#include <boost/json.hpp>

#include "kube/json_patch.h"
#include "kube/test_kinds.h"

namespace capstan::kube {
namespace {

namespace json = boost::json;

constexpr std::string_view kMachine = R"({"apiVersion":"v1","kind":"Machine",
  "metadata":{"name":"a","resourceVersion":"7","generation":2,"labels":{"x":"1"},"finalizers":["f"]},
  "spec":{"n":1,"taints":[{"key":"k"}]},
  "status":{"phase":"Running","conditions":[{"type":"Ready"}]}})";

json::value machine() { return json::parse(kMachine); }
void set(json::value& object, std::string_view pointer, std::string_view value) {
  const json::value patch = {{{"op", "add"}, {"path", pointer}, {"value", json::parse(value)}}};
  ASSERT_TRUE(apply_json_patch(object, patch));
}
json::value machine_with(std::string_view pointer, std::string_view value) {
  json::value changed = machine();
  set(changed, pointer, value);
  return changed;
}
std::string patch_text(const json::value& after, Part part, Lock lock = Lock::WhenArraysChange) {
  const auto patch = merge_patch(machine(), after, part, lock);
  return patch ? json::serialize(*patch) : "no request";
}

TEST(Patch, NothingChangedMeansNoRequest) {
  EXPECT_EQ(patch_text(machine(), Part::Main), "no request");
  EXPECT_EQ(patch_text(machine(), Part::Status), "no request");
  EXPECT_EQ(patch_text(machine(), Part::Status, Lock::Always), "no request");
}

TEST(Patch, EachPartSeesOnlyItsHalf) {
  const json::value other_spec = machine_with("/spec/n", "2");
  const json::value other_status = machine_with("/status/phase", R"("Failed")");

  EXPECT_EQ(patch_text(other_spec, Part::Main), R"({"spec":{"n":2}})");
  EXPECT_EQ(patch_text(other_spec, Part::Status), "no request");
  EXPECT_EQ(patch_text(other_status, Part::Main), "no request");
  EXPECT_EQ(patch_text(other_status, Part::Status), R"({"status":{"phase":"Failed"}})");
}

TEST(Patch, ReplacingAnArrayCarriesTheVersion) {
  EXPECT_EQ(patch_text(machine_with("/status/conditions", "[]"), Part::Status),
            R"({"status":{"conditions":[]},"metadata":{"resourceVersion":"7"}})");
  EXPECT_EQ(patch_text(machine_with("/metadata/finalizers", R"(["f","g"])"), Part::Main),
            R"({"metadata":{"finalizers":["f","g"],"resourceVersion":"7"}})");
}

TEST(Patch, RemovingAnArrayCarriesTheVersion) {
  json::value after = machine();
  after.get_object()["status"].get_object().erase("conditions");

  EXPECT_EQ(patch_text(after, Part::Status),
            R"({"status":{"conditions":null},"metadata":{"resourceVersion":"7"}})");
}

TEST(Patch, TheLockIsTheCallersChoice) {
  EXPECT_EQ(patch_text(machine_with("/spec/n", "2"), Part::Main, Lock::Always),
            R"({"spec":{"n":2},"metadata":{"resourceVersion":"7"}})");
  EXPECT_EQ(patch_text(machine_with("/status/conditions", "[]"), Part::Status, Lock::Never),
            R"({"status":{"conditions":[]}})");
}

TEST(Patch, NeverWritesWhatTheServerOwns) {
  json::value after = machine_with("/metadata/resourceVersion", R"("9")");
  set(after, "/metadata/generation", "3");
  set(after, "/metadata/uid", R"("u")");

  EXPECT_EQ(patch_text(after, Part::Main), "no request");
}

json::value with_finalizers(const std::vector<std::string>& finalizers) {
  json::value object = json::parse(R"({"metadata":{}})");
  if (!finalizers.empty()) {
    object.at("metadata").get_object()["finalizers"] = json::array(finalizers.begin(), finalizers.end());
  }
  return object;
}

TEST(FinalizerPatch, AddsToWhatIsThere) {
  for (const std::vector<std::string>& present : {std::vector<std::string>{}, {"other"}}) {
    json::value object = with_finalizers(present);

    const auto patch = add_finalizer_patch(present, "mine");

    ASSERT_TRUE(patch);
    ASSERT_TRUE(apply_json_patch(object, *patch));
    std::vector<std::string> wanted = present;
    wanted.emplace_back("mine");
    EXPECT_EQ(object, with_finalizers(wanted));
  }
}

TEST(FinalizerPatch, RemovesOnlyItsOwn) {
  json::value two = with_finalizers({"other", "mine"});
  json::value last = with_finalizers({"mine"});

  ASSERT_TRUE(apply_json_patch(two, *remove_finalizer_patch({"other", "mine"}, "mine")));
  ASSERT_TRUE(apply_json_patch(last, *remove_finalizer_patch({"mine"}, "mine")));

  EXPECT_EQ(two, with_finalizers({"other"}));
  EXPECT_EQ(last, with_finalizers({}));
}

TEST(Patch, OfTwoStructsLivesOnWhenTheirDocumentsAreGone) {
  Widget before;
  before.spec.size = 1;
  Widget after = before;
  after.spec.size = 2;
  after.metadata.labels.set(Text("a"), Text("a value too long to stand in the document itself"));

  const auto patch = merge_patch(api::type_of<Widget>, &before, &after, Part::Main, Lock::Never);

  ASSERT_TRUE(patch);
  EXPECT_EQ(
      json::serialize(*patch),
      R"({"metadata":{"labels":{"a":"a value too long to stand in the document itself"}},"spec":{"size":2}})");
  EXPECT_EQ(*patch->storage(), *json::storage_ptr());
  EXPECT_FALSE(merge_patch(api::type_of<Widget>, &after, &after, Part::Main, Lock::Always));
}

TEST(FinalizerPatch, IsNotSentWhenTheListIsAsWanted) {
  EXPECT_FALSE(add_finalizer_patch({"mine"}, "mine"));
  EXPECT_FALSE(remove_finalizer_patch({"other"}, "mine"));
}

TEST(FinalizerPatch, FailsWhenSomebodyElseChangedTheList) {
  json::value changed = with_finalizers({"other", "third"});
  json::value filled = with_finalizers({"third"});

  const auto into_changed = apply_json_patch(changed, *add_finalizer_patch({"other"}, "mine"));
  const auto into_filled = apply_json_patch(filled, *add_finalizer_patch({}, "mine"));
  const auto out_of_changed = apply_json_patch(changed, *remove_finalizer_patch({"other", "mine"}, "mine"));

  EXPECT_FALSE(into_changed);
  EXPECT_FALSE(into_filled);
  EXPECT_FALSE(out_of_changed);
}

}  // namespace
}  // namespace capstan::kube
