// Store<T>: the cached snapshots of one kind, their indexes, and the handlers of changes. One informer
// writes, from one thread at a time; all threads read. Handlers run on the writer's thread after the lock is
// released: they turn a change into keys and nothing else. Indexes are added before the informer starts. Safe
// from any thread otherwise.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/guarded.h"
#include "runtime/index.h"
#include "runtime/observed.h"
#include "runtime/snapshot.h"

namespace capstan::runtime {

// Names one index of a Store<T>.
template <typename T>
struct IndexId {
  std::size_t number = 0;
};

template <typename T>
class Store final : public Observed {
 public:
  using Handler = std::function<void(const Change<T>&)>;

  explicit Store(std::string kind) : kind_(std::move(kind)) {}
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  IndexId<T> add_index(IndexValues (*values)(const T&));

  // From now on, and once as an initial change for whatever is there already. A change that happens meanwhile
  // may be handed over before the initial one of the same object: handlers look at keys, not at order.
  void subscribe(Handler handler);

  // --- readers ---
  Snapshot<T> get(const ObjectKey& key) const;
  // In the order of namespace and name.
  std::vector<Snapshot<T>> find(IndexId<T> index, const IndexKey& key) const;
  std::size_t count(IndexId<T> index, const IndexKey& key) const;
  // Every object: for start-up and people, never for a reconcile.
  std::vector<Snapshot<T>> all() const;

  std::string_view kind() const override { return kind_; }
  bool synced() const override {
    return inside_.with([](const Inside& inside) { return inside.synced; });
  }
  api::ResourceVersion version() const override {
    return inside_.with([](const Inside& inside) { return inside.version; });
  }
  std::uint64_t epoch() const override {
    return inside_.with([](const Inside& inside) { return inside.epoch; });
  }
  std::optional<ObservedObject> look(const ObjectKey& key) const override;
  std::optional<Unreadable> unreadable(const ObjectKey& key) const override;
  std::vector<Unreadable> unreadable_in(std::string_view namespace_) const override;
  std::size_t size() const override {
    return inside_.with([](const Inside& inside) { return inside.objects.size(); });
  }

  std::vector<ObjectKey> slice(std::size_t part, std::size_t parts) const override;

  // --- the writer ---
  void apply(T object);
  void remove(const ObjectKey& key, api::ResourceVersion version);
  void advance(api::ResourceVersion version);
  // A list: everything is staged aside, then swapped in at once.
  void begin_list();
  void stage(T object);
  // It exists, but its newest state can't be read: an earlier one stays.
  void set_aside(Unreadable object);
  void stage_unreadable(Unreadable object);
  struct ListEnd {
    api::ResourceVersion version = {};
    bool keep_missing = false;  // some of the list could not be read: what is missing may still exist
    bool rewound = false;       // the server's history was set back: a lower version is right
  };
  void finish_list(const ListEnd& end);
  // It is kept up to date no more: empty and unsynced, and no handler is called.
  void forget();

 private:
  using Objects = std::unordered_set<Slot<T>, SlotHash<T>, SlotEqual<T>>;
  using Handlers = std::shared_ptr<const std::vector<Handler>>;
  struct Inside {
    Objects objects = {};
    std::vector<Index<T>> indexes = {};
    Handlers handlers = std::make_shared<const std::vector<Handler>>();
    api::ResourceVersion version = {};
    std::uint64_t epoch = 0;
    bool synced = false;
    std::map<ObjectKey, Unreadable> unreadable = {};
    bool misses_some = false;  // the last list had objects without even a name
  };

  static bool is_same(const Snapshot<T>& known, const T& object) {
    return known && known->metadata.resource_version == object.metadata.resource_version &&
           known->metadata.uid == object.metadata.uid;
  }
  // By its key, or by another state of it; null when there is none.
  static Snapshot<T> known(const Inside& inside, const auto& of) {
    const auto found = inside.objects.find(of);
    return found == inside.objects.end() ? Snapshot<T>() : found->object;
  }
  static Snapshot<T> put(Inside& inside, const Snapshot<T>& after);
  static Snapshot<T> take(Inside& inside, typename Objects::iterator at);
  static void notify(const Handlers& handlers, const Change<T>& change) {
    for (const Handler& handler : *handlers) handler(change);
  }

  const std::string kind_;
  Unreadable without_name(std::string_view namespace_) const;

