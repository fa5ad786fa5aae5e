// Random documents of every kind, with random unknown members in every struct, come back as they were;
// damaged ones are refused or come back as what was understood, and never do harm.
#include <gmock/gmock.h>

#include <algorithm>
#include <boost/json.hpp>
#include <random>
#include <string>

#include "api/schema/decode.h"
#include "api/schema/encode.h"
#include "api/schema/sample_types.h"
#include "api/v1beta2/cluster.h"
#include "api/v1beta2/machine.h"
#include "api/v1beta2/machine_deployment.h"
#include "api/v1beta2/machine_drain_rule.h"
#include "api/v1beta2/machine_health_check.h"
#include "api/v1beta2/machine_pool.h"
#include "api/v1beta2/machine_set.h"

namespace capstan::api {
namespace {

namespace json = boost::json;

// Documents as to_json writes them: nothing present that would be left out.
class DocumentMaker {
 public:
  explicit DocumentMaker(std::uint32_t seed) : random_(seed) {}

  json::value object(const TypeInfo& type) {
    std::vector<std::pair<std::string, json::value>> rows;
    if (type.resource != nullptr) {
      rows.emplace_back("apiVersion", type.resource->api_version());
      rows.emplace_back("kind", json::string(type.resource->kind));
    }
    for (const Member& member : type.members) {
      if (auto value = field(member)) rows.emplace_back(member.name, std::move(*value));
    }
    for (auto extra = type.unknown != nullptr ? random_() % 3 : 0; extra > 0; --extra) {
      rows.emplace_back("x" + std::to_string(random_() % 1000) + word(), anything(0));
    }
    std::ranges::shuffle(rows, random_);
    json::object out;
    for (auto& [name, value] : rows) out[name] = std::move(value);
    return out;
  }

  std::size_t below(std::size_t limit) { return random_() % limit; }

 private:
  std::optional<json::value> field(const Member& member) {
    const TypeInfo& type = *member.type;
    const bool must = member.rules.required || member.rules.keep_empty;
    if (type.shape == Shape::ManagedFields || (!must && below(3) == 0)) return std::nullopt;
    if (type.shape == Shape::Holder) return held(type);
    json::value made = value(type, must);
    const bool dropped = !must && made.is_object() && made.get_object().empty();
    return dropped ? std::nullopt : std::optional(std::move(made));
  }

  // What is held may be empty and still is there, but an interned list is like a list.
  std::optional<json::value> held(const TypeInfo& holder) {
    return value(*holder.element, !holder.absent_is_empty);
  }

  json::value value(const TypeInfo& type, bool may_be_empty) {
    const bool empty = may_be_empty && below(4) == 0;
    switch (type.shape) {
      case Shape::Boolean: return !empty;
      case Shape::Int32: return empty ? 0 : static_cast<std::int32_t>(random_() | 1U);
      case Shape::Int64: return empty ? 0 : (static_cast<std::int64_t>(random_()) << 20U) + 1;
      case Shape::Text:
      case Shape::FreeText: return empty ? json::string() : json::string(word());
      case Shape::Time: return json::string(Time::from_unix(random_()).to_string());
      case Shape::MicroTime: return json::string(MicroTime::from_unix_micros(random_()).to_string());
      case Shape::IntOrString:
        if (below(2) == 0) return json::string(std::to_string(below(100)) + "%");
        return static_cast<std::int32_t>(below(10)) + (empty ? 0 : 1);
      case Shape::Uid: return empty ? json::string() : json::string(uid());
      case Shape::ResourceVersion: return json::string(std::to_string(1 + below(1U << 30U)));
      case Shape::RawJson: return json::object{{"raw", anything(0)}};
      case Shape::TextMap: return map(empty ? 0 : 1 + below(4));
      case Shape::Object: return object(type);
      case Shape::List: return list(type, empty ? 0 : 1 + below(4));
      case Shape::Holder:
      case Shape::ManagedFields: break;
    }
    return nullptr;
  }

  json::value list(const TypeInfo& type, std::size_t size) {
    json::array out;
    for (; size > 0; --size) out.push_back(value(*type.element, true));
    return out;
  }

  json::value map(std::size_t size) {
    json::object out;
    for (; size > 0; --size) out[word()] = below(5) == 0 ? json::string() : json::string(word());
    return out;
  }

