// JSON text to structs, in one pass and from chunks cut anywhere: what LIST and WATCH bytes go through.
// Errors name the path: `spec.replicas: expected integer, found string "x"`. null means
// absent; unknown members go into the struct's bag, or are dropped where it has none. A decoder belongs to
// one thread at a time.
#pragma once

#include <boost/json/fwd.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/meta/list_meta.h"
#include "api/meta/status.h"
#include "api/schema/field.h"
#include "api/schema/scalars.h"
#include "api/schema/text_map.h"
#include "base/result.h"

namespace capstan::api {

inline constexpr std::size_t kMaxDepth = 64;

namespace detail {

// The engine behind the templates: fills `target` by its table. Compiled once, in decode.cc.
class TextDecoder {
 public:
  TextDecoder(const TypeInfo& type, void* target);
  TextDecoder(TextDecoder&&) noexcept;
  TextDecoder& operator=(TextDecoder&&) noexcept;
  ~TextDecoder();
  Result<void> feed(std::string_view chunk);
  Result<void> finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

Result<void> decode(const TypeInfo& type, void* target, std::string_view text);
Result<void> from_json(const TypeInfo& type, void* target, const boost::json::value& value);

// What a list or watch decoder must know of the items without being a template. An item is filled between
// `fresh` and exactly one of the other two.
struct ItemOps {
  const TypeInfo* type = nullptr;
  void* context = nullptr;
  void* (*fresh)(void* context) = nullptr;
  void (*done)(void* context) = nullptr;
  // Namespace and name as far as they were seen behind the fault; what came before it is in the item.
  void (*bad)(void* context, std::string_view namespace_, std::string_view name, Error error) = nullptr;
};

class ListStream {
 public:
  explicit ListStream(ItemOps ops);
  ~ListStream();
  Result<void> feed(std::string_view chunk);
  Result<ListMeta> finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

class WatchStream {
 public:
  struct Event {
    std::string type = {};
    std::string bookmark_version = {};
    bool initial_events_end = false;
    Status status = {};
  };
  explicit WatchStream(ItemOps ops);
  ~WatchStream();
  Result<void> feed(std::string_view chunk);
  Result<Event> finish();

 private:
  struct State;
  Result<void> check();
  std::unique_ptr<State> state_;
};

}  // namespace detail

template <typename T>
Result<T> decode(std::string_view text) {
  T value{};
  if (auto filled = detail::decode(type_of<T>, &value, text); !filled)
    return Failure(std::move(filled).error());
  return value;
}

template <typename T>
Result<T> from_json(const boost::json::value& document) {
  T value{};
  if (auto filled = detail::from_json(type_of<T>, &value, document); !filled)
    return Failure(std::move(filled).error());
  return value;
}

// One object from chunks.
template <typename T>
class Decoder {
 public:
  Result<void> feed(std::string_view chunk) { return engine_.feed(chunk); }
  Result<T> finish() {
    if (auto ended = engine_.finish(); !ended) return Failure(std::move(ended).error());
    return std::move(*value_);
  }

 private:
  std::unique_ptr<T> value_ = std::make_unique<T>();
  detail::TextDecoder engine_{type_of<T>, value_.get()};
};

// An object that could not be decoded. The name is known when metadata came before the fault; the stream goes
// on.
struct Quarantined {
  std::string namespace_ = {};
  std::string name = {};
  Error error = {};
  // All of its metadata came before the fault; otherwise nothing is known of owners and labels.
  bool metadata_read = false;
  std::vector<Uid> owners = {};
  TextMap labels = {};
};

namespace detail {

template <typename T>
Quarantined quarantine(const T& item, std::string_view namespace_, std::string_view name, Error error) {
  Quarantined out{
      .namespace_ = std::string(namespace_), .name = std::string(name), .error = std::move(error)};
  if constexpr (requires { item.metadata.name.view(), item.metadata.namespace_.view(); }) {
    if (out.name.empty()) out.name = item.metadata.name.view();
    if (out.namespace_.empty()) out.namespace_ = item.metadata.namespace_.view();
  }
  if constexpr (requires { item.metadata.owner_references->front().uid, item.metadata.labels; }) {
    out.metadata_read = !item.metadata.name.view().empty() && !out.error.message.starts_with("metadata");
    if (!out.metadata_read) return out;
    for (const auto& owner : *item.metadata.owner_references) out.owners.push_back(owner.uid);
    out.labels = item.metadata.labels;
  }
  return out;
}

}  // namespace detail

// A LIST response. Every item reaches `on_item` as soon as its last byte has arrived, so that a page is never
// held whole.
template <typename T>
class ListDecoder {
 public:
  using OnItem = std::function<void(T&&)>;
  using OnBad = std::function<void(Quarantined&&)>;

