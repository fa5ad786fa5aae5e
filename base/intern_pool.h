// The table behind Text and Interned<T>: finds the one live entry equal to a key, or makes it. Entries count
// their references; the thread that drops the last one removes the entry and destroys it. Split by hash into
// shards with a lock each. Safe from any thread; used by base/text.cc, base/interned.h and
// api/schema/text_map.cc.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace capstan::detail {

// What every entry starts with. The top bit of `refs` marks an immortal entry: it is never counted again, so
// it may live in read-only memory (and a count that overflows leaks one entry instead of freeing it under its
// readers).
struct InternEntry {
  static constexpr std::uint32_t kImmortal = 1U << 31U;

  constexpr InternEntry(std::uint32_t first_refs, std::uint32_t own_hash)
      : refs(first_refs), hash(own_hash) {}

  mutable std::atomic<std::uint32_t> refs;
  std::uint32_t hash;

  void retain() const {
    if (is_counted()) refs.fetch_add(1, std::memory_order_relaxed);
  }
  // True for exactly one caller: the one who must remove and destroy the entry.
  bool drop() const { return is_counted() && refs.fetch_sub(1, std::memory_order_acq_rel) == 1; }
  bool is_counted() const { return (refs.load(std::memory_order_relaxed) & kImmortal) == 0; }
};

class InternPool {
 public:
  struct Probe {
    std::uint32_t hash = 0;
    void* key = nullptr;
    bool (*equals)(const InternEntry& entry, const void* key) = nullptr;
    InternEntry* (*create)(std::uint32_t hash, void* key) = nullptr;  // with one reference, the caller's
  };

  InternPool();
  ~InternPool();
  InternPool(const InternPool&) = delete;
  InternPool& operator=(const InternPool&) = delete;

  // `equals` and `create` run under the lock of a shard: they must not intern anything themselves.
  const InternEntry* acquire(const Probe& probe);
  void remove(const InternEntry& entry);
  std::size_t size() const;

 private:
  struct Shard;
  Shard& shard_of(std::uint32_t hash) const;
  std::unique_ptr<Shard[]> shards_;
};

// A value that is never destroyed: handles in static storage may outlive every static they were made from.
template <typename T>
union Immortal {
  T value;
  template <typename... Args>
  explicit Immortal(Args&&... args) : value(static_cast<Args&&>(args)...) {}
  ~Immortal() {}
};

}  // namespace capstan::detail
