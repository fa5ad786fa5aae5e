// The continue token of a paged list: the moment the list shows and the last key delivered. Opaque to
// clients. Pure.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>

#include "apiserver/store/stored_key.h"

namespace capstan::apiserver {

struct ContinueToken {
  std::uint64_t version = 0;  // 0: no particular moment (an inconsistent remainder)
  StoredKey after = {};
};

std::string render_continue(const ContinueToken& token);
std::expected<ContinueToken, std::string> parse_continue(std::string_view text);

}  // namespace capstan::apiserver
