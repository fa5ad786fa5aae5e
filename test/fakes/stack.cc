#include "test/fakes/stack.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#include <semaphore.h>

#include <thread>
#else
#include <cxxabi.h>
#include <sys/mman.h>
#include <ucontext.h>

#include <cstring>
#include <stdexcept>
#include <utility>
#include <vector>
#endif

namespace capstan::fakes {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)

// One place to sleep. A POSIX semaphore: libstdc++ 12's own may sleep for ever (its bug 104928).
struct Stack::Inner {
  sem_t turn = {};
  std::thread thread = {};

  Inner() { sem_init(&turn, 0, 0); }
  ~Inner() { sem_destroy(&turn); }
  Inner(const Inner&) = delete;
  Inner& operator=(const Inner&) = delete;

  void give() { sem_post(&turn); }
  void await() {
    while (sem_wait(&turn) != 0) {
    }
  }
};

Stack::Stack() : inner_(std::make_unique<Inner>()) {}

Stack::Stack(Body body) : Stack() {
  inner_->thread = std::thread([inner = inner_.get(), body = std::move(body)]() mutable {
    inner->await();
    Stack& next = body();
    body = {};
    next.inner_->give();
  });
}

Stack::~Stack() { release(); }

void Stack::hand_over(Stack& next) {
  next.inner_->give();
  inner_->await();
}

void Stack::release() {
  if (inner_->thread.joinable()) inner_->thread.join();
}

const void* Stack::current() {
  thread_local const char mark = 0;
  return &mark;
}

#else

namespace {

constexpr std::size_t kBytes = 1 << 20;  // only what is touched becomes real
constexpr std::size_t kGuard = 1 << 14;

// What a fiber runs on; its first bytes must not be touched.
class Memory {
 public:
  Memory()
      : begin_(::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                      -1, 0)) {
    if (begin_ == MAP_FAILED || ::mprotect(begin_, kGuard, PROT_NONE) != 0)
      throw std::runtime_error("no memory for a simulated thread");
  }
  ~Memory() { ::munmap(begin_, kBytes); }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  void* begin() const { return begin_; }

 private:
  void* begin_;
};

// Used again by the next fiber.
std::vector<std::unique_ptr<Memory>>& spare() {
  thread_local std::vector<std::unique_ptr<Memory>> memories;
  return memories;
}

std::unique_ptr<Memory> take_memory() {
  if (spare().empty()) return std::make_unique<Memory>();
  auto memory = std::move(spare().back());
  spare().pop_back();
  return memory;
}

// What a thread knows of exceptions under way: this much of it is part of the C++ ABI.
struct Exceptions {
  void* caught = nullptr;
  unsigned int uncaught = 0;

  static Exceptions save() {
    Exceptions now;
    std::memcpy(static_cast<void*>(&now), abi::__cxa_get_globals(), sizeof(now));
    return now;
  }
  void restore() const { std::memcpy(static_cast<void*>(abi::__cxa_get_globals()), this, sizeof(*this)); }
};

thread_local Stack* t_current = nullptr;

}  // namespace

struct Stack::Inner {
  ucontext_t context = {};
  std::unique_ptr<Memory> memory = {};
  Exceptions exceptions = {};
  Body body = {};

  static void begin();
};

// Never returns: the memory it stands on is another's as soon as some is asked for.
void Stack::Inner::begin() {
  Inner& me = *t_current->inner_;
  Exceptions().restore();
  Stack& next = me.body();
  me.body = {};
  spare().push_back(std::move(me.memory));
  t_current = &next;
  ::setcontext(&next.inner_->context);
}

Stack::Stack() : inner_(std::make_unique<Inner>()) {}

Stack::Stack(Body body) : Stack() {
  inner_->body = std::move(body);
  inner_->memory = take_memory();
  ::getcontext(&inner_->context);
  inner_->context.uc_stack = {.ss_sp = inner_->memory->begin(), .ss_flags = 0, .ss_size = kBytes};
  ::makecontext(&inner_->context, &Inner::begin, 0);
}

Stack::~Stack() {
  if (t_current == this) t_current = nullptr;
}

void Stack::hand_over(Stack& next) {
  inner_->exceptions = Exceptions::save();
  t_current = &next;
  ::swapcontext(&inner_->context, &next.inner_->context);
  inner_->exceptions.restore();
}

void Stack::release() {}

const void* Stack::current() {
  thread_local const char mark = 0;
  return t_current != nullptr ? static_cast<const void*>(t_current) : &mark;
}

#endif

}  // namespace capstan::fakes
