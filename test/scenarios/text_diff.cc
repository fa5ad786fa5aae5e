#include "test/scenarios/text_diff.h"

#include <algorithm>
#include <vector>

namespace capstan::scenarios {
namespace {

using Lines = std::vector<std::string_view>;

constexpr std::size_t kAround = 3;

Lines lines_of(std::string_view text) {
  Lines lines;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

struct Line {
  char mark = ' ';
  std::string_view text = {};
};

// By the longest common subsequence; stories are short.
std::vector<Line> compared(const Lines& before, const Lines& after) {
  std::vector<std::vector<std::size_t>> common(before.size() + 1, std::vector<std::size_t>(after.size() + 1));
  for (std::size_t i = before.size(); i-- > 0;) {
    for (std::size_t j = after.size(); j-- > 0;) {
      common[i][j] =
          before[i] == after[j] ? common[i + 1][j + 1] + 1 : std::max(common[i + 1][j], common[i][j + 1]);
    }
  }
  std::vector<Line> lines;
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < before.size() || j < after.size()) {
    if (i < before.size() && j < after.size() && before[i] == after[j]) {
      lines.push_back({' ', before[i]});
      ++i, ++j;
    } else if (j == after.size() || (i < before.size() && common[i + 1][j] >= common[i][j + 1])) {
      lines.push_back({'-', before[i++]});
    } else {
      lines.push_back({'+', after[j++]});
    }
  }
  return lines;
}

}  // namespace

std::string text_diff(std::string_view before, std::string_view after) {
  const auto lines = compared(lines_of(before), lines_of(after));
  std::vector<bool> shown(lines.size());
  for (std::size_t at = 0; at < lines.size(); ++at) {
    if (lines[at].mark == ' ') continue;
    const std::size_t from = at < kAround ? 0 : at - kAround;
    for (std::size_t near = from; near < std::min(at + kAround + 1, lines.size()); ++near) shown[near] = true;
  }
  std::string text;
  for (std::size_t at = 0; at < lines.size(); ++at) {
    if (!shown[at]) {
      if (at > 0 && shown[at - 1]) text += "  ...\n";
      continue;
    }
    text += lines[at].mark;
    text += ' ';
    text += lines[at].text;
    text += '\n';
  }
  return text;
}

}  // namespace capstan::scenarios
