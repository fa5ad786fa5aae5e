#include "infrastructure/remote/masking.h"

#include <algorithm>
#include <vector>

#include "base/base64.h"
#include "infrastructure/remote/url_encoding.h"

namespace capstan::infrastructure::remote {
namespace {

constexpr std::size_t kShortestLine = 8;  // of a value of several lines: "}" alone gives nothing away

void add_lines(std::string_view value, std::vector<std::string>& spellings) {
  while (!value.empty()) {
    const std::string_view line = value.substr(0, value.find('\n'));
    if (line.size() >= kShortestLine) spellings.emplace_back(line);
    value.remove_prefix(std::min(value.size(), line.size() + 1));
  }
}

// The longest first: what is left of a value that held another one would show the rest of it.
std::vector<std::string> spellings_of(const Credentials& credentials) {
  std::vector<std::string> spellings;
  for (const auto& [name, value] : credentials.values) {
    const std::string& plain = value.reveal();
    if (plain.empty()) continue;
    spellings.push_back(plain);
    spellings.push_back(base64_encode(plain));
    spellings.push_back(url_encoded(plain));
    add_lines(plain, spellings);
  }
  std::ranges::sort(spellings, std::ranges::greater(), &std::string::size);
  return spellings;
}

void mask(std::string& text, std::string_view secret) {
  for (auto at = text.find(secret); at != std::string::npos; at = text.find(secret, at + kMask.size()))
    text.replace(at, secret.size(), kMask);
}

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

// Cut between characters, not inside of one.
void shorten(std::string& text) {
  if (text.size() <= kMostMessageBytes) return;
  std::size_t end = kMostMessageBytes - 3;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  text.replace(end, std::string::npos, "...");
}

}  // namespace

std::string presentable(std::string_view message, const Credentials& credentials) {
  std::string text(message);
  for (const std::string& secret : spellings_of(credentials)) mask(text, secret);
  std::ranges::replace_if(text, is_control, ' ');
  shorten(text);
  return text;
}

DriverError presentable(DriverError error, const Credentials& credentials) {
  error.message = presentable(error.message, credentials);
  return error;
}

}  // namespace capstan::infrastructure::remote
