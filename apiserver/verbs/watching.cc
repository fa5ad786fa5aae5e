#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <optional>

#include "apiserver/document/document.h"
#include "apiserver/document/field_error.h"
#include "apiserver/schema/decode.h"
#include "apiserver/verbs/selection.h"
#include "apiserver/verbs/verbs.h"

namespace capstan::apiserver {
namespace {

constexpr std::int64_t kUsualTimeoutSeconds = 1800;
constexpr Nanoseconds kLastBookmark = std::chrono::seconds(2);
constexpr std::string_view kInitialEventsEnd = "k8s.io/initial-events-end";

ObjectPtr bookmark(const Target& target, std::uint64_t version, bool initial_events_end) {
  json::object metadata{{"resourceVersion", std::to_string(version)}};
  if (initial_events_end) metadata["annotations"] = json::object{{kInitialEventsEnd, "true"}};
  json::object object{
      {"kind", target.type->kind}, {"apiVersion", target.api_version()}, {"metadata", std::move(metadata)}};
  if (!target.type->custom) normalise_builtin(object, *target.version->schema);
  return std::make_shared<const json::object>(std::move(object));
}

ObjectPtr with_version(const json::object& object, std::uint64_t version) {
  auto copy = object;
  metadata_of(copy)["resourceVersion"] = std::to_string(version);
  return std::make_shared<const json::object>(std::move(copy));
}

// A cursor over the changes of one collection, seen through one selection.
class StoreWatch final : public Watch {
 public:
  StoreWatch(Core& core, Target target, Selection selection, const Query& query, SteadyTime now)
      : core_(core),
        target_(std::move(target)),
        selection_(std::move(selection)),
        bookmarks_(query.allow_watch_bookmarks && !core.has(Defect::BookmarkMissing)),
        epoch_(core.storage.epoch()),
        ends_(now + std::chrono::seconds(query.timeout_seconds.value_or(kUsualTimeoutSeconds))),
        next_bookmark_(bookmark_after(now)) {}

  void begin_at(std::uint64_t version) { version_ = version; }
  Answer<std::monostate> begin_with_everything(const ListPage& page, bool announce_end);

  std::vector<WatchEvent> take(SteadyTime now, std::size_t max) override;
  bool ended() const override { return ended_; }
  SteadyTime wake_at() const override { return bookmarks_ ? std::min(next_bookmark_, ends_) : ends_; }
  bool sends_bookmarks() const { return bookmarks_; }
  void on_ready(std::function<void()> ready) override {
    subscription_ = core_.storage.subscribe(target_.collection, ready);
    ready();
  }
  const TypePtr& type() const override { return target_.type; }
  const std::string& version() const override { return target_.version->name; }

 private:
  std::optional<WatchEvent> seen_through_selection(const Change& change) const;
  std::optional<WatchEvent> converted(EventType type, const ObjectPtr& object) const;
  bool matches(const ObjectPtr& object) const;
  WatchEvent too_old();
  SteadyTime bookmark_after(SteadyTime now) const;

