// How a kind of v1beta1 is described: by the tables that describe v1beta2 (api/schema/field.h), but without
// structs behind them, since documents of v1beta1 are only converted and never worked on. Included by the
// kinds beside it.
//
// `keep_empty` in a row says that the field is written when it is empty, too; `required` speaks of the schema
// only.
#pragma once

#include <array>
#include <span>
#include <string_view>

#include "api/schema/field.h"
#include "api/schema/resource.h"

namespace capstan::api::v1beta1 {

inline constexpr ObjectRules kNoRules = {};

constexpr Member field(std::string_view name, const TypeInfo& type, Rules rules = {}) {
  return {.name = name, .tag = name_tag(name), .type = &type, .rules = rules};
}
void no_such_field();  // never defined: a name that the other table lacks does not compile

// A row of the struct of v1beta2, so that both versions say the same about a field.
template <typename T>
consteval Member like(std::string_view name) {
  for (const Member& row : members<T>) {
    if (row.name == name) return field(name, *row.type, row.rules);
  }
  no_such_field();
  return {};
}
consteval Member always(Member member) {
  member.rules.keep_empty = true;
  return member;
}
consteval Member optional(Member member) {
  member.rules.required = false;
  return member;
}
consteval Member unbounded(Member member) {
  member.rules.minimum = {};
  member.rules.maximum = {};
  member.rules.min_items = {};
  return member;
}
// Another type under the same rules.
consteval Member as(const TypeInfo& type, Member member) {
  member.type = &type;
  return member;
}

constexpr TypeInfo object(std::span<const Member> members, const ObjectRules& rules = kNoRules) {
  return {.shape = Shape::Object, .members = members, .rules = &rules};
}
constexpr TypeInfo top(std::span<const Member> members, const ResourceInfo& info) {
  return {.shape = Shape::Object, .members = members, .rules = &kNoRules, .resource = &info};
}
constexpr TypeInfo list(const TypeInfo& element) { return {.shape = Shape::List, .element = &element}; }
// Absent differs from empty.
constexpr TypeInfo pointer(const TypeInfo& element) { return {.shape = Shape::Holder, .element = &element}; }

inline constexpr const TypeInfo& kText = type_of<Text>;
inline constexpr const TypeInfo& kBoolean = type_of<bool>;
inline constexpr const TypeInfo& kInt32 = type_of<std::int32_t>;
inline constexpr const TypeInfo& kInt64 = type_of<std::int64_t>;
inline constexpr const TypeInfo& kIntOrString = type_of<std::optional<IntOrString>>;
inline constexpr const TypeInfo& kTextPointer = type_of<std::optional<Text>>;
inline constexpr const TypeInfo& kInt32Pointer = type_of<std::optional<std::int32_t>>;
inline constexpr TypeInfo kTimePointer = pointer(type_of<Time>);
inline constexpr TypeInfo kTexts = list(kText);
// metav1.Duration, "1m30s": known by its address (api/v1beta1/form.h).
inline constexpr TypeInfo kDuration = {.shape = Shape::Text};
inline constexpr TypeInfo kDurationPointer = pointer(kDuration);
// An object whose keys are names: known by its address, its values are `kFailureDomainSpec`.
inline constexpr TypeInfo kFailureDomainMap = {.shape = Shape::RawJson};

}  // namespace capstan::api::v1beta1
