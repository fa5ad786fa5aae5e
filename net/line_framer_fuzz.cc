// Any bytes in any pieces: the framer gives the same lines as one look at the whole would, and holds no more
// than its limit.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "net/line_framer.h"

namespace {

constexpr std::size_t kLimit = 64;

struct Outcome {
  std::vector<std::string> lines = {};
  bool refused = false;
  bool operator==(const Outcome&) const = default;
};

Outcome framed(std::string_view bytes, std::size_t piece) {
  capstan::net::LineFramer framer(kLimit);
  Outcome outcome;
  while (!bytes.empty() && !outcome.refused) {
    const auto fed = framer.feed(bytes.substr(0, piece), [&](std::string_view line) {
      const bool indented = line.starts_with("{\n") && line.ends_with("\n}");
      if (line.size() > kLimit + 1 || (line.find('\n') != line.npos && !indented)) std::abort();
      outcome.lines.emplace_back(line);
    });
    outcome.refused = !fed;
    if (framer.unfinished().size() > kLimit) std::abort();
    bytes.remove_prefix(std::min(piece, bytes.size()));
  }
  return outcome;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(bytes), size);
  const Outcome whole = framed(text, size + 1);
  for (const std::size_t piece : {1U, 3U, 64U, 100U}) {
    if (framed(text, piece) != whole) std::abort();
  }
  return 0;
}
