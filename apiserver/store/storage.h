// The one revisioned store behind everything: documents by collection, namespace and name; one
// resourceVersion counter; a bounded history per collection, from which watches read on and lists reconstruct
// the past. Safe from any thread.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/request.h"
#include "apiserver/store/stored_key.h"
#include "apiserver/store/watch.h"
#include "base/guarded.h"

namespace capstan::apiserver {

struct Change {
  std::uint64_t version = 0;
  EventType type = EventType::Added;
  StoredKey key = {};
  ObjectPtr object =
      {};  // afterwards; of a deletion the last state, stamped with the version of the deletion
  ObjectPtr before = {};  // null for Added
};

struct ListQuery {
  std::string namespace_ = {};           // empty: all
  std::optional<StoredKey> after = {};   // the last key already delivered
  std::optional<std::uint64_t> at = {};  // absent: now
  std::size_t max = SIZE_MAX;
};

struct ListPage {
  std::vector<std::pair<StoredKey, ObjectPtr>> items = {};
  bool more = false;
  std::uint64_t version = 0;  // what the page shows the world at
};

struct ChangePage {
  std::vector<Change> changes = {};
  std::uint64_t version = 0;  // read on from here
  bool gone = false;          // the history does not reach back that far, or was expired
};

class Storage {
 public:
  explicit Storage(std::size_t history_per_collection) : state_(State{.history = history_per_collection}) {}

  std::uint64_t version() const;
  ObjectPtr find(std::string_view collection, const StoredKey& key) const;
  std::size_t size(std::string_view collection) const;
  std::vector<std::string> collections() const;  // all that ever held something, or were watched

  // Writes stamp metadata.resourceVersion. Null: the key is taken (create), or the stored document is not
  // `expected` any more (replace, erase).
  ObjectPtr create(std::string_view collection, const StoredKey& key, json::object document);
  ObjectPtr replace(std::string_view collection, const StoredKey& key, const ObjectPtr& expected,
                    json::object document);
  ObjectPtr erase(std::string_view collection, const StoredKey& key, const ObjectPtr& expected);

  // Nothing when the history no longer reaches back to `at`.
  std::optional<ListPage> list(std::string_view collection, const ListQuery& query) const;
  // What happened after `version`, oldest first. `epoch` is what epoch() said when the reader began.
  ChangePage changes_after(std::string_view collection, std::uint64_t version, std::uint64_t epoch,
                           std::size_t max) const;
  std::uint64_t epoch() const;
  // No watch begins before this moment: all that a collection held when it came into being is its
  // beginning.
  void begin(std::string_view collection);
  void begin_everywhere();
  // Forgets all history: every reader sees `gone`, every version handed out so far is too old.
  void expire();

  // Called after every write to the collection ("" means to any), outside the lock, on the writer's thread;
  // perhaps once more after the listener has been dropped.
  using Listener = std::function<void()>;
  using Subscription = std::shared_ptr<const Listener>;
  [[nodiscard]] Subscription subscribe(std::string_view collection, Listener listener);

 private:
  struct Collection {
    std::map<StoredKey, ObjectPtr> objects = {};
    std::deque<Change> log = {};
    std::uint64_t forgotten = 0;  // changes up to this version are no longer known
    std::vector<std::weak_ptr<const Listener>> listeners = {};
  };
  struct State {
    std::size_t history = 0;
    std::uint64_t version = 1;
    std::uint64_t epoch = 0;
    std::uint64_t forgotten = 0;  // for collections that came into being later
    std::map<std::string, Collection, std::less<>> collections = {};
    std::vector<std::weak_ptr<const Listener>> listeners = {};
  };
  using Wake = std::vector<Subscription>;

  static Collection& collection_in(State& state, std::string_view name);
  static ObjectPtr record(State& state, Collection& collection, Change change, json::object document,
                          Wake& wake);
  static std::map<StoredKey, ObjectPtr> past(const Collection& collection, std::uint64_t at);

  Guarded<State> state_;
};

}  // namespace capstan::apiserver
