#include "api/schema/defaults.h"

#include <stdexcept>

#include <fmt/format.h>
#include "api/schema/decode.h"
#include "api/schema/encode.h"

namespace capstan::api::detail {
namespace {

// The literal stands in a descriptor, so one that does not fit its field is a mistake in this program.
void fill(const Member& member, void* address) {
  void* target = address;
  const TypeInfo* type = member.type;
  if (type->shape == Shape::Holder) {
    target = type->open(address);
    type = type->element;
  }
  if (auto filled = decode(*type, target, member.rules.default_json); !filled) {
    throw std::logic_error(fmt::format("default of {}: {}", member.name, filled.error().message));
  }
  if (member.type->shape == Shape::Holder) member.type->close(address, target);
}

void inside(const TypeInfo& type, void* address) {
  if (type.shape == Shape::Object) return apply_defaults(type, address);
  if (type.shape == Shape::List) {
    for (std::size_t i = 0; i < type.size(address); ++i)
      inside(*type.element, const_cast<void*>(type.at(address, i)));
  }
  // An interned value is shared; none of ours has defaults inside.
  if (type.shape == Shape::Holder && !type.absent_is_empty) {
    if (const void* element = type.peek(address)) inside(*type.element, const_cast<void*>(element));
  }
}

}  // namespace

void apply_defaults(const TypeInfo& type, void* object) {
  for (const Member& member : type.members) {
    void* address = member.address(object);
    const bool absent = is_empty(*member.type, address);
    if (absent && !member.rules.default_json.empty()) fill(member, address);
    // A sub-struct that holds nothing is not there, unless it has to be.
    if (!absent || member.rules.required || !member.rules.default_json.empty()) inside(*member.type, address);
  }
}

}  // namespace capstan::api::detail
