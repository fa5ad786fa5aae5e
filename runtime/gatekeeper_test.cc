#include "runtime/gatekeeper.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/json.hpp>
#include <cstring>

#include "base/hash.h"
#include "kube/stub_client.h"
#include "test/fakes/fake_clock.h"

namespace capstan::runtime {
namespace {

namespace json = boost::json;

constexpr std::string_view kGood = "good-token-of-the-scraper-0123456";

// An API server that knows one token, and counts how often it is asked about one.
class Reviews final : public kube::StubClient {
 public:
  Result<json::value> post_path(std::string_view path, const json::value& body, const Deadline&) override {
    if (!path.ends_with("tokenreviews")) return json::value{{"status", {{"allowed", true}}}};
    ++asked;
    const bool good = body.at("spec").at("token").as_string() == kGood;
    return json::value{{"status", {{"authenticated", good}, {"user", {{"username", "scraper"}}}}}};
  }
  int asked = 0;
};

int status_for(const Gatekeeper& gate, std::string_view token) {
  const net::ServerRequest request{
      .method = "GET", .target = "/metrics", .headers = {{"Authorization", "Bearer " + std::string(token)}}};
  const auto refused = gate(request);
  return refused ? refused->status : 200;
}

std::uint64_t word_at(std::string_view text, std::size_t at) {
  std::uint64_t word = 0;
  std::memcpy(&word, text.data() + at, sizeof word);
  return word;
}

// Another token with the same hash_bytes: one word of it is free, the next one makes up for it.
std::string colliding_with(std::string_view token) {
  const auto after_first = [&](std::uint64_t word) {
    std::uint64_t state = ((token.size() * 0x9e3779b97f4a7c15ULL) ^ word) * 0x9fb21c651e98df25ULL;
    return state ^ (state >> 32U);
  };
  const auto printable = [](char c) { return c > ' ' && c < '\x7f'; };
  std::string other(token);
  for (std::uint64_t number = 0;; ++number) {
    std::string first = std::to_string(10'000'000 + number).substr(0, 8);
    std::memcpy(other.data(), first.data(), 8);
    const std::uint64_t second =
        word_at(token, 8) ^ after_first(word_at(token, 0)) ^ after_first(word_at(other, 0));
    std::memcpy(other.data() + 8, &second, 8);
    if (std::ranges::all_of(other, printable)) return other;
  }
}

TEST(Gatekeeper, AnswersOfOneTokenAreRememberedForAMinute) {
  Reviews reviews;
  fakes::FakeClock clock;
  const Gatekeeper gate = ask_api_server(reviews, clock);

  EXPECT_EQ(status_for(gate, kGood), 200);
  EXPECT_EQ(status_for(gate, kGood), 200);
  EXPECT_EQ(reviews.asked, 1);
  clock.advance(std::chrono::seconds(61));
  EXPECT_EQ(status_for(gate, kGood), 200);

  EXPECT_EQ(reviews.asked, 2);
}

// Answers were remembered by a 64-bit hash that takes no pains to make collisions hard to find.
TEST(Gatekeeper, ATokenMadeToCollideWithAGoodOneIsAskedAboutAndRefused) {
  Reviews reviews;
  fakes::FakeClock clock;
  const Gatekeeper gate = ask_api_server(reviews, clock);
  const std::string made = colliding_with(kGood);
  ASSERT_NE(made, kGood);
  ASSERT_EQ(hash_bytes(made), hash_bytes(kGood));

  EXPECT_EQ(status_for(gate, kGood), 200);

  EXPECT_EQ(status_for(gate, made), 401);
  EXPECT_EQ(reviews.asked, 2);
}

}  // namespace
}  // namespace capstan::runtime
