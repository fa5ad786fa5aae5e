#include "api/schema/struct_builder.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <utility>

#include <fmt/format.h>
#include "api/schema/decode.h"
#include "api/schema/resource.h"
#include "api/schema/text_cache.h"

namespace capstan::api::detail {
namespace {

constexpr std::size_t kShownText = 64;

std::string shown(std::string_view text) {
  const bool cut = text.size() > kShownText;
  std::string out = "string ";
  append_quoted(out, cut ? text.substr(0, kShownText) : text);
  return cut ? out + "..." : out;
}

std::string shown(const Number& number) {
  return fmt::format("{} {}", number.kind == Number::Kind::Real ? "number" : "integer",
                     number.text.substr(0, kShownText));
}

std::string_view expected(Shape shape) {
  switch (shape) {
    case Shape::Boolean: return "boolean";
    case Shape::Int32:
    case Shape::Int64: return "integer";
    case Shape::Text:
    case Shape::FreeText: return "string";
    case Shape::Time:
    case Shape::MicroTime: return "time such as 2006-01-02T15:04:05Z";
    case Shape::IntOrString: return "integer or string";
    case Shape::Uid: return "uid";
    case Shape::ResourceVersion: return "decimal number in a string";
    case Shape::RawJson: return "any value";
    case Shape::TextMap: return "object of strings";
    case Shape::ManagedFields:
    case Shape::List: return "list";
    case Shape::Object: return "object";
    case Shape::Holder: return "value";
  }
  return "value";
}

// A whole number, or nothing: 3.0 is one, 3.5 and 1e30 are none.
std::optional<std::int64_t> whole(const Number& number) {
  switch (number.kind) {
    case Number::Kind::Integer: return number.integer;
    case Number::Kind::Unsigned: return std::nullopt;
    case Number::Kind::Real: break;
  }
  constexpr double kExact = 9007199254740992.0;  // 2^53
  if (std::abs(number.real) > kExact || std::trunc(number.real) != number.real) return std::nullopt;
  return static_cast<std::int64_t>(number.real);
}

template <typename T>
T& as(const void* address) {
  return *static_cast<T*>(const_cast<void*>(address));
}

constexpr TypeInfo kString = type_of<Text>;
constexpr std::size_t kNoMember = static_cast<std::size_t>(-1);

// Chunks of one object may come on different threads, so the cache is asked for anew each time.
Text shared_text(std::string_view text) { return TextCache::of_this_thread().text(text); }

template <typename T, typename Parsed>
bool assign(T& target, Parsed&& parsed) {
  if (!parsed) return false;
  target = *parsed;
  return true;
}

}  // namespace

void StructBuilder::start(const TypeInfo& type, void* target) {
  abandon();
  root_type_ = &type;
  root_ = target;
  depth_ = 0;
  mode_ = Mode::Fill;
  done_ = false;
  failed_ = false;
  error_ = {};
  failed_name_.clear();
  failed_namespace_.clear();
  failed_string_ = nullptr;
  failed_in_metadata_ = false;
}

// Events.

void StructBuilder::on_null() {
  if (mode_ == Mode::Constant) {
    mode_ = Mode::Fill;
    return;
  }
  if (carried([](JsonEvents& events) { events.on_null(); })) return;
  if (open_ == 0) return mismatch({.type = root_type_}, "null");
  Frame& frame = top();
  if (frame.type->shape == Shape::TextMap) entries_.emplace_back(shared_text(frame.key), Text());
  if (frame.type->shape != Shape::List) return;
  ++frame.next;
  mismatch({.type = frame.type->element}, "null");
}

void StructBuilder::on_boolean(bool value) {
  if (carried([&](JsonEvents& events) { events.on_boolean(value); })) return;
  const Slot slot = next_slot();
  if (slot.type->shape == Shape::Boolean) {
    as<bool>(slot.address) = value;
  } else if (slot.type->shape == Shape::RawJson) {
    as<RawJson>(slot.address) = RawJson::from_compact(value ? "true" : "false");
  } else {
    return mismatch(slot, value ? "boolean true" : "boolean false");
  }
  filled(slot);
}

void StructBuilder::on_number(const Number& number) {
  const bool kept = mode_ == Mode::Fill || mode_ == Mode::Raw;
  if (kept && !is_representable(number)) return fail_here(shown(number) + " is beyond any number");
  if (carried([&](JsonEvents& events) { events.on_number(number); })) return;
  const Slot slot = next_slot();
  if (set_number(slot, number)) return filled(slot);
  const bool too_wide = slot.type->shape == Shape::Int32 && whole(number);
  mismatch(slot, shown(number) + (too_wide ? ", which needs more than 32 bits" : ""));
}

void StructBuilder::on_string(std::string_view text) {
  if (mode_ == Mode::Constant) return check_constant(text);
  if (mode_ == Mode::Failed && failed_string_ != nullptr) *failed_string_ = text;
  if (carried([&](JsonEvents& events) { events.on_string(text); })) return;
  if (open_ != 0 && top().type->shape == Shape::TextMap) {
    entries_.emplace_back(shared_text(top().key), shared_text(text));
    return;
  }
  const Slot slot = next_slot();
  if (set_text(slot, text)) return filled(slot);
  mismatch(slot, shown(text));
}

void StructBuilder::on_key(std::string_view name) {
  switch (mode_) {
    case Mode::Fill: break;
    case Mode::Failed: return note_failed_key(name);
    case Mode::Raw: return raw_.on_key(name);
    case Mode::Managed: return managed_.on_key(name);
    case Mode::Skip:
    case Mode::Constant: return;
  }
  Frame& frame = top();
  if (frame.type->shape == Shape::TextMap) {
    frame.key = name;
    return;
  }
  const std::size_t index = find_member(frame, name);
  if (index == kNoMember) return unknown_member(frame, name);
  frame.member = &frame.type->members[index];
  const std::uint64_t bit = std::uint64_t{1} << index;
  if ((frame.seen & bit) != 0) return fail_here("the key stands there twice");
  frame.seen |= bit;
}

void StructBuilder::begin_object() {
  if (carried_begin([](JsonEvents& events) { events.begin_object(); })) return;
  const Slot slot = next_slot();
  const Shape shape = slot.type->shape;
  if (shape == Shape::Object || shape == Shape::TextMap) return push(slot);
  if (shape == Shape::RawJson) return carry_raw(slot, [](JsonEvents& events) { events.begin_object(); });
  mismatch(slot, "object");
  opened_failed();
}

void StructBuilder::end_object() {
  if (carried_end([](JsonEvents& events) { events.end_object(); })) return;
  Frame& frame = top();
  if (frame.type->shape == Shape::TextMap) return close_text_map(frame);
  if (!frame.unknown.empty()) {
    frame.unknown += '}';
    *frame.type->unknown(frame.address) = UnknownFields::from_compact(frame.unknown);
  }
  pop();
}

void StructBuilder::begin_list() {
  if (carried_begin([](JsonEvents& events) { events.begin_list(); })) return;
  const Slot slot = next_slot();
  const Shape shape = slot.type->shape;
  if (shape == Shape::List) return push(slot);
  if (shape == Shape::RawJson) return carry_raw(slot, [](JsonEvents& events) { events.begin_list(); });
  if (shape == Shape::ManagedFields) return carry_managed(slot);
  mismatch(slot, "list");
  opened_failed();
}

void StructBuilder::end_list() {
  if (carried_end([](JsonEvents& events) { events.end_list(); })) return;
  top().type->fit(top().address);
  pop();
}

// Where the next value goes.

StructBuilder::Slot StructBuilder::next_slot() {
  Slot slot;
  if (open_ == 0) {
    slot = {.type = root_type_, .address = root_};
  } else if (Frame& frame = top(); frame.type->shape == Shape::List) {
    slot = {.type = frame.type->element, .address = frame.type->append(frame.address)};
    ++frame.next;
  } else if (frame.type->shape == Shape::TextMap) {
    slot = {.type = &kString};  // on_string never asks; anything else does not fit
  } else {
    slot = {.type = frame.member->type, .address = frame.member->address(frame.address)};
  }
  if (slot.type->open == nullptr) return slot;
  slot.holder_type = slot.type;
  slot.holder = slot.address;
  slot.address = slot.type->open(slot.holder);
  slot.type = slot.type->element;
  assert(slot.type->open == nullptr && "a holder of a holder has no meaning in JSON");
  return slot;
}

void StructBuilder::filled(const Slot& slot) {
  if (slot.holder_type != nullptr) slot.holder_type->close(slot.holder, slot.address);
  if (depth_ == 0) done_ = true;
}

void StructBuilder::push(const Slot& slot) {
  if (depth_ == kMaxDepth) {
    drop(slot);
    return too_deep();
  }
  if (open_ == frames_.size()) frames_.emplace_back();
  Frame& frame = frames_[open_++];
  frame.type = slot.type;
  frame.address = slot.address;
  frame.holder_type = slot.holder_type;
  frame.holder = slot.holder;
  frame.member = nullptr;
  frame.next = 0;
  frame.seen = 0;
  frame.key.clear();
  frame.unknown.clear();
  if (slot.type->shape == Shape::TextMap) entries_.clear();
  ++depth_;
}

void StructBuilder::pop() {
  const Frame& frame = top();
  if (frame.holder_type != nullptr) frame.holder_type->close(frame.holder, frame.address);
  --open_;
  if (--depth_ == 0) done_ = true;
}

// Servers write members in one order, so the next one is often the one behind the last.
std::size_t StructBuilder::find_member(Frame& frame, std::string_view name) {
  const Member* const members = frame.type->members.data();
  const std::size_t count = frame.type->members.size();
  const std::uint32_t tag = name_tag(name);
  std::size_t index = frame.next;
  for (std::size_t tried = 0; tried < count; ++tried, ++index) {
    if (index >= count) index = 0;
    if (members[index].tag != tag || members[index].name != name) continue;
    frame.next = index + 1;
    return index;
  }
  return kNoMember;
}

bool StructBuilder::set_text(const Slot& slot, std::string_view text) {
  switch (slot.type->shape) {
    case Shape::Text: as<Text>(slot.address) = shared_text(text); return true;
    case Shape::FreeText: as<FreeText>(slot.address) = FreeText(text); return true;
    case Shape::Uid: as<Uid>(slot.address) = Uid(text); return true;
    case Shape::IntOrString: as<IntOrString>(slot.address) = IntOrString(shared_text(text)); return true;
    case Shape::RawJson:
      raw_.clear();
      raw_.on_string(text);
      as<RawJson>(slot.address) = RawJson::from_compact(raw_.text());
      return true;
    case Shape::Time: return assign(as<Time>(slot.address), Time::parse(text));
    case Shape::MicroTime: return assign(as<MicroTime>(slot.address), MicroTime::parse(text));
    case Shape::ResourceVersion:
      return assign(as<ResourceVersion>(slot.address), ResourceVersion::parse(text));
    case Shape::Boolean:
    case Shape::Int32:
    case Shape::Int64:
    case Shape::TextMap:
    case Shape::ManagedFields:
    case Shape::Object:
    case Shape::List:
    case Shape::Holder: break;
  }
  return false;
}

bool StructBuilder::set_number(const Slot& slot, const Number& number) {
  const Shape shape = slot.type->shape;
  if (shape == Shape::RawJson) {
    as<RawJson>(slot.address) = RawJson::from_compact(plain_text(number));
    return true;
  }
  const auto value = whole(number);
  if (!value) return false;
  if (shape == Shape::Int64) {
    as<std::int64_t>(slot.address) = *value;
    return true;
  }
  if (!std::in_range<std::int32_t>(*value)) return false;
  if (shape == Shape::Int32) as<std::int32_t>(slot.address) = static_cast<std::int32_t>(*value);
  if (shape == Shape::IntOrString)
    as<IntOrString>(slot.address) = IntOrString(static_cast<std::int32_t>(*value));
  return shape == Shape::Int32 || shape == Shape::IntOrString;
}

void StructBuilder::close_text_map(Frame& frame) {
  const auto by_key = [](const TextMap::Entry& left, const TextMap::Entry& right) {
    return left.first < right.first;
  };
  if (!std::ranges::is_sorted(entries_, by_key)) std::ranges::stable_sort(entries_, by_key);
  const auto twice = std::ranges::adjacent_find(entries_, {}, &TextMap::Entry::first);
  if (twice != entries_.end()) {
    frame.key = twice->first.view();
    fail_here("the key stands there twice");
    if (--depth_ == 0) done_ = true;
    return;
  }
  as<TextMap>(frame.address) = TextMap::from_sorted(entries_);
  entries_.clear();
  pop();
}

// Members without a place.

void StructBuilder::unknown_member(Frame& frame, std::string_view name) {
  frame.member = nullptr;
  frame.key = name;
  if (open_ == 1 && root_type_->resource != nullptr && (name == "kind" || name == "apiVersion")) {
    constant_ =
        name == "kind" ? std::string(root_type_->resource->kind) : root_type_->resource->api_version();
    mode_ = Mode::Constant;
    return;
  }
  if (frame.type->unknown == nullptr) return start_mode(Mode::Skip);
  raw_target_ = nullptr;
  raw_.clear();
  start_mode(Mode::Raw);
}

void StructBuilder::check_constant(std::string_view text) {
  mode_ = Mode::Fill;
  if (text != constant_) fail_here(fmt::format("expected {}, found {}", constant_, shown(text)));
}

void StructBuilder::keep_unknown(Frame& frame) {
  frame.unknown += frame.unknown.empty() ? '{' : ',';
  append_quoted(frame.unknown, frame.key);
  frame.unknown += ':';
  frame.unknown += raw_.text();
}

// Subtrees that are skipped, carried, or stand behind a fault.

void StructBuilder::start_mode(Mode mode) {
  mode_ = mode;
  mode_depth_ = depth_;
}

void StructBuilder::end_mode() {
  switch (mode_) {
    case Mode::Raw:
      if (raw_target_ != nullptr) {
        *raw_target_ = RawJson::from_compact(raw_.text());
        filled(raw_slot_);
      } else {
        keep_unknown(top());
      }
      break;
    case Mode::Managed: *managed_target_ = managed_.finish(); break;
    case Mode::Failed: done_ = true; return;
    case Mode::Fill:
    case Mode::Skip:
    case Mode::Constant: break;
  }
  mode_ = Mode::Fill;
}

template <typename Event>
void StructBuilder::carry_raw(const Slot& slot, Event&& event) {
  raw_target_ = static_cast<RawJson*>(slot.address);
  raw_slot_ = slot;
  raw_.clear();
  event(static_cast<JsonEvents&>(raw_));
  start_mode(Mode::Raw);
  ++depth_;
}

void StructBuilder::carry_managed(const Slot& slot) {
  managed_target_ = static_cast<ManagedFields*>(slot.address);
  managed_.start();
  managed_.begin_list();
  start_mode(Mode::Managed);
  ++depth_;
}

// Each of the three answers true when the event belongs to such a subtree and has been dealt with.
template <typename Event>
bool StructBuilder::carried(Event&& event) {
  if (mode_ == Mode::Constant) {
    fail_here(fmt::format("expected {}", constant_));
    return true;
  }
  if (mode_ == Mode::Fill) return false;
  failed_string_ = nullptr;
  if (mode_ == Mode::Raw) event(static_cast<JsonEvents&>(raw_));
  if (mode_ == Mode::Managed) event(static_cast<JsonEvents&>(managed_));
  if (depth_ == mode_depth_) end_mode();
  return true;
}

template <typename Event>
bool StructBuilder::carried_begin(Event&& event) {
  if (mode_ == Mode::Fill) return false;
  if (mode_ == Mode::Constant) {
    fail_here(fmt::format("expected {}", constant_));
    opened_failed();
    return true;
  }
  if (depth_ == kMaxDepth && mode_ != Mode::Failed) {
    too_deep();
    return true;
  }
  failed_string_ = nullptr;
  if (mode_ == Mode::Raw) event(static_cast<JsonEvents&>(raw_));
  if (mode_ == Mode::Managed) event(static_cast<JsonEvents&>(managed_));
  ++depth_;
  return true;
}

template <typename Event>
bool StructBuilder::carried_end(Event&& event) {
  if (mode_ == Mode::Fill) return false;
  if (mode_ == Mode::Raw) event(static_cast<JsonEvents&>(raw_));
  if (mode_ == Mode::Managed) event(static_cast<JsonEvents&>(managed_));
  if (--depth_ == mode_depth_) end_mode();
  return true;
}

// Faults.

void StructBuilder::mismatch(const Slot& slot, const std::string& found) {
  drop(slot);
  fail_here(fmt::format("expected {}, found {}", expected(slot.type->shape), found));
}

void StructBuilder::fail_here(std::string message) {
  const std::string where = path();
  error_ = {.code = Code::Invalid, .message = where.empty() ? std::move(message) : where + ": " + message};
  failed_in_metadata_ = open_ > 0 && frames_[0].member != nullptr && frames_[0].member->name == "metadata";
  failed_string_ = nullptr;
  abandon();
  failed_ = true;
  mode_ = Mode::Failed;
  mode_depth_ = 0;
  done_ = depth_ == 0;
}

// The fault was the bracket that opened: its end has yet to come.
void StructBuilder::opened_failed() {
  ++depth_;
  done_ = false;
}

void StructBuilder::too_deep() {
  fail_here(fmt::format("nested deeper than {} levels", kMaxDepth));
  opened_failed();
}

void StructBuilder::drop(const Slot& slot) {
  if (slot.holder_type != nullptr) slot.holder_type->abandon(slot.address);
}

// Elements that were opened and will never be closed.
void StructBuilder::abandon() {
  for (; open_ > 0; --open_) {
    const Frame& frame = top();
    if (frame.holder_type != nullptr) frame.holder_type->abandon(frame.address);
  }
  if (mode_ == Mode::Raw && raw_target_ != nullptr) drop(raw_slot_);
}

// "spec.taints[2].key"
std::string StructBuilder::path() const {
  std::string out;
  for (std::size_t i = 0; i < open_; ++i) {
    const Frame& frame = frames_[i];
    if (frame.type->shape == Shape::List) {
      if (frame.next > 0) out += fmt::format("[{}]", frame.next - 1);
    } else if (frame.type->shape == Shape::TextMap) {
      if (!frame.key.empty()) out += fmt::format("[{}]", frame.key);
    } else {
      const std::string_view name =
          frame.member != nullptr ? frame.member->name : std::string_view(frame.key);
      if (!out.empty() && !name.empty()) out += '.';
      out += name;
    }
  }
  return out;
}

// A failed object still has its name, so that the report can say which one it was.
void StructBuilder::note_failed_key(std::string_view name) {
  failed_string_ = nullptr;
  if (depth_ == 1) failed_in_metadata_ = name == "metadata";
  if (depth_ != 2 || !failed_in_metadata_) return;
  if (name == "name") failed_string_ = &failed_name_;
  if (name == "namespace") failed_string_ = &failed_namespace_;
}

}  // namespace capstan::api::detail
