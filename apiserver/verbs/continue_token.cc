#include "apiserver/verbs/continue_token.h"

#include <boost/json.hpp>

#include "apiserver/document/document.h"
#include "base/base64.h"

namespace capstan::apiserver {
std::string render_continue(const ContinueToken& token) {
  return base64url_encode(json::serialize(json::object{{"v", "capstan/1"},
                                                       {"rv", token.version},
                                                       {"ns", token.after.namespace_},
                                                       {"name", token.after.name}}));
}

std::expected<ContinueToken, std::string> parse_continue(std::string_view text) {
  boost::system::error_code bad;
  const auto bytes = base64url_decode(text);
  const auto parsed = bytes ? json::parse(*bytes, bad) : json::value();
  const auto* fields = bad ? nullptr : parsed.if_object();
  if (fields == nullptr) return std::unexpected("illegal base64 data");
  if (text_at(*fields, {"v"}) != "capstan/1") return std::unexpected("unrecognized version");
  const auto version = integer_at(*fields, {"rv"});
  if (!version || *version < 0) return std::unexpected("unrecognized resource version");
  return ContinueToken{.version = static_cast<std::uint64_t>(*version),
                       .after = {.namespace_ = std::string(text_at(*fields, {"ns"})),
                                 .name = std::string(text_at(*fields, {"name"}))}};
}

}  // namespace capstan::apiserver
