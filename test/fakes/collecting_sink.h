// CollectingSink: keeps log lines for a test to look at. Safe from any thread.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "base/guarded.h"
#include "base/log.h"

namespace capstan::fakes {

class CollectingSink final : public LogSink {
 public:
  void write(std::string_view line) override {
    lines_.with([&](auto& lines) { lines.emplace_back(line); });
  }
  std::vector<std::string> lines() const {
    return lines_.with([](const auto& lines) { return lines; });
  }
  std::size_t count(std::string_view part) const {
    const auto all = lines();
    return static_cast<std::size_t>(std::ranges::count_if(
        all, [&](const std::string& line) { return line.find(part) != std::string::npos; }));
  }
  // The first line that contains `part`; empty when there is none.
  std::string first(std::string_view part) const {
    for (const std::string& line : lines()) {
      if (line.find(part) != std::string::npos) return line;
    }
    return {};
  }

 private:
  Guarded<std::vector<std::string>> lines_;
};

}  // namespace capstan::fakes
