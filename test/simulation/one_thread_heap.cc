// The heap of `sim`: operator new and delete for a process that has one thread (stack.h of test/fakes), as
// lists of free blocks by size that know no locks. A third of what a seed costs was spent in malloc. Large
// blocks, and all once there is a second thread, still come from there.
#include <sys/mman.h>
#include <sys/single_threaded.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

namespace {

constexpr std::size_t kGrain = 16;
constexpr std::size_t kLargest = 1024;
constexpr std::size_t kSpan = 64 << 10;  // of blocks of one size
constexpr std::size_t kSpans = 1 << 16;  // 4 GiB of addresses; real is what is touched

struct FreeBlock {
  FreeBlock* next;
};

struct Size {
  FreeBlock* free;
  std::byte* fresh;  // of its last span
  std::byte* end;
};

class Heap {
 public:
  void* take(std::size_t bytes) {
    const std::size_t grains = bytes == 0 ? 1 : (bytes + kGrain - 1) / kGrain;
    Size& size = sizes_[grains];
    if (FreeBlock* const block = size.free) {
      size.free = block->next;
      return block;
    }
    if (size.fresh == size.end && !add_span(grains)) return nullptr;
    void* const block = size.fresh;
    size.fresh += grains * kGrain;
    return block;
  }

  bool holds(const void* block) const {
    return static_cast<std::size_t>(static_cast<const std::byte*>(block) - begin_) < used_ * kSpan;
  }

  void give_back(void* block) {
    const auto span = static_cast<std::size_t>(static_cast<std::byte*>(block) - begin_) / kSpan;
    Size& size = sizes_[grains_[span]];
    size.free = ::new (block) FreeBlock{size.free};
  }

 private:
  bool add_span(std::size_t grains) {
    if (begin_ == nullptr && !reserve()) return false;
    if (used_ == kSpans) return false;
    std::byte* const span = begin_ + used_ * kSpan;
    grains_[used_++] = static_cast<std::uint8_t>(grains);
    sizes_[grains].fresh = span;
    sizes_[grains].end = span + kSpan / (grains * kGrain) * (grains * kGrain);
    return true;
  }

  bool reserve() {
    void* const memory = ::mmap(nullptr, kSpan * kSpans, PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) return false;
    begin_ = static_cast<std::byte*>(memory);
    return true;
  }

  std::byte* begin_ = nullptr;
  std::size_t used_ = 0;  // spans
  std::array<Size, kLargest / kGrain + 1> sizes_ = {};
  std::array<std::uint8_t, kSpans> grains_ = {};  // by span
};

constinit Heap g_heap;

}  // namespace

void* operator new(std::size_t bytes) {
  if (bytes <= kLargest && __libc_single_threaded != 0) {
    if (void* const block = g_heap.take(bytes)) return block;
  }
  if (void* const block = std::malloc(bytes == 0 ? 1 : bytes)) return block;
  throw std::bad_alloc();
}

void operator delete(void* block) noexcept {
  if (!g_heap.holds(block)) {
    std::free(block);
  } else if (__libc_single_threaded != 0) {
    g_heap.give_back(block);
  }
}

void operator delete(void* block, std::size_t) noexcept { operator delete(block); }

#endif
