#include "cmd/dev/screen.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <boost/json.hpp>
#include <cstdio>

namespace capstan::dev {
namespace {

constexpr std::size_t kMachineRows = 15;

}  // namespace

Screen::Screen(const Clock& clock, Show show, std::FILE* to)
    : clock_(clock), show_(show), to_(to), began_(clock.steady_now()) {}

void Screen::out(const std::string& text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), to_) == text.size();
  lost_ = std::fflush(to_) != 0 || !written || lost_;
}

std::string Screen::elapsed() const {
  return fmt::format("{:6.1f}s", std::chrono::duration<double>(clock_.steady_now() - began_).count());
}

void Screen::show(const Fleet& fleet) {
  switch (show_) {
    case Show::Table: {
      const std::string text = table(fleet, kMachineRows);
      if (drawn_ > 0) out(fmt::format("\x1b[{}A\x1b[J", drawn_));
      out(text);
      drawn_ = static_cast<std::size_t>(std::ranges::count(text, '\n'));
      break;
    }
    case Show::Lines:
      for (const auto& line : news(last_, fleet)) out(fmt::format("{}  {}\n", elapsed(), line));
      break;
    case Show::Json: out(boost::json::serialize(to_json(fleet)) + "\n"); break;
  }
  last_ = fleet;
}

void Screen::say(const std::string& line) {
  if (show_ == Show::Json) return;
  out(show_ == Show::Lines ? fmt::format("{}  {}\n", elapsed(), line) : line + "\n");
  drawn_ = 0;
}

Show show_for_output(bool json) {
  if (json) return Show::Json;
  return isatty(STDOUT_FILENO) == 1 ? Show::Table : Show::Lines;
}

}  // namespace capstan::dev
