// Packed<T>: the members of a T, all of them RawJson and nearly all of them absent, in one short text: what
// is absent costs nothing, and what nearly every provider says costs a byte. The decoder fills it as it would
// fill a T. For projections only: it can't be encoded. A value, 8 bytes while nothing is there: copy, compare
// and destroy on any thread.
#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "api/schema/field.h"

namespace capstan::api::contract {

// A line for each member that is there, in the order of the descriptors.
std::string pack(std::span<const Member> members, const void* from);
// Absent when the member is, or when there is none of that name.
RawJson packed_member(std::string_view packed, std::span<const Member> members, std::string_view name);

template <typename T>
class Packed {
 public:
  Packed() = default;
  explicit Packed(const T& open) : text_(pack(members<T>, &open)) {
    static_assert(std::ranges::all_of(members<T>, is_raw) && members<T>.size() <= 32);
  }

  // By its name in JSON.
  RawJson find(std::string_view name) const { return packed_member(text_, members<T>, name); }
  std::size_t size() const { return text_.size(); }  // in memory
  friend bool operator==(const Packed& left, const Packed& right) { return left.text_ == right.text_; }

 private:
  static constexpr bool is_raw(const Member& member) { return member.type->shape == Shape::RawJson; }

  FreeText text_ = {};
};

}  // namespace capstan::api::contract

// Its list of members is empty. What is filled may drop what no controller reads before it is packed.
template <typename T>
struct capstan::api::detail::Describe<capstan::api::contract::Packed<T>> {
  static constexpr TypeInfo info() {
    return {.shape = Shape::Holder,
            .element = &type_of<T>,
            .open = [](void*) -> void* { return std::make_unique<T>().release(); },
            .close =
                [](void* holder, void* element) {
                  const std::unique_ptr<T> filled(static_cast<T*>(element));
                  if constexpr (requires { keep_what_is_read(*filled); }) keep_what_is_read(*filled);
                  *static_cast<contract::Packed<T>*>(holder) = contract::Packed<T>(*filled);
                },
            .abandon = [](void* element) { const std::unique_ptr<T> dropped(static_cast<T*>(element)); },
            .peek = [](const void*) -> const void* { return nullptr; }};
  }
};
