// CountedNames: a NameGenerator whose names a test knows, "xxxxc", "xxxxd", "xxxxf". Not for threads.
#pragma once

#include <deque>
#include <string>
#include <utility>

#include "base/names.h"

namespace capstan::fakes {

class CountedNames final : public NameGenerator {
 public:
  std::deque<std::string> first = {};  // what chance brings before the counting begins

  std::string suffix(std::size_t length) override {
    if (first.empty()) return counted(length, ++count_);
    std::string chosen = std::move(first.front());
    first.pop_front();
    return chosen;
  }

 private:
  static std::string counted(std::size_t length, int left) {
    std::string letters(length, 'x');
    for (auto letter = letters.rbegin(); left > 0; left /= 10, ++letter) {
      *letter = kNameAlphabet[static_cast<std::size_t>(left % 10)];
    }
    return letters;
  }

  int count_ = 0;
};

}  // namespace capstan::fakes
