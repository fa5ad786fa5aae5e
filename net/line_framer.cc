#include "net/line_framer.h"

#include <fmt/format.h>

namespace capstan::net {

void LineFramer::become_too_long() {
  too_long_ = true;
  partial_ = {};
}

Result<void> LineFramer::too_long() const {
  return fail(Code::Invalid, fmt::format("line {} is longer than {} bytes", lines_ + 1, max_line_));
}

}  // namespace capstan::net
