#include "apiserver/store/storage.h"

#include <algorithm>

#include "apiserver/document/document.h"

namespace capstan::apiserver {
namespace {

void collect_live(std::vector<std::weak_ptr<const Storage::Listener>>& from,
                  std::vector<Storage::Subscription>& into) {
  std::erase_if(from, [&](const auto& weak) {
    auto listener = weak.lock();
    if (!listener) return true;
    into.push_back(std::move(listener));
    return false;
  });
}

void call(const std::vector<Storage::Subscription>& listeners) {
  for (const auto& listener : listeners) (*listener)();
}

}  // namespace

std::uint64_t Storage::version() const {
  return state_.with([](const State& state) { return state.version; });
}

std::uint64_t Storage::epoch() const {
  return state_.with([](const State& state) { return state.epoch; });
}

ObjectPtr Storage::find(std::string_view collection, const StoredKey& key) const {
  return state_.with([&](const State& state) -> ObjectPtr {
    const auto found = state.collections.find(collection);
    if (found == state.collections.end()) return nullptr;
    const auto object = found->second.objects.find(key);
    return object == found->second.objects.end() ? nullptr : object->second;
  });
}

std::size_t Storage::size(std::string_view collection) const {
  return state_.with([&](const State& state) -> std::size_t {
    const auto found = state.collections.find(collection);
    return found == state.collections.end() ? 0 : found->second.objects.size();
  });
}

std::vector<std::string> Storage::collections() const {
  return state_.with([](const State& state) {
    std::vector<std::string> names;
    for (const auto& [name, collection] : state.collections) {
      names.push_back(name);
    }
    return names;
  });
}

ObjectPtr Storage::create(std::string_view collection, const StoredKey& key, json::object document) {
  Wake wake;
  auto written = state_.with([&](State& state) -> ObjectPtr {
    auto& here = collection_in(state, collection);
    if (here.objects.contains(key)) return nullptr;
    auto stored = record(state, here, {.type = EventType::Added, .key = key}, std::move(document), wake);
    here.objects.emplace(key, stored);
    return stored;
  });
  call(wake);
  return written;
}

ObjectPtr Storage::replace(std::string_view collection, const StoredKey& key, const ObjectPtr& expected,
                           json::object document) {
  Wake wake;
  auto written = state_.with([&](State& state) -> ObjectPtr {
    auto& here = collection_in(state, collection);
    const auto found = here.objects.find(key);
    if (found == here.objects.end() || found->second != expected) return nullptr;
    auto stored = record(state, here, {.type = EventType::Modified, .key = key, .before = expected},
                         std::move(document), wake);
    found->second = stored;
    return stored;
  });
  call(wake);
  return written;
}

ObjectPtr Storage::erase(std::string_view collection, const StoredKey& key, const ObjectPtr& expected) {
  Wake wake;
  auto written = state_.with([&](State& state) -> ObjectPtr {
    auto& here = collection_in(state, collection);
    const auto found = here.objects.find(key);
    if (found == here.objects.end() || found->second != expected) return nullptr;
    here.objects.erase(found);
    return record(state, here, {.type = EventType::Deleted, .key = key, .before = expected}, *expected, wake);
  });
  call(wake);
  return written;
}

Storage::Collection& Storage::collection_in(State& state, std::string_view name) {
  const auto found = state.collections.find(name);
  if (found != state.collections.end()) return found->second;
  auto& made = state.collections[std::string(name)];
  made.forgotten = state.forgotten;
  return made;
}

ObjectPtr Storage::record(State& state, Collection& collection, Change change, json::object document,
                          Wake& wake) {
  change.version = ++state.version;
  metadata_of(document)["resourceVersion"] = std::to_string(change.version);
  change.object = std::make_shared<const json::object>(std::move(document));
  auto stored = change.object;
  collection.log.push_back(std::move(change));
  while (collection.log.size() > state.history) {
    collection.forgotten = collection.log.front().version;
    collection.log.pop_front();
  }
  collect_live(collection.listeners, wake);
  collect_live(state.listeners, wake);
  return stored;
}

std::optional<ListPage> Storage::list(std::string_view collection, const ListQuery& query) const {
  return state_.with([&](const State& state) -> std::optional<ListPage> {
    ListPage page;
    page.version = query.at.value_or(state.version);
    const auto found = state.collections.find(collection);
    const auto forgotten = found == state.collections.end() ? state.forgotten : found->second.forgotten;
    if (page.version < forgotten) return std::nullopt;
    if (found == state.collections.end()) return page;
    const auto& here = found->second;
    const bool now =
        page.version >= state.version || here.log.empty() || here.log.back().version <= page.version;
    const auto older = now ? std::map<StoredKey, ObjectPtr>() : past(here, page.version);
    const auto& objects = now ? here.objects : older;

    auto next = query.after ? objects.upper_bound(*query.after)
                            : objects.lower_bound(StoredKey{.namespace_ = query.namespace_, .name = {}});
    for (; next != objects.end(); ++next) {
      if (!query.namespace_.empty() && next->first.namespace_ != query.namespace_) break;
      if (page.items.size() == query.max) {
        page.more = true;
        break;
      }
      page.items.emplace_back(next->first, next->second);
    }
    return page;
  });
}

// The collection as it was: now, with every change since then undone (the first change of a key knows what
// was before).
std::map<StoredKey, ObjectPtr> Storage::past(const Collection& collection, std::uint64_t at) {
  auto objects = collection.objects;
  for (auto change = collection.log.rbegin(); change != collection.log.rend() && change->version > at;
       ++change) {
    if (change->before) {
      objects[change->key] = change->before;
    } else {
      objects.erase(change->key);
    }
  }
  return objects;
}

ChangePage Storage::changes_after(std::string_view collection, std::uint64_t version, std::uint64_t epoch,
                                  std::size_t max) const {
  return state_.with([&](const State& state) {
    ChangePage page{.version = state.version};
    const auto found = state.collections.find(collection);
    const auto forgotten = found == state.collections.end() ? state.forgotten : found->second.forgotten;
    if (epoch != state.epoch || version < forgotten) {
      page.gone = true;
      return page;
    }
    if (found == state.collections.end()) return page;
    const auto& log = found->second.log;
    auto next = std::ranges::upper_bound(log, version, {}, &Change::version);
    for (; next != log.end(); ++next) {
      if (page.changes.size() == max) {
        page.version = page.changes.back().version;
        break;
      }
      page.changes.push_back(*next);
    }
    return page;
  });
}

void Storage::begin(std::string_view collection) {
  state_.with([&](State& state) {
    if (!state.collections.contains(collection)) collection_in(state, collection).forgotten = state.version;
  });
}

void Storage::begin_everywhere() {
  state_.with([](State& state) {
    state.forgotten = state.version;
    for (auto& [name, collection] : state.collections) {
      collection.log.clear();
      collection.forgotten = state.version;
    }
  });
}

void Storage::expire() {
  Wake wake;
  state_.with([&](State& state) {
    ++state.epoch;
    state.forgotten = ++state.version;
    for (auto& [name, collection] : state.collections) {
      collection.log.clear();
      collection.forgotten = state.version;
      collect_live(collection.listeners, wake);
    }
  });
  call(wake);
}

Storage::Subscription Storage::subscribe(std::string_view collection, Listener listener) {
  auto subscription = std::make_shared<const Listener>(std::move(listener));
  state_.with([&](State& state) {
    auto& listeners = collection.empty() ? state.listeners : collection_in(state, collection).listeners;
    listeners.push_back(subscription);
  });
  return subscription;
}

}  // namespace capstan::apiserver
