// Watcher<T>: keeps a WatchHandler<T> informed about a collection, for ever: lists it, watches it, survives
// cuts, silence, expiry and lies (kube/watch_protocol.h says how). Costs no thread; a WatchLoop serves many.
// start() and stop() are for the owner's thread, progress() for any.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "api/schema/decode.h"
#include "kube/status.h"
#include "kube/watch_handler.h"
#include "kube/watch_stream.h"

namespace capstan::kube {

// Anything with the metadata a cache needs.
template <typename T>
concept Watchable = requires(const T& object) {
  { object.metadata.name.view() };
  { object.metadata.namespace_.view() };
  { object.metadata.resource_version.str() };
};

namespace detail {

template <Watchable T>
class TypedBody final : public WatchBody {
 public:
  TypedBody(WatchHandler<T>& handler, Quoting quoting) : handler_(handler), quoting_(quoting) {}

  void begin_page(WatchProtocol& protocol) override {
    if (std::holds_alternative<Empty>(protocol.state())) nameless_ = 0;
    page_.emplace([this, &protocol](T&& item) { on_item(protocol, std::move(item)); },
                  [this, &protocol](api::Quarantined&& bad) { on_bad_item(protocol, bad); });
  }

  Result<void> page_bytes(std::string_view bytes) override { return readable(page_->feed(bytes)); }

  Result<void> end_page(WatchProtocol& protocol) override {
    auto page = page_->finish();
    page_.reset();
    if (!page) return fail(without_quotes(std::move(page).error(), quoting_));
    const Verdict verdict = protocol.on_page({.api_version = page->api_version,
                                              .kind = page->kind,
                                              .version = page->resource_version,
                                              .continue_token = page->continue_token});
    deliver(verdict, protocol, {}, nullptr);
    return {};
  }

  bool line(WatchProtocol& protocol, std::string_view line, Nanoseconds lived) override {
    auto fed = event_.feed(line);
    auto event = event_.finish();
    if (!fed && event) event = Failure(std::move(fed).error());
    if (!event) {
      const Error error = without_quotes(std::move(event).error(), quoting_);
      return deliver(protocol.on_event(EventType::Unknown, {}), protocol, {{}, error}, nullptr);
    }
    return on_event(protocol, std::move(*event), lived);
  }

  void trouble(const Error& error) override { handler_.on_trouble(error); }

 private:
  Result<void> readable(Result<void> read) const {
    if (!read) return fail(without_quotes(std::move(read).error(), quoting_));
    return read;
  }

  // Of an object that could not be read.
  Quarantine quarantine(const api::Quarantined& bad) const {
    return {.key = {bad.namespace_, bad.name},
            .error = without_quotes(bad.error, quoting_),
            .metadata_read = bad.metadata_read,
            .owners = bad.owners,
            .labels = bad.labels};
  }

  static ObjectKey key_of(const T& object) {
    return {std::string(object.metadata.namespace_.view()), std::string(object.metadata.name.view())};
  }

  void on_item(WatchProtocol& protocol, T&& item) {
    const std::string version = item.metadata.resource_version.str();
    const Verdict verdict = protocol.on_item({.version = version, .unreadable = fault_of(item)});
    deliver(verdict, protocol, {}, &item);
  }

  void on_bad_item(WatchProtocol& protocol, const api::Quarantined& bad) {
    const Verdict verdict = protocol.on_item({.unreadable = "could not be decoded"});
    deliver(verdict, protocol, quarantine(bad), nullptr);
  }

