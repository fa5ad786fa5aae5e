#include "base/names.h"

#include <cassert>

namespace capstan {

std::string RandomNames::suffix(std::size_t length) {
  std::string letters(length, ' ');
  for (char& letter : letters) letter = kNameAlphabet[below(randomness_, kNameAlphabet.size())];
  return letters;
}

std::string generate_name(NameGenerator& names, std::string_view base, std::size_t max_length) {
  assert(max_length >= kNameSuffixLength && "no room for a suffix");
  return std::string(base.substr(0, max_length - kNameSuffixLength)) + names.suffix(kNameSuffixLength);
}

}  // namespace capstan
