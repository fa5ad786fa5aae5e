#include "runtime/index_table.h"

#include <boost/unordered/unordered_flat_map.hpp>
#include <cassert>
#include <cstdint>
#include <iterator>

#include "base/hash.h"

namespace capstan::runtime {
namespace {

struct ValueHash {
  using is_transparent = void;
  std::size_t operator()(const IndexValue& value) const {
    return hash_combine(value.scope.hash(), value.name.hash());
  }
  std::size_t operator()(const IndexKey& key) const {
    const std::hash<Text> of;
    return hash_combine(of(key.scope), of(key.name));
  }
};

struct ValueEqual {
  using is_transparent = void;
  bool operator()(const IndexValue& left, const IndexValue& right) const { return left == right; }
  bool operator()(const IndexKey& left, const IndexValue& right) const {
    return right.name == left.name && right.scope == left.scope;
  }
  bool operator()(const IndexValue& left, const IndexKey& right) const { return (*this)(right, left); }
};

bool is_many(const void* word) { return (reinterpret_cast<std::uintptr_t>(word) & 1U) != 0; }

}  // namespace

SlotList::SlotList(std::unique_ptr<Many> many) : word_(reinterpret_cast<const char*>(many.release()) + 1) {}

SlotList::~SlotList() { const std::unique_ptr<Many> destroyed(many()); }

SlotList::Many* SlotList::many() const {
  if (!is_many(word_)) return nullptr;
  return reinterpret_cast<Many*>(const_cast<char*>(static_cast<const char*>(word_) - 1));
}

std::span<const void* const> SlotList::slots() const {
  if (const Many* several = many()) return *several;
  return {&word_, empty() ? 0U : 1U};
}

void SlotList::insert(std::size_t position, const void* slot) {
  assert(slot != nullptr && !is_many(slot) && "a slot stands at an even address");
  if (empty()) {
    word_ = slot;
    return;
  }
  if (many() == nullptr) *this = SlotList(std::make_unique<Many>(1, word_));
  many()->insert(many()->begin() + static_cast<std::ptrdiff_t>(position), slot);
}

void SlotList::erase(std::size_t position) {
  Many* const several = many();
  if (several == nullptr) {
    assert(position == 0 && "there is but one");
    word_ = nullptr;
    return;
  }
  several->erase(several->begin() + static_cast<std::ptrdiff_t>(position));
  if (several->size() > 1) return;
  const SlotList before(std::move(*this));
  word_ = several->front();
}

struct IndexTable::Table {
  boost::unordered_flat_map<IndexValue, SlotList, ValueHash, ValueEqual> lists = {};
};

IndexTable::IndexTable() : table_(std::make_unique<Table>()) {}
IndexTable::IndexTable(IndexTable&&) noexcept = default;
IndexTable& IndexTable::operator=(IndexTable&&) noexcept = default;
IndexTable::~IndexTable() = default;

std::span<const void* const> IndexTable::find(const IndexKey& key) const {
  const auto found = table_->lists.find(key);
  return found == table_->lists.end() ? std::span<const void* const>() : found->second.slots();
}

SlotList& IndexTable::at(const IndexValue& value) { return table_->lists[value]; }

void IndexTable::forget(const IndexValue& value) { table_->lists.erase(value); }

void IndexTable::clear() { table_->lists = {}; }

}  // namespace capstan::runtime
