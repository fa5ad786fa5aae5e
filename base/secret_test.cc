#include "base/secret.h"

#include <gtest/gtest.h>

#include <concepts>
#include <ostream>
#include <string>

namespace capstan {
namespace {

template <typename T>
concept Printable = requires(std::ostream& out, const T& value) { out << value; };

TEST(Secret, IsRevealedOnRequestOnly) {
  const Secret<std::string> secret("token");

  static_assert(!Printable<Secret<std::string>> && Printable<std::string>);
  static_assert(!std::equality_comparable<Secret<std::string>>);
  static_assert(!std::convertible_to<Secret<std::string>, std::string>);
  static_assert(!std::convertible_to<std::string, Secret<std::string>>);
  EXPECT_EQ(secret.reveal(), "token");
}

}  // namespace
}  // namespace capstan
