// SharedList<T>: a list whose elements are stored once for all lists that hold an equal one, all but their
// time: the conditions of ten thousand Machines at rest differ in nothing else. 16 bytes for each element.
// Reading gives views, whose members refer to what is shared; writing is by whole elements. T has a
// `last_transition_time`, a std::hash, and its view beside it (api/meta/condition.h). Values; thread rule as
// Interned.
#pragma once

#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <utility>

#include "api/schema/list.h"
#include "base/hash.h"
#include "base/interned.h"
#include "base/time.h"

namespace capstan::api {

// Specialised beside each T: made of what is shared and a time, or of a T.
template <typename T>
struct ViewOf;

// Where an element stands, or nowhere. Used like a const T*, and like one it is good until its list changes.
// Its view is made for each look: take members by value from it, or by reference those it refers to.
template <typename T>
class Place {
  struct Arrow {
    ViewOf<T> view;
    const ViewOf<T>* operator->() const { return &view; }
  };

 public:
  Place() = default;
  Place(std::nullptr_t) {}
  Place(const T* alone) {
    if (alone != nullptr) *this = Place(*alone, alone->last_transition_time);
  }
  Place(const T& shared, Time time) : shared_(&shared), time_(time) {}

  explicit operator bool() const { return shared_ != nullptr; }
  ViewOf<T> operator*() const {
    assert(shared_ != nullptr && "nothing stands there");
    return {*shared_, time_};
  }
  Arrow operator->() const { return {**this}; }
  friend bool operator==(const Place& place, std::nullptr_t) { return place.shared_ == nullptr; }

 private:
  const T* shared_ = nullptr;
  Time time_ = {};
};

// What a list stores.
template <typename T>
class Shared {
 public:
  Shared() = default;
  explicit Shared(T whole)
      : time_(std::exchange(whole.last_transition_time, Time())), rest_(std::move(whole)) {}
  Shared(Interned<T> rest, Time time) : time_(time), rest_(std::move(rest)) {}

  Place<T> place() const { return {*rest_, time_}; }
  ViewOf<T> view() const { return {*rest_, time_}; }
  // For who reads by descriptor. What it points to is shared: never written to.
  template <typename Member>
  const void* field(const Member& member) const {
    const void* const in_rest = member.address(const_cast<T*>(&*rest_));
    return in_rest == &rest_->last_transition_time ? &time_ : in_rest;
  }
  bool operator==(const Shared&) const = default;

 private:
  Time time_ = {};
  Interned<T> rest_ = {};  // without a time
};

// Where a decoder fills elements. It remembers the last few, since the next object of a kind mostly says the
// same as the one before: that spares a look into the pool. So a few live on when no object says them any
// more. One per thread; an element may be closed by another thread than the one that opened it.
template <typename T>
class Filling {
 public:
  static Filling& of_this_thread() {
    thread_local Filling filling;
    return filling;
  }

  std::unique_ptr<T> open() { return spare_ == nullptr ? std::make_unique<T>() : std::move(spare_); }
  Shared<T> close(std::unique_ptr<T> filled) {
    const Time time = std::exchange(filled->last_transition_time, Time());
    Interned<T>& kept = recent_[hash_of(*filled) % kRemembered];
    if (!(*kept == *filled)) kept = Interned<T>(std::move(*filled));
    std::destroy_at(filled.get());
    std::construct_at(filled.get());  // cheaper than to assign member by member
    spare_ = std::move(filled);
    return Shared<T>(kept, time);
  }

 private:
  static constexpr std::size_t kRemembered = 64;
  std::unique_ptr<T> spare_ = nullptr;
  std::array<Interned<T>, kRemembered> recent_ = {};
};

template <typename T>
class SharedList {
 public:
  using value_type = T;
  using size_type = std::size_t;

  class const_iterator {
   public:
    using value_type = ViewOf<T>;
    using difference_type = std::ptrdiff_t;
    using reference = ViewOf<T>;
    using pointer = Place<T>;
    using iterator_concept = std::forward_iterator_tag;
    using iterator_category = std::input_iterator_tag;

    const_iterator() = default;
    explicit const_iterator(const Shared<T>* at) : at_(at) {}
    ViewOf<T> operator*() const { return at_->view(); }
    Place<T> operator->() const { return place(); }
    Place<T> place() const { return at_->place(); }
    const_iterator& operator++() {
      ++at_;
      return *this;
    }
    const_iterator operator++(int) { return const_iterator(at_++); }
    bool operator==(const const_iterator&) const = default;

   private:
    friend SharedList;
    const Shared<T>* at_ = nullptr;
  };
  using iterator = const_iterator;
  using reference = ViewOf<T>;
  using const_reference = ViewOf<T>;

  SharedList() = default;
  SharedList(std::initializer_list<T> elements) {
    stored_.reserve(elements.size());
    for (const T& each : elements) push_back(each);
  }

  bool empty() const { return stored_.empty(); }
  std::size_t size() const { return stored_.size(); }
  const_iterator begin() const { return const_iterator(stored_.begin()); }
  const_iterator end() const { return const_iterator(stored_.end()); }
  ViewOf<T> operator[](std::size_t index) const { return stored_[index].view(); }
  ViewOf<T> front() const { return stored_.front().view(); }
  ViewOf<T> back() const { return stored_.back().view(); }

  void push_back(T element) { stored_.emplace_back(std::move(element)); }
  void replace(const_iterator where, T element) {
    stored_[static_cast<std::size_t>(where.at_ - stored_.begin())] = Shared<T>(std::move(element));
  }
  void clear() { stored_.clear(); }
  void shrink_to_fit() { stored_.shrink_to_fit(); }

  // Stable, by what `key` says of a view.
  template <typename Key>
  void sort_by(Key key) {
    const auto of_stored = [&](const Shared<T>& each) { return std::invoke(key, each.view()); };
    if (!std::ranges::is_sorted(stored_, {}, of_stored)) std::ranges::stable_sort(stored_, {}, of_stored);
  }
  template <typename Predicate>
  friend std::size_t erase_if(SharedList& list, Predicate predicate) {
    return erase_if(list.stored_, [&](const Shared<T>& each) { return std::invoke(predicate, each.view()); });
  }
  bool operator==(const SharedList&) const = default;

  // For who reads and fills by descriptor (api/schema/field_types.h).
  List<Shared<T>>& stored() { return stored_; }
  const List<Shared<T>>& stored() const { return stored_; }

 private:
  List<Shared<T>> stored_ = {};
};

// The one that `wanted` holds for; nowhere when there is none.
template <typename T, typename Wanted>
Place<T> place_of(const SharedList<T>& list, Wanted wanted) {
  for (const auto& each : list.stored()) {
    if (std::invoke(wanted, each.view())) return each.place();
  }
  return {};
}

}  // namespace capstan::api
