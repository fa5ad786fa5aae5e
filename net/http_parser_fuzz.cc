// Any bytes as requests and as responses: however they are cut, the parser sees the same messages, stays
// within its limits and never claims more bytes than it was given.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "net/http_parser.h"

namespace {

using capstan::net::MessageParser;
using Event = MessageParser::Event;

constexpr capstan::net::MessageLimits kLimits = {
    .head_bytes = 256, .headers = 8, .target_bytes = 64, .body_bytes = 128};

void describe_head(const capstan::net::MessageHead& head, std::string& story) {
  story += head.method + " " + head.target + " " + std::to_string(head.status) +
           (head.keep_alive ? " keep" : " close");
  if (head.headers.size() > kLimits.headers) std::abort();
  for (const auto& [name, value] : head.headers) {
    if (value.find_first_of("\r\n") != value.npos) std::abort();
    story += "\n" + name + ": " + value;
  }
  story += "\n\n";
}

// Everything the parser says about these bytes; message after message until a fault or the end.
std::string story_of(std::string_view bytes, MessageParser::Role role, std::size_t piece) {
  MessageParser parser(role, kLimits);
  std::string story;
  std::size_t body = 0;
  while (!bytes.empty()) {
    std::string_view given = bytes.substr(0, piece);
    bytes.remove_prefix(given.size());
    for (;;) {
      const auto step = parser.next(given);
      if (step.consumed > given.size()) std::abort();
      given.remove_prefix(step.consumed);
      if (step.event == Event::Fault) return story + "fault " + parser.fault_text();
      if (step.event == Event::NeedMore) break;
      if (step.event == Event::Head) describe_head(parser.head(), story);
      if (step.event == Event::Body) {
        story += step.body;
        body += step.body.size();
        if (body > kLimits.body_bytes) std::abort();
      }
      if (step.event == Event::End) {
        parser.restart();
        body = 0;
        story += "\nend\n";
        if (given.empty()) break;
      }
    }
    if (!given.empty()) std::abort();
  }
  return story + (parser.end_of_input().event == Event::End ? "end" : "cut");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(bytes), size);
  for (const auto role : {MessageParser::Role::Request, MessageParser::Role::Response}) {
    const std::string whole = story_of(text, role, size + 1);
    for (const std::size_t piece : {1U, 7U}) {
      const std::string cut = story_of(text, role, piece);
      // A fault may show earlier in small pieces, or carry another reason; what came before it is the same.
      const bool faulty = whole.find("fault ") != whole.npos && cut.find("fault ") != cut.npos;
      if (!faulty && cut != whole) std::abort();
    }
  }
  return 0;
}
