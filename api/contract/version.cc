#include "api/contract/version.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <tuple>
#include <vector>

#include "api/names.h"

namespace capstan::api::contract {
namespace {

constexpr std::array kNewestFirst = {ContractVersion::V1Beta2, ContractVersion::V1Beta1};

enum class Stage { Alpha, Beta, General };

struct Parsed {
  Stage stage = Stage::General;
  std::uint64_t major = 0;
  std::uint64_t minor = 0;
};

// Takes a number without leading zeros off the front.
std::optional<std::uint64_t> take_number(std::string_view& text) {
  std::uint64_t number = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (fault != std::errc() || text.front() == '0') return {};
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

std::optional<Parsed> parse(std::string_view text) {
  if (!text.starts_with('v')) return {};
  text.remove_prefix(1);
  Parsed parsed;
  const auto major = take_number(text);
  if (!major) return {};
  parsed.major = *major;
  if (text.empty()) return parsed;

  const bool alpha = text.starts_with("alpha");
  if (!alpha && !text.starts_with("beta")) return {};
  parsed.stage = alpha ? Stage::Alpha : Stage::Beta;
  text.remove_prefix(alpha ? 5 : 4);
  const auto minor = take_number(text);
  if (!minor || !text.empty()) return {};
  parsed.minor = *minor;
  return parsed;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::string label_key(ContractVersion version) {
  return fmt::format("{}{}", label::kContractPrefix, to_string(version));
}

}  // namespace

std::string_view to_string(ContractVersion version) {
  switch (version) {
    case ContractVersion::V1Beta1: return "v1beta1";
    case ContractVersion::V1Beta2: return "v1beta2";
  }
  return {};
}

Result<Resolution> resolve(std::string_view crd_name, const TextMap& crd_labels) {
  for (const auto contract : kNewestFirst) {
    const std::string_view listed = crd_labels.value_or_empty(label_key(contract));
    if (listed.empty()) continue;
    const auto versions = split(listed, '_');
    const auto highest = std::ranges::max_element(
        versions,
        [](std::string_view left, std::string_view right) { return compare_api_versions(left, right) < 0; });
    return Resolution{.contract = contract, .version = std::string(*highest)};
  }
  return fail(
      Code::Invalid,
      fmt::format("CRD {} keeps no contract we know: neither label {} nor {} lists an API version", crd_name,
                  label_key(ContractVersion::V1Beta2), label_key(ContractVersion::V1Beta1)));
}

std::strong_ordering compare_api_versions(std::string_view left, std::string_view right) {
  const auto a = parse(left);
  const auto b = parse(right);
  if (a && b) return std::tuple{a->stage, a->major, a->minor} <=> std::tuple{b->stage, b->major, b->minor};
  if (a.has_value() != b.has_value()) return a ? std::strong_ordering::greater : std::strong_ordering::less;
  return right <=> left;
}

}  // namespace capstan::api::contract
