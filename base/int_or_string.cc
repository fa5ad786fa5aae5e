#include "base/int_or_string.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

namespace capstan {
namespace {

std::optional<std::int64_t> percentage(std::string_view text) {
  if (!text.ends_with('%')) return {};
  text.remove_suffix(1);
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return {};
  return value;
}

}  // namespace

Result<std::int32_t> scaled_value(const IntOrString& value, std::int32_t total, Rounding rounding) {
  if (!value.is_string()) return value.number();
  const auto percent = percentage(value.text().view());
  if (!percent) {
    return fail(Code::Invalid,
                fmt::format("\"{}\" is neither a number nor a percentage", value.text().view()));
  }
  // Floating point as Kubernetes computes it, so that both round alike.
  const double exact = static_cast<double>(*percent) * static_cast<double>(total) / 100;
  const double rounded = rounding == Rounding::Up ? std::ceil(exact) : std::floor(exact);
  using Limits = std::numeric_limits<std::int32_t>;
  return static_cast<std::int32_t>(
      std::clamp(rounded, static_cast<double>(Limits::min()), static_cast<double>(Limits::max())));
}

}  // namespace capstan
