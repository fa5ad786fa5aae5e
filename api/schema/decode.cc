#include "api/schema/decode.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include "api/schema/envelope.h"
#include "api/schema/json_reader.h"
#include "api/schema/resource.h"
#include "api/schema/struct_builder.h"

namespace capstan::api::detail {
namespace {

Error ends_early() { return {.code = Code::Invalid, .message = "json ends early"}; }

// What the builder says explains more than what the reader says.
Result<void> outcome(StructBuilder& builder, Result<void> read) {
  if (builder.failed()) return Failure(builder.error());
  return read;
}

class StringCatcher final : public JsonEvents {
 public:
  void on_null() override {}
  void on_boolean(bool) override {}
  void on_number(const Number&) override {}
  void on_string(std::string_view text) override { text_ = text; }
  void on_key(std::string_view) override {}
  void begin_object() override {}
  void end_object() override {}
  void begin_list() override {}
  void end_list() override {}

  const std::string& text() const { return text_; }
  void clear() { text_.clear(); }

 private:
  std::string text_ = {};
};

}  // namespace

// One object.

struct TextDecoder::State {
  State(const TypeInfo& type, void* target) { builder.start(type, target); }
  StructBuilder builder;
  JsonReader reader{builder};
};

TextDecoder::TextDecoder(const TypeInfo& type, void* target)
    : state_(std::make_unique<State>(type, target)) {}
TextDecoder::TextDecoder(TextDecoder&&) noexcept = default;
TextDecoder& TextDecoder::operator=(TextDecoder&&) noexcept = default;
TextDecoder::~TextDecoder() = default;

Result<void> TextDecoder::feed(std::string_view chunk) {
  return outcome(state_->builder, state_->reader.feed(chunk));
}

Result<void> TextDecoder::finish() {
  auto ended = outcome(state_->builder, state_->reader.finish());
  if (ended && !state_->builder.done()) return Failure(ends_early());
  return ended;
}

Result<void> decode(const TypeInfo& type, void* target, std::string_view text) {
  TextDecoder decoder(type, target);
  if (auto fed = decoder.feed(text); !fed) return fed;
  return decoder.finish();
}

Result<void> from_json(const TypeInfo& type, void* target, const boost::json::value& value) {
  StructBuilder builder;
  builder.start(type, target);
  replay(value, builder);
  return outcome(builder, {});
}

// Lists.

namespace {

struct ListMetaFields {
  FreeText resource_version = {};
  FreeText continue_token = {};
  std::optional<std::int64_t> remaining_item_count = {};
};

}  // namespace
}  // namespace capstan::api::detail

namespace capstan::api {

template <>
inline constexpr auto members<detail::ListMetaFields> = std::array{
    member<&detail::ListMetaFields::resource_version>("resourceVersion"),
    member<&detail::ListMetaFields::continue_token>("continue"),
    member<&detail::ListMetaFields::remaining_item_count>("remainingItemCount"),
};

namespace detail {

struct ListStream::State final : Envelope {
  static constexpr std::size_t kLongestName = 256;
  static constexpr std::size_t kLongestItem = 8U << 20;  // as a line of a watch; etcd takes one and a half

  explicit State(ItemOps item_ops) : ops(item_ops) {}

  JsonEvents* taker(std::string_view name) override {
    if (name == "items") {
      builder.start(*ops.type, ops.fresh(ops.context));
      return &builder;
    }
    if (name == "metadata") {
      builder.start(type_of<ListMetaFields>, &meta);
      return &builder;
    }
    if (name == "kind" || name == "apiVersion") return &word;
    return nullptr;
  }

  void taken(std::string_view name) override {
    if (name == "items") return item_taken();
    if (name == "metadata") {
      if (builder.failed()) refuse("metadata." + builder.error().message);
      return;
    }
    check(name);
  }

  bool is_stream(std::string_view name) const override { return name == "items"; }

  void item_taken() {
    ++items;
    if (!builder.failed()) return ops.done(ops.context);
    ops.bad(ops.context, builder.failed_namespace(), builder.failed_name(), builder.error());
  }

  // Counts whole chunks: what is held of an endless item is the limit and one chunk.
  void count(std::size_t bytes, std::size_t items_before) {
    unfinished = items > items_before ? 0 : unfinished + bytes;
    if (unfinished > kLongestItem)
      refuse(fmt::format("item {} is longer than {} bytes", items + 1, kLongestItem));
  }

  void check(std::string_view name) {
    (name == "kind" ? kind : api_version) = word.text().substr(0, kLongestName);
    const ResourceInfo* resource = ops.type->resource;
    if (resource == nullptr) return;
    const std::string expected =
        name == "kind" ? fmt::format("{}List", resource->kind) : resource->api_version();
    if (word.text() != expected)
      refuse(fmt::format("{}: expected {}, found {:.64}", name, expected, word.text()));
  }

