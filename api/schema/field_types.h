// Which C++ types may stand in an API struct, and how the five walkers (decode, encode, defaults, validate,
// openapi) reach into them. Included by api/schema/field.h only.
//
//   bool, std::int32_t, std::int64_t     JSON numbers and booleans
//   Text                                 interned string; FreeText: held, not interned (messages)
//   Time, MicroTime, IntOrString, Uid, ResourceVersion, RawJson (any subtree), TextMap (string -> string)
//   std::optional<T>                     absent differs from zero
//   Boxed<T>                             the same, 8 bytes when absent: for rare sub-structs
//   List<T>, std::vector<T>              lists; List is 8 bytes when empty, for cached objects
//   SharedList<T>                        lists whose elements are alike in many objects but for a time
//   Interned<T>                          values shared between objects
//   ManagedFields                        metadata.managedFields as a digest (api/schema/managed_fields.h)
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "api/schema/boxed.h"
#include "api/schema/field.h"
#include "api/schema/list.h"
#include "api/schema/managed_fields.h"
#include "api/schema/raw_json.h"
#include "api/schema/scalars.h"
#include "api/schema/shared_list.h"
#include "api/schema/text_map.h"
#include "base/int_or_string.h"
#include "base/interned.h"
#include "base/text.h"
#include "base/time.h"

