// URLs as Kubernetes uses them: "https://user:secret@[::1]:6443/prefix?a=b". Parsing, and percent-encoding of
// path segments and query values. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace capstan::net {

struct Url {
  std::string scheme = {};    // lower case
  std::string user = {};      // decoded
  std::string password = {};  // decoded
  std::string host = {};      // without the brackets of an IPv6 address, lower case
  std::string port = {};      // the scheme's own when none is given
  std::string path = {};      // still encoded; "/" when none is given
  std::string query = {};     // still encoded, without "?"
  bool has_credentials = false;
  bool operator==(const Url&) const = default;
};

Result<Url> parse_url(std::string_view text);
std::string host_and_port(std::string_view host, std::string_view port);  // "[::1]:6443"

std::string encode_query_value(std::string_view value);
// Malformed escapes are kept as they are.
std::string decode_percent(std::string_view text, bool plus_is_blank = false);

using Query = std::vector<std::pair<std::string, std::string>>;
Query parse_query(std::string_view query);
std::string render_query(const Query& query);  // "a=b&c=d", encoded

}  // namespace capstan::net
