// Bytes to lines: what turns the chunks of a watch into events. No I/O. A line that lies within one chunk is
// handed out without a copy; a line over the limit is an error, and the framer stays in it. A document that a
// server indents (go-restful's do) counts as one line: it begins with a "{" alone on its line and ends with
// the next
// "}" at the beginning of one. One thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"

namespace capstan::net {

class LineFramer {
 public:
  static constexpr std::size_t kMaxLine = 8U << 20;

  explicit LineFramer(std::size_t max_line = kMaxLine) : max_line_(max_line) {}

  // Calls `on_line(std::string_view)` for every line completed by this chunk, without its "\n" (and "\r");
  // empty lines are left out. The view is good during the call only.
  template <typename OnLine>
  Result<void> feed(std::string_view chunk, OnLine&& on_line) {
    while (!chunk.empty() && !too_long_) {
      const std::size_t end = indented_ ? closing_brace(chunk) : chunk.find('\n');
      const std::string_view piece = chunk.substr(0, end);
      if (partial_.size() + piece.size() > max_line_) {
        become_too_long();
        break;
      }
      if (end == chunk.npos) {
        partial_.append(piece);
        break;
      }
      if (indented_) {
        emit_document(piece, on_line);
      } else {
        emit(piece, on_line);
      }
      chunk.remove_prefix(end + 1);
    }
    return too_long_ ? too_long() : Result<void>();
  }

  // The line that has begun and not ended; at the end of a stream it is what was cut off.
  std::string_view unfinished() const { return partial_; }
  std::uint64_t lines() const { return lines_; }

 private:
  template <typename OnLine>
  void emit(std::string_view piece, OnLine&& on_line) {
    if (partial_.empty()) return emit_line(piece, on_line);
    partial_.append(piece);
    const std::string line = std::exchange(partial_, {});
    emit_line(line, on_line);
  }
  template <typename OnLine>
  void emit_line(std::string_view line, OnLine&& on_line) {
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty()) return;
    if (line == "{") return begin_document();
    ++lines_;
    on_line(line);
  }
  template <typename OnLine>
  void emit_document(std::string_view piece, OnLine&& on_line) {
    indented_ = false;
    const std::string document = std::exchange(partial_, {}).append(piece) + '}';
    ++lines_;
    on_line(std::string_view(document));
  }
  void begin_document();
  std::size_t closing_brace(std::string_view chunk) const;
  void become_too_long();
  Result<void> too_long() const;

  std::size_t max_line_;
  std::string partial_;
  std::uint64_t lines_ = 0;
  bool indented_ = false;  // partial_ holds lines of a document
  bool too_long_ = false;
};

}  // namespace capstan::net
