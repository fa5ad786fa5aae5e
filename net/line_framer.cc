#include "net/line_framer.h"

#include <fmt/format.h>

namespace capstan::net {

void LineFramer::begin_document() {
  indented_ = true;
  partial_ = "{\n";
}

// Where in the chunk the one at the beginning of a line is.
std::size_t LineFramer::closing_brace(std::string_view chunk) const {
  if (partial_.ends_with('\n') && chunk.starts_with('}')) return 0;
  const std::size_t before = chunk.find("\n}");
  return before == chunk.npos ? before : before + 1;
}

void LineFramer::become_too_long() {
  too_long_ = true;
  partial_ = {};
}

Result<void> LineFramer::too_long() const {
  return fail(Code::Invalid, fmt::format("line {} is longer than {} bytes", lines_ + 1, max_line_));
}

}  // namespace capstan::net
