// Random objects of every kind, to the other version and back.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <span>

#include "api/schema/crd.h"
#include "api/v1beta1/convert.h"
#include "api/v1beta1/form.h"
#include "api/v1beta1/kinds.h"
#include "api/v1beta1/paths.h"
#include "test/builders/schema_documents.h"

namespace capstan::api::v1beta1 {
namespace {

namespace json = boost::json;

constexpr int kEach = 200;

Result<std::string> api_version_of(std::string_view group, std::string_view) {
  return fmt::format("{}/v1beta2", group);
}

class RoundTrip : public ::testing::TestWithParam<const Kind*> {
 protected:
  const Kind& kind() const { return *GetParam(); }
  json::object random(std::string_view version) {
    const CrdVersion versions[] = {{.resource = kind().new_type->resource, .type = kind().new_type},
                                   {.resource = kind().old_type->resource, .type = kind().old_type}};
    return builders::random_document(crd(versions), version, randomness_);
  }
  json::object old_of(json::object document) {
    const auto outcome = from_v1beta2(kind(), document, api_version_of);
    EXPECT_TRUE(outcome) << outcome.error().message;
    return document;
  }
  json::object new_of(json::object document) {
    const auto outcome = to_v1beta2(kind(), document);
    EXPECT_TRUE(outcome) << outcome.error().message;
    return document;
  }
  // As the converter writes it.
  json::object written(json::object document) {
    EXPECT_TRUE(read(form_of(*kind().new_type), nullptr, document));
    write(form_of(*kind().new_type), document);
    return document;
  }

 private:
  SeededRandomness randomness_{7};
};

bool is_empty(const json::value& value) {
  return (value.is_object() && value.get_object().empty()) || (value.is_array() && value.get_array().empty());
}

// An empty object or list may come or go, as it does with Go's encoder.
json::value without_empty(json::value value) {
  if (value.is_object()) {
    json::object kept;
    for (auto& [key, inner] : value.get_object()) {
      json::value made = without_empty(std::move(inner));
      if (!is_empty(made)) kept.emplace(key, std::move(made));
    }
    return kept;
  }
  if (!value.is_array()) return value;
  for (json::value& inner : value.get_array()) inner = without_empty(std::move(inner));
  return value;
}

json::value part(const json::object& document, std::string_view name) {
  const auto* found = document.if_contains(name);
  return found == nullptr ? json::value() : without_empty(builders::canonical(*found));
}

// MachineSets have no annotation that could keep the zero.
void forget_a_zero(json::object& document) {
  const auto* seconds = look_up(document, "spec.template.spec.minReadySeconds");
  if (document.at("kind") == "MachineSet" && seconds != nullptr && *seconds == 0) {
    take(document, "spec.template.spec.minReadySeconds");
  }
}

// The alpha version of a claim has its Cluster in a label: one that names another is lost.
void forget_a_label_beside_the_name(const Kind& kind, json::object& document) {
  if (kind.cluster_in_label) look_up(document, "metadata")->as_object().erase("labels");
}

TEST_P(RoundTrip, ThroughTheOldVersionChangesNoSpecAndNoMetadata) {
  for (int i = 0; i < kEach; ++i) {
    json::object before = random("v1beta2");
    forget_a_zero(before);
    forget_a_label_beside_the_name(kind(), before);

    const json::object back = new_of(old_of(before));

    ASSERT_EQ(part(back, "spec"), part(written(before), "spec"));
    ASSERT_EQ(part(back, "metadata"), part(before, "metadata"));
  }
}

TEST_P(RoundTrip, ThroughTheNewVersionSettlesAtOnce) {
  for (int i = 0; i < kEach; ++i) {
    const json::object once = old_of(new_of(random(kind().old_type->resource->version)));

    const json::object twice = old_of(new_of(once));

    ASSERT_EQ(without_empty(builders::canonical(twice)), without_empty(builders::canonical(once)));
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, RoundTrip, ::testing::ValuesIn(kinds().begin(), kinds().end()),
                         [](const auto& row) {
                           const ResourceInfo& older = *row.param->old_type->resource;
                           return fmt::format("{}_{}", older.kind, older.version);
                         });

}  // namespace
}  // namespace capstan::api::v1beta1