  Core& core_;
  Target target_;
  Selection selection_;
  bool bookmarks_;
  std::uint64_t epoch_;
  SteadyTime ends_;
  SteadyTime next_bookmark_;
  std::uint64_t version_ = 0;  // changes up to here have been delivered
  std::deque<WatchEvent> initial_ = {};
  bool ended_ = false;
  Storage::Subscription subscription_ = {};
};

Answer<std::monostate> StoreWatch::begin_with_everything(const ListPage& page, bool announce_end) {
  version_ = page.version;
  std::vector<ObjectPtr> stored;
  for (const auto& [key, object] : page.items) stored.push_back(object);
  auto objects = all_as_requested(core_, target_, std::move(stored));
  if (!objects) return Refusal(std::move(objects).error());
  for (auto& object : *objects) {
    if (selection_.matches(*object))
      initial_.push_back({.type = EventType::Added, .object = std::move(object)});
  }
  if (announce_end) {
    initial_.push_back({.type = EventType::Bookmark, .object = bookmark(target_, version_, true)});
  }
  return {};
}

std::vector<WatchEvent> StoreWatch::take(SteadyTime now, std::size_t max) {
  std::vector<WatchEvent> events;
  while (!initial_.empty() && events.size() < max) {
    events.push_back(std::move(initial_.front()));
    initial_.pop_front();
  }
  while (!ended_ && initial_.empty() && events.size() < max) {
    const auto page = core_.storage.changes_after(target_.collection, version_, epoch_, max - events.size());
    if (page.gone && !core_.has(Defect::GoneNeverSent)) {
      events.push_back(too_old());
      return events;
    }
    version_ = page.version;
    for (const auto& change : page.changes) {
      if (auto event = seen_through_selection(change)) events.push_back(std::move(*event));
    }
    if (page.changes.empty()) break;
  }
  if (core_.has(Defect::WatchOutOfOrder)) std::ranges::reverse(events);
  if (ended_ || events.size() >= max) return events;
  if (bookmarks_ && now >= next_bookmark_) {
    next_bookmark_ = bookmark_after(now);
    events.push_back({.type = EventType::Bookmark, .object = bookmark(target_, version_, false)});
  }
  if (now >= ends_) ended_ = true;
  return events;
}

// Regularly, and once more shortly before the end, so that the client goes on from a fresh version.
SteadyTime StoreWatch::bookmark_after(SteadyTime now) const {
  const auto last = ends_ - kLastBookmark;
  if (last <= now) return SteadyTime::max();
  return std::min(now + core_.options.bookmark_every, last);
}

// An object that starts to match is added for this watcher, one that no longer matches is deleted for it.
std::optional<WatchEvent> StoreWatch::seen_through_selection(const Change& change) const {
  if (!selection_.in_namespace(change.key)) return {};
  const bool was = change.before && matches(change.before);
  if (change.type == EventType::Deleted)
    return was ? converted(EventType::Deleted, change.object) : std::nullopt;
  const bool is = matches(change.object);
  if (is) return converted(was ? EventType::Modified : EventType::Added, change.object);
  if (!was || core_.has(Defect::WatchSelectorForgetsDeleted)) return {};
  return converted(EventType::Deleted, with_version(*change.before, change.version));
}

std::optional<WatchEvent> StoreWatch::converted(EventType type, const ObjectPtr& object) const {
  auto shown = as_requested(core_, target_, object);
  if (!shown) return WatchEvent{.type = EventType::Error, .object = shown.error().object};
  return WatchEvent{.type = type, .object = std::move(*shown)};
}

bool StoreWatch::matches(const ObjectPtr& object) const {
  if (selection_.everything()) return true;
  const auto shown = as_requested(core_, target_, object);
  return shown && selection_.matches(**shown);
}

WatchEvent StoreWatch::too_old() {
  ended_ = true;
  return {
      .type = EventType::Error,
      .object = expired(fmt::format("too old resource version: {} ({})", version_, core_.storage.version()))
                    .object};
}

}  // namespace

Answer<std::unique_ptr<Watch>> open_watch(Core& core, const Target& target, const Request& request) {
  if (!target.type->allows("watch")) return Refusal(method_not_allowed("watch"));
  if (auto refusal = refuse_list_options(request, true)) return Refusal(std::move(*refusal));
  auto selection = Selection::parse(target, request);
  if (!selection) return Refusal(std::move(selection).error());
  const auto from = parse_version(request.query.resource_version);
  if (!from) {
    return Refusal(status_error(500, "",
                                "resourceVersion: Invalid value: " + quoted(request.query.resource_version) +
                                    ": strconv.ParseUint: parsing " + quoted(request.query.resource_version) +
                                    ": invalid syntax"));
  }
  auto watch = std::make_unique<StoreWatch>(core, target, std::move(*selection), request.query,
                                            core.options.clock.steady_now());
  const auto asked = request.query.send_initial_events;
  if (asked.value_or(*from == 0)) {
    const auto page = core.storage.list(target.collection, {.namespace_ = request.namespace_});
    auto begun = watch->begin_with_everything(*page, watch->sends_bookmarks());
    if (!begun) return Refusal(std::move(begun).error());
  } else {
    watch->begin_at(*from == 0 ? core.storage.version() : *from);
  }
  return watch;
}

}  // namespace capstan::apiserver
