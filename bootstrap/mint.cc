#include "bootstrap/mint.h"

namespace capstan::bootstrap {
namespace {

constexpr std::string_view kLetters = "0123456789abcdefghijklmnopqrstuvwxyz";
constexpr std::size_t kIdLength = 6;
constexpr std::size_t kSecretLength = 16;

std::string letters(Randomness& randomness, std::size_t count) {
  std::string text;
  while (text.size() < count) text += kLetters[below(randomness, kLetters.size())];
  return text;
}

}  // namespace

Token mint(Randomness& randomness) {
  Token token{.id = letters(randomness, kIdLength)};
  token.secret = Secret(letters(randomness, kSecretLength));
  return token;
}

}  // namespace capstan::bootstrap
