// From changes to keys: what makes a controller look at a key again. A mapping is pure and says nothing but
// keys; changes of a first list stand behind what happens now. Called by wiring, before informers start or
// later; mappings run on informer threads.
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "runtime/queue.h"
#include "runtime/store.h"

namespace capstan::runtime {

// The queue must outlive the informer that feeds the store.
template <typename T>
void trigger(Store<T>& store, Queue& queue, std::function<std::vector<ObjectKey>(const Change<T>&)> mapping) {
  store.subscribe([&queue, mapping = std::move(mapping)](const Change<T>& change) {
    for (const ObjectKey& key : mapping(change))
      queue.add(key, change.initial ? Priority::Low : Priority::Normal);
  });
}

// The objects a controller is about: every change of one is its own key.
template <typename T>
void trigger_self(Store<T>& store, Queue& queue) {
  store.subscribe([&queue](const Change<T>& change) {
    queue.add(key_of(change.object()), change.initial ? Priority::Low : Priority::Normal);
  });
}

// The owners of that kind, whatever API version the references name; both those it had and those it has.
template <typename T>
std::vector<ObjectKey> owners_of_kind(const Change<T>& change, std::string_view group,
                                      std::string_view kind) {
  std::vector<ObjectKey> owners;
  for (const Snapshot<T>& object : {change.before, change.after}) {
    if (!object) continue;
    for (const auto& owner : *object->metadata.owner_references) {
      if (owner.kind != kind || owner.group() != group) continue;
      ObjectKey key{.namespace_ = object->metadata.namespace_.str(), .name = owner.name.str()};
      if (std::ranges::find(owners, key) == owners.end()) owners.push_back(std::move(key));
    }
  }
  return owners;
}

}  // namespace capstan::runtime