namespace capstan::api {

struct ResourceInfo;

enum class Shape : std::uint8_t {
  Boolean,
  Int32,
  Int64,
  Text,
  FreeText,
  Time,
  MicroTime,
  IntOrString,
  Uid,
  ResourceVersion,
  RawJson,
  TextMap,
  ManagedFields,
  Object,
  List,
  Holder,  // optional, Boxed, Interned: an element or nothing
};

struct TypeInfo {
  Shape shape = Shape::Object;
  // Object
  std::span<const Member> members = {};
  const ObjectRules* rules = nullptr;
  const ResourceInfo* resource = nullptr;
  UnknownFields* (*unknown)(void* object) = nullptr;  // null: a projection, unknown fields are dropped
  // List and Holder; and of an Object that cannot be filled where it stands: what is filled instead
  const TypeInfo* element = nullptr;
  // List
  void* (*append)(void* list) = nullptr;
  const void* (*at)(const void* list, std::size_t index) = nullptr;
  std::size_t (*size)(const void* list) = nullptr;
  void (*fit)(void* list) = nullptr;
  // Holder, and such an Object: `open` gives a fresh element to fill, `close` takes it in.
  void* (*open)(void* holder) = nullptr;
  void (*close)(void* holder, void* element) = nullptr;
  void (*abandon)(void* element) = nullptr;  // instead of close, when filling failed
  const void* (*peek)(const void* holder) = nullptr;
  bool absent_is_empty = false;  // Interned: an absent value is written like an empty one
};

namespace detail {

template <Shape shape>
struct Scalar {
  static constexpr TypeInfo info() { return {.shape = shape}; }
};
template <>
struct Describe<bool> : Scalar<Shape::Boolean> {};
template <>
struct Describe<std::int32_t> : Scalar<Shape::Int32> {};
template <>
struct Describe<std::int64_t> : Scalar<Shape::Int64> {};
template <>
struct Describe<Text> : Scalar<Shape::Text> {};
template <>
struct Describe<FreeText> : Scalar<Shape::FreeText> {};
template <>
struct Describe<Time> : Scalar<Shape::Time> {};
template <>
struct Describe<MicroTime> : Scalar<Shape::MicroTime> {};
template <>
struct Describe<IntOrString> : Scalar<Shape::IntOrString> {};
template <>
struct Describe<Uid> : Scalar<Shape::Uid> {};
template <>
struct Describe<ResourceVersion> : Scalar<Shape::ResourceVersion> {};
template <>
struct Describe<RawJson> : Scalar<Shape::RawJson> {};
template <>
struct Describe<TextMap> : Scalar<Shape::TextMap> {};
template <>
struct Describe<ManagedFields> : Scalar<Shape::ManagedFields> {};

template <typename T>
struct Describe<std::optional<T>> {
  static constexpr TypeInfo info() {
    return {.shape = Shape::Holder,
            .element = &type_of<T>,
            .open = [](void* holder) -> void* { return &static_cast<std::optional<T>*>(holder)->emplace(); },
            .close = [](void*, void*) {},
            .abandon = [](void*) {},
            .peek = [](const void* holder) -> const void* {
              const auto& value = *static_cast<const std::optional<T>*>(holder);
              return value ? &*value : nullptr;
            }};
  }
};

template <typename T>
struct Describe<Boxed<T>> {
  static constexpr TypeInfo info() {
    return {.shape = Shape::Holder,
            .element = &type_of<T>,
            .open = [](void* holder) -> void* { return &static_cast<Boxed<T>*>(holder)->emplace(); },
            .close = [](void*, void*) {},
            .abandon = [](void*) {},
            .peek = [](const void* holder) -> const void* {
              return static_cast<const Boxed<T>*>(holder)->get();
            }};
  }
};

template <typename T>
struct Describe<Interned<T>> {
  static constexpr TypeInfo info() {
    return {.shape = Shape::Holder,
            .element = &type_of<T>,
            .open = [](void*) -> void* { return std::make_unique<T>().release(); },
            .close =
                [](void* holder, void* element) {
                  const std::unique_ptr<T> filled(static_cast<T*>(element));
                  *static_cast<Interned<T>*>(holder) = Interned<T>(std::move(*filled));
                },
            .abandon = [](void* element) { const std::unique_ptr<T> dropped(static_cast<T*>(element)); },
            .peek = [](const void* holder) -> const void* {
              return &static_cast<const Interned<T>*>(holder)->get();
            },
            .absent_is_empty = true};
  }
};

template <typename Container>
struct ListOf {
  static constexpr TypeInfo info() {
    return {.shape = Shape::List,
            .element = &type_of<typename Container::value_type>,
            .append = [](void* list) -> void* { return &static_cast<Container*>(list)->emplace_back(); },
            .at = [](const void* list, std::size_t index) -> const void* {
              return &(*static_cast<const Container*>(list))[index];
            },
            .size = [](const void* list) { return static_cast<const Container*>(list)->size(); },
            .fit = [](void* list) { static_cast<Container*>(list)->shrink_to_fit(); }};
  }
};
template <typename T>
struct Describe<std::vector<T>> : ListOf<std::vector<T>> {};
template <typename T>
struct Describe<List<T>> : ListOf<List<T>> {};

// Room for the first elements at once spares steps on the way; `fit` gives back what is left.
inline constexpr std::size_t kUsualList = 16;

template <typename T>
struct Describe<SharedList<T>> {
  static constexpr TypeInfo info() {
    return {.shape = Shape::List,
            .element = &type_of<Shared<T>>,
            .append = [](void* list) -> void* {
              auto& stored = static_cast<SharedList<T>*>(list)->stored();
              if (stored.empty()) stored.reserve(kUsualList);
              return &stored.emplace_back();
            },
            .at = [](const void* list, std::size_t index) -> const void* {
              return &static_cast<const SharedList<T>*>(list)->stored()[index];
            },
            .size = [](const void* list) { return static_cast<const SharedList<T>*>(list)->size(); },
            .fit = [](void* list) { static_cast<SharedList<T>*>(list)->shrink_to_fit(); }};
  }
};

// Read where they stand: the members of T, found through what is shared. They are never written through,
// since filling goes by a T and defaults are not allowed.
template <typename T, std::size_t index>
constexpr Member shared_member() {
  static_assert(members<T>[index].rules.default_json.empty());
  Member member = members<T>[index];
  member.address = [](void* owner) -> void* {
    return const_cast<void*>(static_cast<const Shared<T>*>(owner)->field(members<T>[index]));
  };
  return member;
}
template <typename T>
inline constexpr auto shared_members = []<std::size_t... index>(std::index_sequence<index...>) {
  return std::array{shared_member<T, index>()...};
}(std::make_index_sequence<members<T>.size()>());

template <typename T>
struct Describe<Shared<T>> {
  static constexpr TypeInfo info() {
    return {.shape = Shape::Object,
            .members = shared_members<T>,
            .rules = &object_rules<T>,
            .unknown = [](void* object) -> UnknownFields* {
              return const_cast<UnknownFields*>(&static_cast<const Shared<T>*>(object)->view().unknown);
            },
            .element = &type_of<T>,
            .open = [](void*) -> void* { return Filling<T>::of_this_thread().open().release(); },
            .close =
                [](void* place, void* element) {
                  *static_cast<Shared<T>*>(place) =
                      Filling<T>::of_this_thread().close(std::unique_ptr<T>(static_cast<T*>(element)));
                },
            .abandon = [](void* element) { const std::unique_ptr<T> dropped(static_cast<T*>(element)); }};
  }
};

template <typename T>
concept Described = !std::is_same_v<std::remove_const_t<decltype(members<T>)>, std::nullptr_t>;

template <typename T>
concept KeepsUnknown = requires(T object) { static_cast<UnknownFields&>(object.unknown); };

template <typename T>
concept HasResource = !std::is_same_v<std::remove_const_t<decltype(resource<T>)>, std::nullptr_t>;

template <typename T>
struct Describe {
  static_assert(Described<T>,
                "describe the struct first: template <> inline constexpr auto members<T> = std::array{...}");
  static constexpr TypeInfo info() {
    static_assert(members<T>.size() <= 64, "the decoder keeps a bit for each member");
    TypeInfo type{.shape = Shape::Object, .members = members<T>, .rules = &object_rules<T>};
    if constexpr (HasResource<T>) type.resource = &resource<T>;
    if constexpr (KeepsUnknown<T>) {
      type.unknown = [](void* object) -> UnknownFields* { return &static_cast<T*>(object)->unknown; };
    }
    return type;
  }
};

}  // namespace detail
}  // namespace capstan::api