  ListDecoder(OnItem on_item, OnBad on_bad) : on_item_(std::move(on_item)), on_bad_(std::move(on_bad)) {}
  ListDecoder(const ListDecoder&) = delete;
  ListDecoder& operator=(const ListDecoder&) = delete;

  Result<void> feed(std::string_view chunk) { return engine_.feed(chunk); }
  // An error when the body is no complete list of this kind.
  Result<ListMeta> finish() { return engine_.finish(); }

 private:
  static ListDecoder& self(void* context) { return *static_cast<ListDecoder*>(context); }
  detail::ItemOps ops() {
    return {.type = &type_of<T>,
            .context = this,
            .fresh = [](void* context) -> void* { return &self(context).item_.emplace(); },
            .done = [](void* context) { self(context).on_item_(std::move(*self(context).item_)); },
            .bad =
                [](void* context, std::string_view namespace_, std::string_view name, Error error) {
                  self(context).on_bad_(
                      detail::quarantine(*self(context).item_, namespace_, name, std::move(error)));
                }};
  }

  OnItem on_item_;
  OnBad on_bad_;
  std::optional<T> item_ = {};
  detail::ListStream engine_{ops()};
};

enum class WatchType : std::uint8_t { Added, Modified, Deleted, Bookmark, Error };

namespace detail {
WatchType watch_type(std::string_view type);  // of a type that WatchStream has let pass
}

// One line of a watch. `object` is set for Added, Modified and Deleted unless it is `bad`; a Bookmark has its
// version and whether it ends the initial events; an Error has `status`.
template <typename T>
struct WatchEvent {
  WatchType type = WatchType::Error;
  std::optional<T> object = {};
  std::optional<Quarantined> bad = {};
  std::string bookmark_version = {};
  bool initial_events_end = false;
  Status status = {};
};

// Fed with the bytes of one event (a line), in any number of chunks; "type" may come after "object". finish()
// hands the event out and makes the decoder ready for the next one, whether it failed or not. An error means:
// not a watch event.
template <typename T>
class WatchEventDecoder {
 public:
  WatchEventDecoder() = default;
  WatchEventDecoder(const WatchEventDecoder&) = delete;
  WatchEventDecoder& operator=(const WatchEventDecoder&) = delete;

  Result<void> feed(std::string_view chunk) { return engine_.feed(chunk); }
  Result<WatchEvent<T>> finish() {
    auto event = engine_.finish();
    auto object = std::exchange(item_, std::nullopt);
    auto bad = std::exchange(bad_, std::nullopt);
    if (!event) return Failure(std::move(event).error());
    return WatchEvent<T>{.type = detail::watch_type(event->type),
                         .object = bad ? std::nullopt : std::move(object),
                         .bad = std::move(bad),
                         .bookmark_version = std::move(event->bookmark_version),
                         .initial_events_end = event->initial_events_end,
                         .status = std::move(event->status)};
  }

 private:
  static WatchEventDecoder& self(void* context) { return *static_cast<WatchEventDecoder*>(context); }
  detail::ItemOps ops() {
    return {.type = &type_of<T>,
            .context = this,
            .fresh = [](void* context) -> void* { return &self(context).item_.emplace(); },
            .done = [](void*) {},
            .bad =
                [](void* context, std::string_view namespace_, std::string_view name, Error error) {
                  auto& decoder = self(context);
                  decoder.bad_ = detail::quarantine(*decoder.item_, namespace_, name, std::move(error));
                }};
  }

  std::optional<T> item_ = {};
  std::optional<Quarantined> bad_ = {};
  detail::WatchStream engine_{ops()};
};

}  // namespace capstan::api