  ItemOps ops;
  StructBuilder builder;
  StringCatcher word;
  ListMetaFields meta;
  std::size_t items = 0;
  std::size_t unfinished = 0;  // bytes since an item ended
  std::string api_version;
  std::string kind;
  JsonReader reader{*this};
};

ListStream::ListStream(ItemOps ops) : state_(std::make_unique<State>(ops)) {}
ListStream::~ListStream() = default;

Result<void> ListStream::feed(std::string_view chunk) {
  const std::size_t items_before = state_->items;
  auto read = state_->reader.feed(chunk);
  state_->count(chunk.size(), items_before);
  if (state_->error()) return Failure(*state_->error());
  return read;
}

Result<ListMeta> ListStream::finish() {
  auto read = state_->reader.finish();
  if (state_->error()) return Failure(*state_->error());
  if (!read) return Failure(std::move(read).error());
  if (!state_->done()) return Failure(ends_early());
  const ListMetaFields& meta = state_->meta;
  return ListMeta{.resource_version = meta.resource_version.str(),
                  .continue_token = meta.continue_token.str(),
                  .remaining_item_count = meta.remaining_item_count,
                  .api_version = state_->api_version,
                  .kind = state_->kind};
}

// Watches.

namespace {

struct BookmarkMeta {
  FreeText resource_version = {};
  TextMap annotations = {};
};

// What a bookmark holds.
struct Bookmark {
  BookmarkMeta metadata = {};
};

constexpr std::string_view kInitialEventsEnd = "k8s.io/initial-events-end";

}  // namespace
}  // namespace detail

template <>
inline constexpr auto members<detail::BookmarkMeta> = std::array{
    member<&detail::BookmarkMeta::resource_version>("resourceVersion"),
    member<&detail::BookmarkMeta::annotations>("annotations"),
};

template <>
inline constexpr auto members<detail::Bookmark> = std::array{member<&detail::Bookmark::metadata>("metadata")};

namespace detail {

struct WatchStream::State final : Envelope {
  explicit State(ItemOps item_ops) : ops(item_ops) {}

  void start_over() {
    restart();
    type.clear();
    raw.clear();
    has_object = false;
    bookmark = {};
    status = {};
    reader.reset();
  }

  JsonEvents* taker(std::string_view name) override {
    if (name == "type") return &type;
    if (name != "object" || has_object) return nullptr;
    has_object = true;
    if (type.text().empty()) return &raw;  // kept until its type is known
    return start_object();
  }

  void taken(std::string_view name) override {
    if (name == "object" && !type.text().empty()) object_taken();
  }

  bool is_stream(std::string_view) const override { return false; }

  StructBuilder* start_object() {
    if (type.text() == "ERROR") {
      builder.start(type_of<Status>, &status);
    } else if (type.text() == "BOOKMARK") {
      builder.start(type_of<Bookmark>, &bookmark);
    } else {
      builder.start(*ops.type, ops.fresh(ops.context));
    }
    return &builder;
  }

  bool is_item() const { return type.text() != "ERROR" && type.text() != "BOOKMARK"; }

  void object_taken() {
    if (!is_item()) {
      if (builder.failed()) refuse("object." + builder.error().message);
      return;
    }
    if (!builder.failed()) return ops.done(ops.context);
    ops.bad(ops.context, builder.failed_namespace(), builder.failed_name(), builder.error());
  }

  void read_late_object() {
    JsonReader late(*start_object());
    const auto read = late.feed(raw.text());
    if (read) object_taken();
  }

  ItemOps ops;
  StructBuilder builder;
  StringCatcher type;
  RawWriter raw;
  bool has_object = false;
  Bookmark bookmark;
  Status status;
  JsonReader reader{*this};
};

WatchStream::WatchStream(ItemOps ops) : state_(std::make_unique<State>(ops)) {}
WatchStream::~WatchStream() = default;

Result<void> WatchStream::feed(std::string_view chunk) {
  auto read = state_->reader.feed(chunk);
  if (state_->error()) return Failure(*state_->error());
  return read;
}

Result<WatchStream::Event> WatchStream::finish() {
  auto read = state_->reader.finish();
  if (read && !state_->done()) read = Failure(ends_early());
  if (read) read = check();
  Result<Event> event = Failure(Error{});
  if (state_->error()) {
    event = Failure(*state_->error());
  } else if (!read) {
    event = Failure(std::move(read).error());
  } else {
    event = Event{.type = state_->type.text(),
                  .bookmark_version = state_->bookmark.metadata.resource_version.str(),
                  .initial_events_end =
                      state_->bookmark.metadata.annotations.value_or_empty(kInitialEventsEnd) == "true",
                  .status = std::move(state_->status)};
  }
  state_->start_over();
  return event;
}

Result<void> WatchStream::check() {
  const std::string& type = state_->type.text();
  if (type.empty()) return fail(Code::Invalid, "type: missing");
  constexpr std::array kTypes{"ADDED", "MODIFIED", "DELETED", "BOOKMARK", "ERROR"};
  if (std::ranges::find(kTypes, std::string_view(type)) == kTypes.end()) {
    return fail(Code::Invalid, fmt::format("type: unknown watch event {:.64}", type));
  }
  if (!state_->has_object) return fail(Code::Invalid, "object: missing");
  if (!state_->raw.text().empty()) state_->read_late_object();
  return {};
}

WatchType watch_type(std::string_view type) {
  if (type == "ADDED") return WatchType::Added;
  if (type == "MODIFIED") return WatchType::Modified;
  if (type == "DELETED") return WatchType::Deleted;
  return type == "BOOKMARK" ? WatchType::Bookmark : WatchType::Error;
}

}  // namespace detail
}  // namespace capstan::api
