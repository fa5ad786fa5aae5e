#include "test/interop/takeover_page.h"

#include <fstream>
#include <vector>

namespace capstan::envtest {
namespace {

std::vector<std::string> quoted_in(const std::string& text) {
  std::vector<std::string> words;
  for (std::size_t at = text.find('`'); at != std::string::npos;) {
    const std::size_t end = text.find('`', at + 1);
    if (end == std::string::npos) break;
    words.push_back(text.substr(at + 1, end - at - 1));
    at = text.find('`', end + 1);
  }
  return words;
}

}  // namespace

ListedWrites listed_below(const std::string& heading) {
  ListedWrites listed;
  bool here = false;
  std::ifstream page{std::string(kTakeoverPage)};
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with("## ")) here = line == "## " + heading;
    if (!here || !line.starts_with("| `")) continue;
    const auto words = quoted_in(line.substr(0, line.find(" |", 1)));
    auto& rows = line.find("not always") == std::string::npos ? listed.always : listed.sometimes;
    if (words.size() == 1) rows.insert(words.front());
    for (std::size_t i = 1; i < words.size(); ++i) rows.insert(words.front() + " " + words[i]);
  }
  return listed;
}

}  // namespace capstan::envtest
