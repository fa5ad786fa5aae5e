// What holds for the defaults of every kind and any object: they are idempotent, and touch no field that is
// not theirs. Objects are generated from the full document of each kind by leaving things out.
#include "base/randomness.h"
#include "test/builders/documents.h"
#include "webhooks/review_fixture.h"

namespace capstan::webhooks {
namespace {

constexpr std::uint64_t kSeeds = 300;

struct Document {
  const char* kind;
  std::string_view (*text)();
};

bool one_in(Randomness& chance, std::uint64_t count) { return chance.next() % count == 0; }

// Of each object some members go, and some become null, which API servers keep in what they send.
void thin_out(json::value& value, Randomness& chance) {
  if (auto* list = value.if_array()) {
    for (auto& element : *list) thin_out(element, chance);
  }
  auto* object = value.if_object();
  if (object == nullptr) return;
  std::vector<std::string> gone;
  for (auto& [name, member] : *object) {
    if (one_in(chance, 4)) gone.emplace_back(name);
    thin_out(member, chance);
  }
  for (const auto& name : gone) {
    if (one_in(chance, 4))
      (*object)[name] = nullptr;
    else
      object->erase(name);
  }
}

json::value generated(const Document& document, std::uint64_t seed) {
  SeededRandomness chance(seed);
  auto object = json::parse(document.text());
  thin_out(object, chance);
  if (auto* metadata = object.as_object().if_contains("metadata");
      metadata != nullptr && metadata->is_object())
    metadata->as_object().erase("deletionTimestamp");
  return object;
}

std::size_t unknown_fields(const json::value& object) {
  const auto text = json::serialize(object);
  std::size_t count = 0;
  for (auto at = text.find("\"futureField\""); at != std::string::npos;
       at = text.find("\"futureField\"", at + 1))
    ++count;
  return count;
}

// Every member of `sent` that is not null is in `now`; of what is no object, only version may differ and the
// label of the Cluster.
void expect_kept(const json::value& sent, const json::value& now, const std::string& path) {
  if (const auto* object = sent.if_object(); object != nullptr && now.is_object()) {
    for (const auto& [name, member] : *object) {
      const auto* kept = now.as_object().if_contains(name);
      ASSERT_NE(kept, nullptr) << path << "/" << name;
      if (!member.is_null()) expect_kept(member, *kept, path + "/" + std::string(name));
    }
    return;
  }
  const bool ours = path.ends_with("/version") || path.ends_with("cluster.x-k8s.io/cluster-name") ||
                    path.ends_with("cluster.x-k8s.io/deployment-name");
  if (!ours) {
    EXPECT_EQ(sent, now) << path;
  }
}

class AnyObject : public ::testing::TestWithParam<Document> {};

TEST_P(AnyObject, HasItsDefaultsAfterOnePatch) {
  std::size_t patched_ones = 0;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const auto object = generated(GetParam(), seed);

    const auto first = ask(mutating(GetParam().kind), {.object = object});
    const auto complete = patched(object, first.patch);
    const auto second = ask(mutating(GetParam().kind), {.object = complete});

    ASSERT_TRUE(first.allowed) << "seed " << seed << ": " << first.message;
    ASSERT_EQ(second.patch, "") << "seed " << seed << ": " << json::serialize(object);
    patched_ones += first.patch.empty() ? 0U : 1U;
  }
  EXPECT_EQ(patched_ones == 0, std::string_view(GetParam().kind) == "cluster");
}

TEST_P(AnyObject, KeepsWhatIsNotDefaulted) {
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const auto object = generated(GetParam(), seed);

    const auto complete = patched(object, ask(mutating(GetParam().kind), {.object = object}).patch);

    EXPECT_EQ(unknown_fields(complete), unknown_fields(object)) << "seed " << seed;
    expect_kept(object, complete, {});
    if (HasFailure()) FAIL() << "seed " << seed << ": " << json::serialize(object);
  }
}

TEST_P(AnyObject, IsLeftAloneByAnUpdateThatChangesNothing) {
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const auto object = generated(GetParam(), seed);
    const auto stored = patched(object, ask(mutating(GetParam().kind), {.object = object}).patch);

    const auto answered = ask(mutating(GetParam().kind),
                              {.operation = operation::kUpdate, .object = stored, .old_object = stored});

    ASSERT_EQ(answered.patch, "") << "seed " << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, AnyObject,
                         ::testing::Values(Document{"cluster", builders::full_cluster},
                                           Document{"machine", builders::full_machine},
                                           Document{"machineset", builders::full_machine_set},
                                           Document{"machinedeployment", builders::full_machine_deployment},
                                           Document{"machinepool", builders::full_machine_pool},
                                           Document{"machinehealthcheck",
                                                    builders::full_machine_health_check}),
                         [](const auto& one) { return std::string(one.param.kind); });

}  // namespace
}  // namespace capstan::webhooks