  bool on_event(WatchProtocol& protocol, api::WatchEvent<T>&& event, Nanoseconds lived) {
    if (event.type == api::WatchType::Error) {
      return protocol.on_error_event(error_of(event.status, quoting_), lived).drop_stream;
    }
    const EventType type = type_of_event(event.type);
    if (event.type == api::WatchType::Bookmark) {
      return deliver(protocol.on_event(type, {.version = event.bookmark_version}), protocol, {}, nullptr);
    }
    Quarantine doubt;
    if (!event.object && event.bad) doubt = quarantine(*event.bad);
    doubt.deleted = type == EventType::Deleted;
    if (!event.object) {
      return deliver(protocol.on_event(type, {.unreadable = "could not be decoded"}), protocol,
                     std::move(doubt), nullptr);
    }
    T& object = *event.object;
    const std::string version = object.metadata.resource_version.str();
    const Verdict verdict = protocol.on_event(type, {.version = version, .unreadable = fault_of(object)});
    return deliver(verdict, protocol, std::move(doubt), &object);
  }

  std::string_view fault_of(const T& object) const {
    if (object.metadata.name.view().empty()) return "no metadata.name";
    if (quoting_ == Quoting::Everything || is_tellable(key_of(object))) return {};
    return "its name is no name of Kubernetes";
  }
  static bool is_tellable(const ObjectKey& key) {
    return is_object_name(key.name) && (key.namespace_.empty() || is_object_name(key.namespace_));
  }

  static EventType type_of_event(api::WatchType type) {
    switch (type) {
      case api::WatchType::Added: return EventType::Added;
      case api::WatchType::Modified: return EventType::Modified;
      case api::WatchType::Deleted: return EventType::Deleted;
      case api::WatchType::Bookmark: return EventType::Bookmark;
      case api::WatchType::Error: break;
    }
    return EventType::Unknown;
  }

  bool deliver(const Verdict& verdict, const WatchProtocol& protocol, Quarantine doubt, T* object) {
    if (verdict.init_start) handler_.on_init_start();
    switch (verdict.delivery) {
      case Delivery::Nothing: break;
      case Delivery::Item: handler_.on_item(std::move(*object)); break;
      case Delivery::Apply: handler_.on_apply(std::move(*object)); break;
      case Delivery::Delete: handler_.on_delete(std::move(*object)); break;
      case Delivery::Version: handler_.on_version(protocol.version()); break;
      case Delivery::InitDone:
        handler_.on_init_done(
            {.version = protocol.version(), .nameless = nameless_, .rewound = verdict.rewound});
        break;
      case Delivery::Quarantine:
        if (object != nullptr) doubt.key = key_of(*object);
        if (quoting_ != Quoting::Everything && !is_tellable(doubt.key)) doubt.key = {};
        if (doubt.key.name.empty()) ++nameless_;
        if (doubt.error.message.empty())
          doubt.error = {.code = Code::Invalid, .message = std::string(verdict.why)};
        handler_.on_quarantine(doubt);
        break;
    }
    return verdict.drop_stream;
  }

  WatchHandler<T>& handler_;
  const Quoting quoting_;
  std::optional<api::ListDecoder<T>> page_ = {};
  api::WatchEventDecoder<T> event_ = {};
  std::size_t nameless_ = 0;
};

}  // namespace detail

template <Watchable T>
class Watcher {
 public:
  Watcher(WatchLoop& loop, Client& client, WatchTarget target, WatchHandler<T>& handler,
          std::uint64_t seed = 0, WatchLimits limits = {})
      : loop_(loop) {
    auto body = std::make_unique<detail::TypedBody<T>>(handler, client.quoting());
    stream_ = std::make_shared<WatchStream>(loop, client, std::move(target), limits, seed, std::move(body));
  }
  // Not from inside a handler. After it no call to the handler is running or will come.
  ~Watcher() {
    try {
      stop();
    } catch (const SimulatedCrash&) {  // this thread is being unwound anyway
    }
  }
  Watcher(const Watcher&) = delete;
  Watcher& operator=(const Watcher&) = delete;

  void start() { id_ = loop_.add(stream_); }

  void stop() {
    if (const auto id = std::exchange(id_, std::nullopt)) loop_.remove(*id);
    stream_->stop();
  }

  WatchProgress progress() const { return stream_->progress(); }

 private:
  WatchLoop& loop_;
  std::optional<WatchLoop::TaskId> id_ = {};
  std::shared_ptr<WatchStream> stream_;
};

}  // namespace capstan::kube
