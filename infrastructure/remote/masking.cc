#include "infrastructure/remote/masking.h"

#include <algorithm>
#include <vector>

#include "base/base64.h"
#include "infrastructure/remote/url_encoding.h"

namespace capstan::infrastructure::remote {
namespace {

constexpr std::size_t kShortestLine = 8;  // of a value of several lines: "}" alone gives nothing away
constexpr std::string_view kSpaces = " \t\r";

std::string_view without_spaces_around(std::string_view line) {
  const auto begin = line.find_first_not_of(kSpaces);
  if (begin == std::string_view::npos) return {};
  return line.substr(begin, line.find_last_not_of(kSpaces) + 1 - begin);
}

void add_lines(std::string_view value, std::vector<std::string>& spellings) {
  while (!value.empty()) {
    const std::string_view line = value.substr(0, value.find('\n'));
    const std::string_view words = without_spaces_around(line);
    if (words.size() >= kShortestLine) spellings.emplace_back(words);
    value.remove_prefix(std::min(value.size(), line.size() + 1));
  }
}

void add_value(const std::string& plain, std::vector<std::string>& spellings) {
  if (plain.empty()) return;
  spellings.push_back(plain);
  spellings.push_back(base64_encode(plain));
  spellings.push_back(url_encoded(plain));
  add_lines(plain, spellings);
}

// The longest first: what is left of a value that held another one would show the rest of it.
std::vector<std::string> spellings_of(const Credentials& credentials, std::string_view user_data) {
  std::vector<std::string> spellings;
  for (const auto& [name, value] : credentials.values) add_value(value.reveal(), spellings);
  add_value(std::string(user_data), spellings);
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

std::string presentable(std::string_view message, const Credentials& credentials,
                        std::string_view user_data) {
  std::string text(message);
  for (const std::string& secret : spellings_of(credentials, user_data)) mask(text, secret);
  std::ranges::replace_if(text, is_control, ' ');
  shorten(text);
  return text;
}

DriverError presentable(DriverError error, const Credentials& credentials, std::string_view user_data) {
  error.message = presentable(error.message, credentials, user_data);
  return error;
}

}  // namespace capstan::infrastructure::remote
