// The descriptor idiom: every API struct lists its members once, and JSON, defaults, validation, OpenAPI and
// CRDs all walk that list. A Member is plain data, so a hundred structs stay cheap to compile.
// Included by every kind.
//
//   struct MachineDeletion {
//     std::optional<std::int32_t> node_drain_timeout_seconds = {};
//     UnknownFields unknown = {};  // only kinds we own; a projection has none and can't be encoded
//     bool operator==(const MachineDeletion&) const = default;
//   };
//   template <>
//   inline constexpr auto members<MachineDeletion> = std::array{
//       member<&MachineDeletion::node_drain_timeout_seconds>("nodeDrainTimeoutSeconds", {.minimum = 0, .doc =
//       "..."})};
//
// A struct is described before the structs that contain it. Lists inside a string are written "a|b|c".
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace capstan::api {

// One row of x-kubernetes-validations.
struct CelRule {
  std::string_view rule = {};
  std::string_view message = {};
  std::string_view reason = {};
  std::string_view field_path = {};
};

// What holds for each element of a list, or for each value of a map.
struct ItemRules {
  std::optional<std::int64_t> minimum = {};
  std::optional<std::int64_t> maximum = {};
  std::optional<std::int64_t> min_length = {};
  std::optional<std::int64_t> max_length = {};
  std::string_view pattern = {};
  std::string_view format = {};
  std::string_view one_of = {};
};

enum class ListType : std::uint8_t { Unset, Atomic, Set, Map };

// What one field promises. The order is the order of designated initialisers.
struct Rules {
  std::optional<std::int64_t> minimum = {};
  std::optional<std::int64_t> maximum = {};
  std::optional<std::int64_t> min_length = {};
  std::optional<std::int64_t> max_length = {};
  std::string_view pattern = {};
  std::string_view format = {};
  std::string_view one_of = {};  // enum: "Random|Newest|Oldest"
  std::optional<std::int64_t> min_items = {};
  std::optional<std::int64_t> max_items = {};
  std::optional<std::int64_t> min_properties = {};
  std::optional<std::int64_t> max_properties = {};
  ItemRules items = {};
  ListType list = ListType::Unset;
  std::string_view list_keys = {};  // "key|effect"; makes the list a map
  bool map_atomic = false;          // x-kubernetes-map-type: atomic
  // Written even when empty, and missed when absent.
  bool required = false;
  // Written even when empty, though it may be absent (counters Go never omits).
  bool keep_empty = false;
  bool nullable = false;
  bool preserve_unknown = false;       // x-kubernetes-preserve-unknown-fields
  std::string_view default_json = {};  // a JSON literal: "10", "\"RollingUpdate\"", "{}"
  std::span<const CelRule> cel = {};
  std::string_view doc = {};
};

// What holds for every object of one struct, wherever it stands.
struct ObjectRules {
  std::optional<std::int64_t> min_properties = {};
  std::optional<std::int64_t> max_properties = {};
  std::span<const CelRule> cel = {};
  bool map_atomic = false;
  bool preserve_unknown = false;
};

struct TypeInfo;

// Distinguishes most names by one comparison: length, first, middle and last character.
constexpr std::uint32_t name_tag(std::string_view name) {
  if (name.empty()) return 0;
  const auto at = [&](std::size_t index) { return std::uint32_t{static_cast<unsigned char>(name[index])}; };
  return static_cast<std::uint32_t>(name.size()) << 24U | at(0) << 16U | at(name.size() / 2) << 8U |
         at(name.size() - 1);
}

struct Member {
  std::string_view name = {};
  std::uint32_t tag = 0;  // name_tag(name)
  void* (*address)(void* owner) = nullptr;
  const TypeInfo* type = nullptr;
  Rules rules = {};
};

// Specialised per struct. `object_rules` and `resource` (api/schema/resource.h) are optional, and stand
// before the first struct that contains this one.
template <typename T>
inline constexpr std::nullptr_t members = nullptr;
template <typename T>
inline constexpr ObjectRules object_rules = {};
template <typename T>
inline constexpr std::nullptr_t resource = nullptr;

namespace detail {

template <typename T>
struct Describe;

template <auto Field>
struct FieldOf;
template <typename Owner, typename Value, Value Owner::* Field>
struct FieldOf<Field> {
  using OwnerType = Owner;
  using ValueType = Value;
};

}  // namespace detail

// The table of a type; a compile error here means that T has no members<T> and is no known field type.
// (`auto`, since TypeInfo is still incomplete here, which clang refuses.)
template <typename T>
inline constexpr auto type_of = detail::Describe<T>::info();

template <auto Field>
constexpr Member member(std::string_view name, Rules rules = {}) {
  using Owner = typename detail::FieldOf<Field>::OwnerType;
  using Value = typename detail::FieldOf<Field>::ValueType;
  return {.name = name,
          .tag = name_tag(name),
          .address = [](void* owner) -> void* { return &(static_cast<Owner*>(owner)->*Field); },
          .type = &type_of<Value>,
          .rules = rules};
}

}  // namespace capstan::api

#include "api/schema/field_types.h"  // IWYU pragma: export
