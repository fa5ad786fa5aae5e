#include "bootstrap/labels.h"

#include <fmt/format.h>

#include <boost/json.hpp>

#include "base/hash.h"

namespace capstan::bootstrap {
namespace {

constexpr std::size_t kLongest = 63;
constexpr std::size_t kKept = 54;

bool may_be_shortened(std::string_view value) { return value.size() == kLongest && value[kKept] == '-'; }

}  // namespace

std::string label_value(std::string_view name) {
  if (name.size() <= kLongest) return std::string(name);
  return fmt::format("{}-{:08x}", name.substr(0, kKept), fnv1a_32(name));
}

std::string label_in(const boost::json::value& object, std::string_view key) {
  boost::json::error_code absent;
  const auto* labels = object.find_pointer("/metadata/labels", absent);
  if (labels == nullptr || !labels->is_object()) return {};
  const auto* value = labels->as_object().if_contains(key);
  return value != nullptr && value->is_string() ? std::string(value->as_string()) : std::string();
}

std::optional<api::ObjectKey> key_in(const boost::json::value& object, const KeyLabels& labels) {
  api::ObjectKey key{.namespace_ = label_in(object, labels.namespace_),
                     .name = label_in(object, labels.name)};
  if (key.namespace_.empty() || key.name.empty() || may_be_shortened(key.name)) return std::nullopt;
  return key;
}

}  // namespace capstan::bootstrap
