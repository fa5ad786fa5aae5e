#include "base/intern_pool.h"

#include <boost/unordered/unordered_flat_set.hpp>

#include "base/guarded.h"

namespace capstan::detail {
namespace {

constexpr std::size_t kShards = 64;

struct EntryHash {
  using is_transparent = void;
  std::size_t operator()(const InternEntry* entry) const { return entry->hash; }
  std::size_t operator()(const InternPool::Probe& probe) const { return probe.hash; }
};

struct EntryEqual {
  using is_transparent = void;
  bool operator()(const InternEntry* a, const InternEntry* b) const { return a == b; }
  bool operator()(const InternPool::Probe& probe, const InternEntry* entry) const {
    return probe.hash == entry->hash && entry->refs.load(std::memory_order_relaxed) != 0 &&
           probe.equals(*entry, probe.key);
  }
  bool operator()(const InternEntry* entry, const InternPool::Probe& probe) const {
    return (*this)(probe, entry);
  }
};

using Entries = boost::unordered_flat_set<const InternEntry*, EntryHash, EntryEqual>;

// Zero references means: a thread is on the way to remove it. Such an entry is never revived, or two threads
// would both believe to be its last owner.
bool retain_if_alive(const InternEntry& entry) {
  std::uint32_t refs = entry.refs.load(std::memory_order_relaxed);
  while (refs != 0) {
    if ((refs & InternEntry::kImmortal) != 0) return true;
    if (entry.refs.compare_exchange_weak(refs, refs + 1, std::memory_order_relaxed)) return true;
  }
  return false;
}

}  // namespace

struct alignas(64) InternPool::Shard {
  Guarded<Entries> entries;
};

InternPool::InternPool() : shards_(std::make_unique<Shard[]>(kShards)) {}
InternPool::~InternPool() = default;

InternPool::Shard& InternPool::shard_of(std::uint32_t hash) const { return shards_[hash % kShards]; }

const InternEntry* InternPool::acquire(const Probe& probe) {
  return shard_of(probe.hash).entries.with([&](Entries& entries) {
    const auto found = entries.find(probe);
    if (found != entries.end() && retain_if_alive(**found)) return *found;
    const InternEntry* made = probe.create(probe.hash, probe.key);
    entries.insert(made);
    return made;
  });
}

void InternPool::remove(const InternEntry& entry) {
  shard_of(entry.hash).entries.with([&](Entries& entries) { entries.erase(&entry); });
}

std::size_t InternPool::size() const {
  std::size_t count = 0;
  for (std::size_t i = 0; i < kShards; ++i) {
    count += shards_[i].entries.with([](const Entries& entries) { return entries.size(); });
  }
  return count;
}

}  // namespace capstan::detail
