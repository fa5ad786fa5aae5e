// The texts a thread has met most recently. Objects that come in a row repeat most of their strings
// (condition types, kinds, the name of their set); finding those here spares the walk through the shared
// pool. Internal to api/schema; one per thread, so no locks.
#pragma once

#include <array>
#include <string_view>

#include "base/hash.h"
#include "base/text.h"

namespace capstan::api::detail {

class TextCache {
 public:
  static TextCache& of_this_thread() {
    thread_local TextCache cache;
    return cache;
  }

  Text text(std::string_view bytes) {
    if (bytes.size() > kLongest) return Text(bytes);
    Text& kept = recent_[hash_bytes(bytes) % kSlots];
    if (kept.view() != bytes) kept = Text(bytes);
    return kept;
  }

 private:
  static constexpr std::size_t kSlots = 256;
  static constexpr std::size_t kLongest = 64;
  std::array<Text, kSlots> recent_ = {};
};

}  // namespace capstan::api::detail
