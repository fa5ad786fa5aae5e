// HTTP/1.1 messages to bytes. Refuses what would let a value break out of its line (CR, LF, NUL, blanks in
// targets), so nothing above can inject a header. Used by net/'s client and server connections. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/instant.h"
#include "base/result.h"
#include "net/http_message.h"

namespace capstan::net {

// Head and body of a request, with Host and Content-Length added unless the caller gave them.
Result<std::string> render_request(const HttpRequest& request, std::string_view host);

enum class BodyFraming { None, Length, Chunked, UntilClose };

struct ResponseHead {
  int status = 200;
  const Headers* headers = nullptr;
  BodyFraming framing = BodyFraming::Length;
  std::size_t length = 0;
  bool keep_alive = true;
  std::string_view date = {};  // empty: no Date header
};
Result<std::string> render_response_head(const ResponseHead& head);

// One piece of a chunked body; `bytes` must not be empty (that would end it).
void append_chunk(std::string& out, std::string_view bytes);
inline constexpr std::string_view kLastChunk = "0\r\n\r\n";

std::string_view reason_phrase(int status);
std::string http_date(WallTime now);  // "Sun, 06 Nov 1994 08:49:37 GMT"

}  // namespace capstan::net