  json::value anything(int depth) {
    switch (below(depth > 4 ? 5 : 7)) {
      case 0: return nullptr;
      case 1: return below(2) == 0;
      case 2: return static_cast<std::int64_t>(random_()) - (1LL << 31);
      case 3: return static_cast<double>(random_()) / 64.0;
      case 4: return json::string(word());
      case 5: {
        json::array out;
        for (auto left = below(4); left > 0; --left) out.push_back(anything(depth + 1));
        return out;
      }
      default: {
        json::object out;
        for (auto left = below(4); left > 0; --left) out[word()] = anything(depth + 1);
        return out;
      }
    }
  }

  std::string word() {
    constexpr std::string_view kPieces[] = {"a",      "Machine",    "x-", "\"", "\\", "\n",
                                            "\u00e9", "\U0001F600", "/",  "0",  " ",  "\x01"};
    std::string out;
    for (auto left = 1 + below(6); left > 0; --left) out += kPieces[below(std::size(kPieces))];
    return out;
  }

  std::string uid() {
    if (below(4) == 0) return word();
    std::string out = "00000000-0000-4000-8000-000000000000";
    for (char& c : out) {
      if (c == '0') c = "0123456789abcdef"[below(16)];
    }
    return out;
  }

  std::mt19937 random_;
};

template <typename T>
class RoundTrip : public ::testing::Test {};

using Kinds = ::testing::Types<Sample, Cluster, Machine, MachineSet, MachineDeployment, MachinePool,
                               MachineHealthCheck, MachineDrainRule>;
TYPED_TEST_SUITE(RoundTrip, Kinds);

constexpr std::uint32_t kSeeds = 300;

TYPED_TEST(RoundTrip, KeepsEveryDocumentWithAllItsUnknownMembers) {
  for (std::uint32_t seed = 0; seed < kSeeds; ++seed) {
    const json::value document = DocumentMaker(seed).object(type_of<TypeParam>);

    const auto object = decode<TypeParam>(json::serialize(document));

    ASSERT_TRUE(object) << "seed " << seed << ": " << object.error().message;
    ASSERT_EQ(to_json(*object), document) << "seed " << seed;
    const auto same = from_json<TypeParam>(document);
    ASSERT_TRUE(same) << "seed " << seed << ": " << same.error().message;
    ASSERT_EQ(*same, *object) << "seed " << seed;
  }
}

TYPED_TEST(RoundTrip, DoesNotDependOnWhereChunksAreCut) {
  for (std::uint32_t seed = 0; seed < kSeeds; ++seed) {
    DocumentMaker maker(seed);
    const std::string text = json::serialize(maker.object(type_of<TypeParam>));

    Decoder<TypeParam> decoder;
    for (std::string_view rest = text; !rest.empty();) {
      const std::size_t size = std::min(rest.size(), maker.below(20));
      ASSERT_TRUE(decoder.feed(rest.substr(0, size)));
      rest.remove_prefix(size);
    }

    ASSERT_EQ(*decoder.finish(), *decode<TypeParam>(text)) << "seed " << seed;
  }
}

TYPED_TEST(RoundTrip, MakesDifferentObjectsOfDifferentDocuments) {
  for (std::uint32_t seed = 0; seed < kSeeds; ++seed) {
    const json::value one = DocumentMaker(seed).object(type_of<TypeParam>);
    const json::value other = DocumentMaker(seed + 1).object(type_of<TypeParam>);

    ASSERT_EQ(*from_json<TypeParam>(one) == *from_json<TypeParam>(other), one == other) << "seed " << seed;
  }
}

TYPED_TEST(RoundTrip, StandsAnyDamage) {
  for (std::uint32_t seed = 0; seed < kSeeds; ++seed) {
    DocumentMaker maker(seed);
    std::string text = json::serialize(maker.object(type_of<TypeParam>));
    for (auto hits = 1 + maker.below(3); hits > 0; --hits) {
      constexpr std::string_view kBytes = "\"{}[]:,0-9.eE\\untrfalse \x80\xff";
      const std::size_t at = maker.below(text.size());
      if (maker.below(3) == 0)
        text.erase(at, maker.below(20));
      else
        text[at] = kBytes[maker.below(kBytes.size())];
      if (text.empty()) break;
    }

    const auto object = decode<TypeParam>(text);
    if (!object) {
      ASSERT_FALSE(object.error().message.empty()) << "seed " << seed;
      continue;
    }
    const auto again = decode<TypeParam>(encode(*object));
    ASSERT_TRUE(again) << "seed " << seed << ": " << again.error().message;
    ASSERT_EQ(encode(*again), encode(*object)) << "seed " << seed;
  }
}

}  // namespace
}  // namespace capstan::api
