// List<T>: a vector that takes 8 bytes while empty, for the lists of cached objects. Everything a std::vector
// is used for works; iterators are pointers and become invalid when the list grows. Values; thread rule as
// their content.
#pragma once

#include <algorithm>
#include <cassert>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

namespace capstan::api {

template <typename T>
class List {
 public:
  using value_type = T;
  using size_type = std::size_t;
  using difference_type = std::ptrdiff_t;
  using reference = T&;
  using const_reference = const T&;
  using iterator = T*;
  using const_iterator = const T*;

  List() = default;
  List(std::initializer_list<T> elements) { append(elements.begin(), elements.end()); }
  template <std::input_iterator First, std::sentinel_for<First> Last>
  List(First first, Last last) {
    append(first, last);
  }
  List(std::vector<T> elements) {  // NOLINT(google-explicit-constructor): both are lists
    append(std::make_move_iterator(elements.begin()), std::make_move_iterator(elements.end()));
  }
  List(const List& other) : List(other.begin(), other.end()) {}
  List(List&& other) noexcept : block_(std::exchange(other.block_, nullptr)) {}
  List& operator=(List other) noexcept {
    std::swap(block_, other.block_);
    return *this;
  }
  ~List() { drop(); }

  bool empty() const { return size() == 0; }
  std::size_t size() const { return block_ == nullptr ? 0 : block_->size; }
  std::size_t capacity() const { return block_ == nullptr ? 0 : block_->capacity; }
  T* data() { return elements(); }
  const T* data() const { return elements(); }
  T* begin() { return elements(); }
  T* end() { return elements() + size(); }
  const T* begin() const { return elements(); }
  const T* end() const { return elements() + size(); }
  const T* cbegin() const { return begin(); }
  const T* cend() const { return end(); }

  T& operator[](std::size_t index) { return checked(index); }
  const T& operator[](std::size_t index) const { return const_cast<List*>(this)->checked(index); }
  T& at(std::size_t index) { return checked(index); }
  const T& at(std::size_t index) const { return const_cast<List*>(this)->checked(index); }
  T& front() { return checked(0); }
  const T& front() const { return (*this)[0]; }
  T& back() { return checked(size() - 1); }
  const T& back() const { return (*this)[size() - 1]; }

  void push_back(const T& element) { emplace_back(element); }
  void push_back(T&& element) { emplace_back(std::move(element)); }
  template <typename... Args>
  T& emplace_back(Args&&... args) {
    if (size() == capacity()) {
      T made(std::forward<Args>(args)...);  // before the elements it may be made from move away
      relocate(std::max<std::size_t>(2 * capacity(), 4));
      return construct(std::move(made));
    }
    return construct(std::forward<Args>(args)...);
  }
  void pop_back() { erase(end() - 1); }

  T* insert(const T* where, T element) {
    const auto index = where - begin();
    push_back(std::move(element));
    std::rotate(begin() + index, end() - 1, end());
    return begin() + index;
  }
  T* erase(const T* where) { return erase(where, where + 1); }
  T* erase(const T* first, const T* last) {
    T* const to = begin() + (first - begin());
    T* const rest = std::move(begin() + (last - begin()), end(), to);
    std::destroy(rest, end());
    if (block_ != nullptr) block_->size = static_cast<std::uint32_t>(rest - begin());
    return to;
  }
  void clear() { drop(); }
  void resize(std::size_t count, const T& value = T{}) {
    if (count < size()) erase(begin() + count, end());
    if (count > size()) reserve(count);
    while (size() < count) emplace_back(value);
  }
  void reserve(std::size_t count) {
    if (count > capacity()) relocate(count);
  }
  void shrink_to_fit() {
    if (empty()) return drop();
    if (capacity() > size()) relocate(size());
  }

  friend bool operator==(const List& left, const List& right) {
    return std::equal(left.begin(), left.end(), right.begin(), right.end());
  }

 private:
  struct Block {
    std::uint32_t size = 0;
    std::uint32_t capacity = 0;
  };
  // What is allocated: the block, then its elements.
  struct alignas(alignof(T) > alignof(Block) ? alignof(T) : alignof(Block)) Unit {
    std::byte bytes[alignof(T) > sizeof(Block) ? alignof(T) : sizeof(Block)];
  };

  static std::size_t units(std::size_t capacity) {
    return 1 + (capacity * sizeof(T) + sizeof(Unit) - 1) / sizeof(Unit);
  }
  T* elements() const {
    return block_ == nullptr ? nullptr : reinterpret_cast<T*>(reinterpret_cast<Unit*>(block_) + 1);
  }
  T& checked(std::size_t index) {
    assert(index < size() && "no such element");
    return elements()[index];
  }

  template <typename First, typename Last>
  void append(First first, Last last) {
    if constexpr (std::forward_iterator<First>)
      reserve(size() + static_cast<std::size_t>(std::distance(first, last)));
    for (; first != last; ++first) emplace_back(*first);
  }

  template <typename... Args>
  T& construct(Args&&... args) {
    T* const made = std::construct_at(elements() + size(), std::forward<Args>(args)...);
    ++block_->size;
    return *made;
  }

  void relocate(std::size_t count) {
    Unit* const memory = std::allocator<Unit>().allocate(units(count));
    auto* const block = std::construct_at(reinterpret_cast<Block*>(memory));
    block->capacity = static_cast<std::uint32_t>(count);
    block->size = static_cast<std::uint32_t>(size());
    std::uninitialized_move(begin(), end(), reinterpret_cast<T*>(memory + 1));
    drop();
    block_ = block;
  }

  void drop() {
    if (block_ == nullptr) return;
    std::destroy(begin(), end());
    std::allocator<Unit>().deallocate(reinterpret_cast<Unit*>(block_), units(block_->capacity));
    block_ = nullptr;
  }

  Block* block_ = nullptr;
};

template <typename T, typename Predicate>
std::size_t erase_if(List<T>& list, Predicate predicate) {
  T* const rest = std::remove_if(list.begin(), list.end(), std::move(predicate));
  const auto count = static_cast<std::size_t>(list.end() - rest);
  list.erase(rest, list.end());
  return count;
}

}  // namespace capstan::api