  std::vector<Snapshot<T>> staged_;                    // the writer's own
  std::map<ObjectKey, Unreadable> staged_unreadable_;  // likewise
  Guarded<Inside> inside_;
};

template <typename T>
IndexId<T> Store<T>::add_index(IndexValues (*values)(const T&)) {
  return inside_.with([&](Inside& inside) {
    assert(inside.objects.empty() && "indexes are added before the informer starts");
    inside.indexes.emplace_back(values);
    return IndexId<T>{inside.indexes.size() - 1};
  });
}

template <typename T>
void Store<T>::subscribe(Handler handler) {
  std::vector<Snapshot<T>> present = inside_.with([&](Inside& inside) {
    auto more = std::make_shared<std::vector<Handler>>(*inside.handlers);
    more->push_back(handler);
    inside.handlers = std::move(more);
    std::vector<Snapshot<T>> objects;
    for (const Slot<T>& slot : inside.objects) objects.push_back(slot.object);
    return objects;
  });
  std::ranges::sort(present, {}, [](const Snapshot<T>& object) { return place_of(*object); });
  for (Snapshot<T>& object : present) handler({.after = std::move(object), .initial = true});
}

template <typename T>
Snapshot<T> Store<T>::get(const ObjectKey& key) const {
  return inside_.with([&](const Inside& inside) { return known(inside, key); });
}

template <typename T>
std::vector<Snapshot<T>> Store<T>::find(IndexId<T> index, const IndexKey& key) const {
  return inside_.with([&](const Inside& inside) { return inside.indexes.at(index.number).find(key); });
}

template <typename T>
std::size_t Store<T>::count(IndexId<T> index, const IndexKey& key) const {
  return inside_.with([&](const Inside& inside) { return inside.indexes.at(index.number).count(key); });
}

template <typename T>
std::vector<Snapshot<T>> Store<T>::all() const {
  std::vector<Snapshot<T>> objects = inside_.with([](const Inside& inside) {
    std::vector<Snapshot<T>> copies;
    for (const Slot<T>& slot : inside.objects) copies.push_back(slot.object);
    return copies;
  });
  std::ranges::sort(objects, {}, [](const Snapshot<T>& object) { return place_of(*object); });
  return objects;
}

template <typename T>
std::optional<ObservedObject> Store<T>::look(const ObjectKey& key) const {
  const Snapshot<T> object = get(key);
  if (!object) return std::nullopt;
  return ObservedObject{.uid = object->metadata.uid,
                        .version = object->metadata.resource_version,
                        .deleting = object->metadata.deletion_timestamp.is_set()};
}

template <typename T>
std::optional<Unreadable> Store<T>::unreadable(const ObjectKey& key) const {
  return inside_.with([&](const Inside& inside) -> std::optional<Unreadable> {
    const auto found = inside.unreadable.find(key);
    if (found != inside.unreadable.end()) return found->second;
    if (!inside.misses_some || known(inside, key)) return std::nullopt;
    return without_name(key.namespace_);
  });
}

template <typename T>
std::vector<Unreadable> Store<T>::unreadable_in(std::string_view namespace_) const {
  return inside_.with([&](const Inside& inside) {
    std::vector<Unreadable> some;
    for (const auto& [key, object] : inside.unreadable) {
      if (key.namespace_ == namespace_ && !known(inside, key)) some.push_back(object);
    }
    if (inside.misses_some) some.push_back(without_name(namespace_));
    return some;
  });
}

template <typename T>
Unreadable Store<T>::without_name(std::string_view namespace_) const {
  return {.key = {.namespace_ = std::string(namespace_), .name = {}},
          .problem = "an object in the list of " + kind_ + " can't be read, not even its name"};
}

template <typename T>
std::vector<ObjectKey> Store<T>::slice(std::size_t part, std::size_t parts) const {
  return inside_.with([&](const Inside& inside) {
    const std::size_t buckets = inside.objects.bucket_count();
    std::vector<ObjectKey> keys;
    for (std::size_t bucket = buckets * part / parts; bucket < buckets * (part + 1) / parts; ++bucket) {
      for (auto at = inside.objects.begin(bucket); at != inside.objects.end(bucket); ++at) {
        keys.push_back(key_of(*at->object));
      }
    }
    return keys;
  });
}

template <typename T>
void Store<T>::apply(T object) {
  Change<T> change{.after = std::make_shared<const T>(std::move(object))};
  const Handlers handlers = inside_.with([&](Inside& inside) -> Handlers {
    inside.version = std::max(inside.version, change.after->metadata.resource_version);
    if (!inside.unreadable.empty()) inside.unreadable.erase(key_of(*change.after));
    if (is_same(known(inside, *change.after), *change.after)) return nullptr;
    change.before = put(inside, change.after);
    return inside.handlers;
  });
  if (handlers) notify(handlers, change);
}

template <typename T>
void Store<T>::remove(const ObjectKey& key, api::ResourceVersion version) {
  Change<T> change;
  const Handlers handlers = inside_.with([&](Inside& inside) -> Handlers {
    inside.version = std::max(inside.version, version);
    inside.unreadable.erase(key);
    const auto at = inside.objects.find(key);
    if (at == inside.objects.end()) return nullptr;
    change.before = take(inside, at);
    return inside.handlers;
  });
  if (handlers) notify(handlers, change);
}

template <typename T>
void Store<T>::advance(api::ResourceVersion version) {
  inside_.with([&](Inside& inside) { inside.version = std::max(inside.version, version); });
}

template <typename T>
void Store<T>::set_aside(Unreadable object) {
  inside_.with([&](Inside& inside) {
    const ObjectKey key = object.key;
    inside.unreadable.insert_or_assign(key, std::move(object));
  });
}

template <typename T>
void Store<T>::begin_list() {
  staged_.clear();
  staged_unreadable_.clear();
}

// An object that did not change since is dropped at once in favour of the snapshot we have: a relist costs no
// memory.
template <typename T>
void Store<T>::stage(T object) {
  Snapshot<T> kept = inside_.with([&](const Inside& inside) { return known(inside, object); });
  if (!is_same(kept, object)) kept = std::make_shared<const T>(std::move(object));
  staged_.push_back(std::move(kept));
}

template <typename T>
void Store<T>::stage_unreadable(Unreadable object) {
  if (Snapshot<T> kept = get(object.key)) staged_.push_back(std::move(kept));
  const ObjectKey key = object.key;
  staged_unreadable_.insert_or_assign(key, std::move(object));
}

template <typename T>
void Store<T>::finish_list(const ListEnd& end) {
  std::vector<Change<T>> changes;
  const Handlers handlers = inside_.with([&](Inside& inside) {
    std::unordered_set<const T*> present;  // asked only for membership
    if (inside.objects.empty()) inside.objects.reserve(staged_.size());
    for (const Snapshot<T>& object : staged_) {
      present.insert(object.get());
      if (known(inside, *object) == object) continue;
      Snapshot<T> before = put(inside, object);
      changes.push_back({.before = std::move(before), .after = object, .initial = !inside.synced});
    }
    for (auto at = inside.objects.begin(); at != inside.objects.end() && !end.keep_missing;) {
      const auto here = at++;
      if (!present.contains(here->object.get())) changes.push_back({.before = take(inside, here)});
    }
    inside.version = end.rewound ? end.version : std::max(inside.version, end.version);
    inside.epoch += end.rewound ? 1 : 0;
    inside.synced = true;
    inside.unreadable = std::exchange(staged_unreadable_, {});
    inside.misses_some = end.keep_missing;
    return inside.handlers;
  });
  staged_ = {};
  std::ranges::stable_sort(changes, {}, [](const Change<T>& change) { return place_of(change.object()); });
  for (const Change<T>& change : changes) notify(handlers, change);
}

template <typename T>
void Store<T>::forget() {
  const Objects dropped = inside_.with([](Inside& inside) {
    for (auto& index : inside.indexes) index.clear();
    inside.synced = false;
    inside.unreadable.clear();
    inside.misses_some = false;
    ++inside.epoch;
    return std::exchange(inside.objects, {});
  });
}

template <typename T>
Snapshot<T> Store<T>::put(Inside& inside, const Snapshot<T>& after) {
  const auto at = inside.objects.find(*after);
  Snapshot<T> before;
  if (at != inside.objects.end()) before = std::exchange(at->object, after);
  const Slot<T>& slot = before ? *at : *inside.objects.insert(Slot<T>{after}).first;
  for (Index<T>& index : inside.indexes) {
    index.move(slot, before ? index.values_of(*before) : IndexValues(), index.values_of(*after));
  }
  return before;
}

template <typename T>
Snapshot<T> Store<T>::take(Inside& inside, typename Objects::iterator at) {
  Snapshot<T> before = at->object;  // copied: an empty slot has no place in the table
  for (Index<T>& index : inside.indexes) index.move(*at, index.values_of(*before), {});
  inside.objects.erase(at);
  return before;
}

}  // namespace capstan::runtime
