#include "base/error.h"

#include <gtest/gtest.h>

#include <memory>
#include <set>

#include "base/try.h"

namespace capstan {
namespace {

using std::chrono::seconds;

TEST(Error, ContextPutsTheOuterReasonFirstAndKeepsTheRest) {
  const Error inner{.code = Code::RateLimited,
                    .message = "too many requests",
                    .retry_after = seconds(3),
                    .reason = "TooManyRequests",
                    .outcome_unknown = true};

  const Error outer = inner.context("create machine a").context("scale up");

  EXPECT_EQ(outer.message, "scale up: create machine a: too many requests");
  EXPECT_EQ(outer.code, Code::RateLimited);
  EXPECT_EQ(outer.retry_after, seconds(3));
  EXPECT_EQ(outer.reason, "TooManyRequests");
  EXPECT_TRUE(outer.outcome_unknown);
}

TEST(Error, DescribesItsCauses) {
  const Error error{.code = Code::Invalid,
                    .message = "machine a is invalid",
                    .causes = {{.field = "spec.version", .message = "must start with v"},
                               {.field = "spec.clusterName", .message = "is required"}}};

  EXPECT_EQ(error.describe(),
            "Invalid: machine a is invalid (spec.version: must start with v; spec.clusterName: is required)");
  EXPECT_EQ((Error{.code = Code::Gone, .message = "expired"}).describe(), "Gone: expired");
}

TEST(Code, EveryCodeHasItsOwnName) {
  std::set<std::string_view> names;
  for (int code = 0; code <= static_cast<int>(Code::Internal); ++code)
    names.insert(to_string(static_cast<Code>(code)));

  EXPECT_EQ(names.size(), static_cast<std::size_t>(Code::Internal) + 1);
}

TEST(Code, OnlyWhatTimeCanHealIsTransient) {
  for (const Code code : {Code::Conflict, Code::RateLimited, Code::Timeout, Code::Unavailable,
                          Code::NotConnected, Code::Gone, Code::Exhausted}) {
    EXPECT_TRUE(is_transient(code)) << to_string(code);
  }
  for (const Code code : {Code::NotFound, Code::AlreadyExists, Code::Invalid, Code::Forbidden,
                          Code::Unauthorized, Code::Cancelled, Code::Internal}) {
    EXPECT_FALSE(is_transient(code)) << to_string(code);
  }
}

Result<int> halved(int number) {
  if (number % 2 != 0) return fail(Code::Invalid, "odd");
  return number / 2;
}

Result<void> checked(int number) {
  if (number < 0) return fail(Code::Invalid, "negative");
  return {};
}

Result<std::string> quartered(int number) {
  TRY(checked(number));
  const int half = TRY(halved(number));
  return std::to_string(TRY(halved(half)));
}

TEST(Try, GivesTheValue) { EXPECT_EQ(quartered(12), "3"); }

TEST(Try, ReturnsTheFirstErrorUnchanged) {
  EXPECT_EQ(quartered(-4).error(), (Error{.code = Code::Invalid, .message = "negative"}));
  EXPECT_EQ(quartered(6).error(), (Error{.code = Code::Invalid, .message = "odd"}));
}

Result<std::unique_ptr<int>> moved_through(Result<std::unique_ptr<int>> result) {
  auto value = TRY(std::move(result));
  return value;
}

TEST(Try, MovesWhatCannotBeCopied) { EXPECT_EQ(**moved_through(std::make_unique<int>(7)), 7); }

TEST(Try, EvaluatesItsExpressionOnce) {
  int calls = 0;
  const auto counted = [&]() -> Result<int> { return ++calls; };
  const auto twice = [&]() -> Result<int> { return TRY(counted()) + TRY(counted()); };

  EXPECT_EQ(twice(), 3);
  EXPECT_EQ(calls, 2);
}

}  // namespace
}  // namespace capstan
