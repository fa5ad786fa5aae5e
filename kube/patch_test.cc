#include "kube/patch.h"

#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <utility>
#include <vector>

#include "api/schema/decode.h"
#include "api/schema/encode.h"
#include "api/schema/sample_types.h"
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

// Every document with one place of it changed, added or taken away.
std::vector<api::Sample> relatives() {
  constexpr std::string_view kWhole = R"({"apiVersion":"example.dev/v1","kind":"Sample","topping":{"a":[1]},
    "metadata":{"name":"a","namespace":"n","resourceVersion":"7","uid":"u","generation":3,
      "labels":{"x":"1","y":"2"},"annotations":{"note":"n"},"finalizers":["f"],"strange":[1]},
    "spec":{"clusterName":"c","replicas":0,"serial":4,"paused":false,"strict":true,"maxSurge":"10%",
      "deletion":{"timeoutSeconds":0,"order":"Newest","odd":{"p":1,"q":2}},
      "taints":[{"key":"k","effect":"NoSchedule","more":1},{"key":"l","effect":"NoExecute"}],
      "names":["a","b"],"attributes":{"m":"1"},"selector":{"matchLabels":{"x":"1"}},
      "pods":{"matchLabels":{"z":"1"}},"topology":{"class":"k","vars":[1,{"b":null}],"deep":{"er":1}}},
    "status":{"conditions":[{"type":"Ready","status":"True","reason":"R","message":"m",
      "lastTransitionTime":"2026-01-01T00:00:00Z"}],"lastTaint":{"key":"k","effect":"NoExecute"},
      "lastUpdated":"2026-01-01T00:00:00Z","renewed":"2026-01-01T00:00:00.000001Z","observedGeneration":3}})";
  constexpr std::pair<std::string_view, std::string_view> kChanges[] = {
      {"/topping", R"({"a":[1],"b":1})"},
      {"/topping", R"([])"},
      {"/metadata/labels", R"({})"},
      {"/metadata/labels/x", R"("3")"},
      {"/metadata/annotations", R"({"note":"n","more":"m"})"},
      {"/metadata/finalizers", R"(["f","g"])"},
      {"/metadata/finalizers", R"([])"},
      {"/metadata/strange", R"({"a":1})"},
      {"/metadata/resourceVersion", R"("8")"},
      {"/metadata/generation", "4"},
      {"/spec/clusterName", R"("d")"},
      {"/spec/replicas", "5"},
      {"/spec/paused", "true"},
      {"/spec/strict", "false"},
      {"/spec/maxSurge", "2"},
      {"/spec/deletion/timeoutSeconds", "9"},
      {"/spec/deletion/odd", R"({"p":1})"},
      {"/spec/deletion/odd", R"({"q":2,"p":1})"},
      {"/spec/deletion", R"({})"},
      {"/spec/taints", R"([{"key":"l","effect":"NoExecute"}])"},
      {"/spec/taints/0/more", "2"},
      {"/spec/names", R"([])"},
      {"/spec/attributes", R"({"m":"1","o":"2"})"},
      {"/spec/selector", R"({})"},
      {"/spec/pods", R"({})"},
      {"/spec/topology", R"({"class":"k","vars":[1],"deep":{"er":2,"est":{"n":null}}})"},
      {"/spec/topology", R"({"deep":{"er":1},"vars":[1,{"b":null}],"class":"k"})"},
      {"/spec/topology", R"("a word")"},
      {"/status/conditions", R"([])"},
      {"/status/conditions/0/status", R"("False")"},
      {"/status/lastTaint/value", R"("v")"},
      {"/status/lastUpdated", R"("2026-01-01T00:00:01Z")"},
      {"/status/observedGeneration", "4"},
      {"/status", R"({})"},
  };
  constexpr std::string_view kGone[] = {"/topping",
                                        "/metadata/labels",
                                        "/metadata/finalizers",
                                        "/metadata/strange",
                                        "/metadata/resourceVersion",
                                        "/spec/replicas",
                                        "/spec/paused",
                                        "/spec/maxSurge",
                                        "/spec/deletion",
                                        "/spec/deletion/odd",
                                        "/spec/taints",
                                        "/spec/names",
                                        "/spec/attributes",
                                        "/spec/pods",
                                        "/spec/topology",
                                        "/status/lastTaint",
                                        "/status/conditions",
                                        "/status/lastUpdated",
                                        "/status"};
  const json::value whole = json::parse(kWhole);
  std::vector<api::Sample> all;
  const auto add = [&](const json::value& document) {
    auto sample = api::from_json<api::Sample>(document);
    ASSERT_TRUE(sample) << sample.error().describe() << json::serialize(document);
    all.push_back(std::move(*sample));
  };
  add(whole);
  for (const auto& [pointer, value] : kChanges) {
    json::value changed = whole;
    set(changed, pointer, value);
    add(changed);
  }
  for (const std::string_view pointer : kGone) {
    json::value changed = whole;
    const json::value removal = {{{"op", "remove"}, {"path", pointer}}};
    EXPECT_TRUE(apply_json_patch(changed, removal)) << pointer;
    add(changed);
  }
  return all;
}

TEST(Patch, OfTwoStructsIsThePatchOfTheirDocuments) {
  const auto all = relatives();
  for (const auto& before : all) {
    for (const auto& after : all) {
      for (const Part part : {Part::Main, Part::Status}) {
        for (const Lock lock : {Lock::WhenArraysChange, Lock::Always, Lock::Never}) {
          EXPECT_EQ(merge_patch(api::type_of<api::Sample>, &before, &after, part, lock),
                    merge_patch(api::to_json(before), api::to_json(after), part, lock))
              << api::encode(before) << "\n"
              << api::encode(after);
        }
      }
    }
  }
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
