// Our answers to ConversionReviews beside upstream's: the same random objects are posted to upstream's
// /convert and given to ours, and both have to say the same. What differs on purpose is a row in
// docs/deviations.md.
#include "webhooks/conversion_review.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

#include "api/schema/yaml.h"
#include "test/builders/schema_documents.h"
#include "test/envtest/upstream_core.h"

namespace capstan::envtest {
namespace {

namespace json = boost::json;

struct Converted {
  std::string group = {};
  std::string kind = {};  // "machines"
  std::string from = {};
  std::string to = {};
};

void PrintTo(const Converted& row, std::ostream* out) {
  *out << row.kind << " " << row.from << " to " << row.to;
}

std::size_t objects_each() {
  const char* wanted = std::getenv("CAPSTAN_CONVERSIONS");
  return wanted == nullptr ? 500 : std::strtoul(wanted, nullptr, 10);
}

std::string file_text(const std::filesystem::path& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

class Conversion : public ::testing::TestWithParam<Converted> {
 protected:
  static void SetUpTestSuite() {
    auto started = UpstreamCore::start();
    ASSERT_TRUE(started) << started.error().describe();
    core_ = std::move(*started);
  }
  static void TearDownTestSuite() { core_.reset(); }

  static json::value upstream_crd(const Converted& row) {
    const auto crd =
        api::parse_yaml(file_text(core_->crds() / fmt::format("{}_{}.yaml", row.group, row.kind)));
    return crd ? *crd : json::value();
  }

  static std::unique_ptr<UpstreamCore> core_;
};
std::unique_ptr<UpstreamCore> Conversion::core_;

std::string review_of(const json::array& objects, const Converted& row) {
  return json::serialize(json::object{{"apiVersion", "apiextensions.k8s.io/v1"},
                                      {"kind", "ConversionReview"},
                                      {"request",
                                       {{"uid", "705ab4f5"},
                                        {"desiredAPIVersion", fmt::format("{}/{}", row.group, row.to)},
                                        {"objects", objects}}}});
}

// The versions that the CRDs of this bed serve.
Result<std::string> api_version_of(std::string_view group, std::string_view kind) {
  if (kind.starts_with("Driver") || kind.starts_with("CloudConfig")) return fmt::format("{}/v1beta2", group);
  return fail(Code::NotFound, fmt::format("no CustomResourceDefinition for {}", kind));
}

json::value response_of(const Result<std::string>& answer) {
  if (!answer) return json::string(answer.error().describe());
  return json::parse(*answer).at("response");
}

// What an older client left on an object that v1beta2 wrote before.
void annotate(json::object& old, const json::value& crd, Randomness& randomness) {
  json::object kept = builders::random_document(crd, "v1beta2", randomness);
  kept.erase("metadata");
  json::object& metadata = old["metadata"].as_object();
  if (!metadata.contains("annotations")) metadata["annotations"].emplace_object();
  metadata["annotations"].as_object()["cluster.x-k8s.io/conversion-data"] = json::serialize(kept);
}

json::array random_objects(const json::value& crd, const Converted& row, builders::Fill fill) {
  SeededRandomness randomness(22);
  json::array objects;
  for (std::size_t i = 0; i < objects_each(); ++i) {
    objects.push_back(builders::random_document(crd, row.from, randomness, fill));
    if (row.from != "v1beta2" && row.to == "v1beta2" && below(randomness, 2) == 0)
      annotate(objects.back().as_object(), crd, randomness);
  }
  return objects;
}

void expect_the_same(const json::array& objects, const json::value& theirs, const json::value& ours) {
  ASSERT_TRUE(theirs.is_object() && theirs.as_object().contains("convertedObjects")) << theirs;
  ASSERT_TRUE(ours.is_object() && ours.as_object().contains("convertedObjects")) << ours;
  int differ = 0;
  for (std::size_t i = 0; i < objects.size() && differ < 3; ++i) {
    const json::value want = builders::canonical(theirs.at("convertedObjects").at(i));
    const json::value have = builders::canonical(ours.at("convertedObjects").at(i));
    EXPECT_EQ(have, want) << "of " << builders::canonical(objects[i]);
    differ += have != want ? 1 : 0;
  }
}

TEST_P(Conversion, SaysWhatUpstreamSays) {
  ASSERT_TRUE(core_);
  const json::array objects = random_objects(upstream_crd(GetParam()), GetParam(), builders::Fill::Allowed);
  const std::string review = review_of(objects, GetParam());

  const json::value theirs = response_of(core_->post("/convert", review));
  const json::value ours = response_of(webhooks::answer_conversion(review, api_version_of));

  expect_the_same(objects, theirs, ours);
}

TEST_P(Conversion, SaysWhatUpstreamSaysOfEmptyFields) {
  ASSERT_TRUE(core_);
  const json::array objects =
      random_objects(upstream_crd(GetParam()), GetParam(), builders::Fill::OftenEmpty);
  const std::string review = review_of(objects, GetParam());

  const json::value theirs = response_of(core_->post("/convert", review));
  const json::value ours = response_of(webhooks::answer_conversion(review, api_version_of));

  expect_the_same(objects, theirs, ours);
}

std::vector<Converted> both_ways() {
  std::vector<Converted> rows;
  const auto add = [&](const char* group, const char* kind, const char* older) {
    rows.push_back({.group = group, .kind = kind, .from = older, .to = "v1beta2"});
    rows.push_back({.group = group, .kind = kind, .from = "v1beta2", .to = older});
  };
  for (const char* kind : {"clusters", "machines", "machinesets", "machinedeployments", "machinepools",
                           "machinehealthchecks", "machinedrainrules"}) {
    add("cluster.x-k8s.io", kind, "v1beta1");
  }
  for (const char* kind : {"ipaddresses", "ipaddressclaims"}) {
    add("ipam.cluster.x-k8s.io", kind, "v1alpha1");
    add("ipam.cluster.x-k8s.io", kind, "v1beta1");
    rows.push_back({.group = "ipam.cluster.x-k8s.io", .kind = kind, .from = "v1alpha1", .to = "v1beta1"});
  }
  add("addons.cluster.x-k8s.io", "clusterresourcesets", "v1beta1");
  add("addons.cluster.x-k8s.io", "clusterresourcesetbindings", "v1beta1");
  add("runtime.cluster.x-k8s.io", "extensionconfigs", "v1alpha1");
  return rows;
}

INSTANTIATE_TEST_SUITE_P(Kinds, Conversion, ::testing::ValuesIn(both_ways()), [](const auto& row) {
  return fmt::format("{}_{}_to_{}", row.param.kind, row.param.from, row.param.to);
});

}  // namespace
}  // namespace capstan::envtest
