#include "net/url.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/try.h"

namespace capstan::net {
namespace {

bool is_unreserved(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '.' ||
         c == '_' || c == '~';
}

std::string encode(std::string_view text, std::string_view also_plain) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    if (is_unreserved(c) || also_plain.find(c) != also_plain.npos) {
      out += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      out += {'%', digits[byte >> 4U], digits[byte & 15U]};
    }
  }
  return out;
}

int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

std::string usual_port(std::string_view scheme) {
  if (scheme == "https") return "443";
  if (scheme == "http") return "80";
  if (scheme == "socks5") return "1080";
  return {};
}

Result<void> parse_authority(std::string_view authority, Url& url) {
  if (const std::size_t at = authority.rfind('@'); at != authority.npos) {
    const std::string_view user = authority.substr(0, at);
    const std::size_t colon = std::min(user.find(':'), user.size());
    url.user = decode_percent(user.substr(0, colon));
    if (colon < user.size()) url.password = decode_percent(user.substr(colon + 1));
    url.has_credentials = true;
    authority.remove_prefix(at + 1);
  }
  std::string_view port;
  if (authority.starts_with('[')) {
    const std::size_t end = authority.find(']');
    if (end == authority.npos) return fail(Code::Invalid, "\"[\" without \"]\"");
    url.host = lower(authority.substr(1, end - 1));
    authority.remove_prefix(end + 1);
    if (!authority.empty() && !authority.starts_with(':')) return fail(Code::Invalid, "text after \"]\"");
    if (!authority.empty()) port = authority.substr(1);
  } else {
    const std::size_t colon = std::min(authority.find(':'), authority.size());
    url.host = lower(authority.substr(0, colon));
    if (colon < authority.size()) port = authority.substr(colon + 1);
  }
  if (url.host.empty()) return fail(Code::Invalid, "no host");
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  if (!std::ranges::all_of(port, is_digit) || port.size() > 5)
    return fail(Code::Invalid, "the port is no number");
  url.port = port.empty() ? usual_port(url.scheme) : std::string(port);
  return {};
}

}  // namespace

Result<Url> parse_url(std::string_view text) {
  const auto printable = [](char c) { return static_cast<unsigned char>(c) > 0x20 && c != 0x7f; };
  if (!std::ranges::all_of(text, printable))
    return fail(Code::Invalid, "url holds a blank or a control character");
  const std::size_t colon = text.find("://");
  if (colon == text.npos || colon == 0) return fail(Code::Invalid, "url has no scheme");
  Url url;
  url.scheme = lower(text.substr(0, colon));
  text.remove_prefix(colon + 3);
  text = text.substr(0, text.find('#'));
  const std::size_t end = std::min(text.find_first_of("/?"), text.size());
  if (auto good = parse_authority(text.substr(0, end), url); !good) return fail(good.error().context("url"));
  text.remove_prefix(end);
  const std::size_t question = std::min(text.find('?'), text.size());
  url.path = question == 0 ? "/" : std::string(text.substr(0, question));
  if (question < text.size()) url.query = text.substr(question + 1);
  return url;
}

std::string host_and_port(std::string_view host, std::string_view port) {
  const bool v6 = host.find(':') != host.npos;
  return v6 ? fmt::format("[{}]:{}", host, port) : fmt::format("{}:{}", host, port);
}

std::string encode_query_value(std::string_view value) { return encode(value, ""); }

std::string decode_percent(std::string_view text, bool plus_is_blank) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool escape =
        text[i] == '%' && i + 2 < text.size() && hex_value(text[i + 1]) >= 0 && hex_value(text[i + 2]) >= 0;
    if (escape) {
      out += static_cast<char>(hex_value(text[i + 1]) * 16 + hex_value(text[i + 2]));
      i += 2;
    } else {
      out += plus_is_blank && text[i] == '+' ? ' ' : text[i];
    }
  }
  return out;
}

Query parse_query(std::string_view query) {
  Query found;
  while (!query.empty()) {
    const std::size_t end = std::min(query.find('&'), query.size());
    const std::string_view pair = query.substr(0, end);
    if (!pair.empty()) {
      const std::size_t equals = std::min(pair.find('='), pair.size());
      found.emplace_back(
          decode_percent(pair.substr(0, equals), true),
          equals < pair.size() ? decode_percent(pair.substr(equals + 1), true) : std::string());
    }
    query.remove_prefix(std::min(end + 1, query.size()));
  }
  return found;
}

std::string render_query(const Query& query) {
  std::string out;
  for (const auto& [name, value] : query) {
    if (!out.empty()) out += '&';
    out += encode_query_value(name) + "=" + encode_query_value(value);
  }
  return out;
}

}  // namespace capstan::net
