// Lets fmt print Text and FreeText. Apart from base/text.h, so that headers of API structs stay light.
#pragma once

#include <fmt/format.h>

#include "base/text.h"  // IWYU pragma: export

template <>
struct fmt::formatter<capstan::Text> : fmt::formatter<std::string_view> {
  template <typename FormatContext>
  auto format(const capstan::Text& text, FormatContext& context) const {
    return fmt::formatter<std::string_view>::format(text.view(), context);
  }
};

template <>
struct fmt::formatter<capstan::FreeText> : fmt::formatter<std::string_view> {
  template <typename FormatContext>
  auto format(const capstan::FreeText& text, FormatContext& context) const {
    return fmt::formatter<std::string_view>::format(text.view(), context);
  }
};
