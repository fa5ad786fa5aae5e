#include "bootstrap/shell_word.h"

namespace capstan::bootstrap {

std::string shell_word(std::string_view text) {
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return word + "'";
}

}  // namespace capstan::bootstrap
