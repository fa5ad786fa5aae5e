#include "net/io_pool.h"

#include <fmt/format.h>
#include <pthread.h>

#include <algorithm>
#include <csignal>

#include "net/io_pool_impl.h"

namespace capstan::net {
namespace {

constexpr std::size_t kLookupThreads = 4;  // one dead name server must not hold up everybody

constexpr std::size_t kHandshakesAtOnce = 32;

// OpenSSL writes to sockets with write(2): a peer that went away must be an error, not the end of the
// process.
void ignore_broken_pipes() {
  struct sigaction now = {};
  if (sigaction(SIGPIPE, nullptr, &now) == 0 && now.sa_handler == SIG_DFL) std::signal(SIGPIPE, SIG_IGN);
}

}  // namespace

IoPool::IoPool(int threads) : impl_(std::make_unique<Impl>(threads)) {}

IoPool::~IoPool() = default;

IoPool::Impl::Impl(int threads)
    : context_(std::max(threads, 1)),
      work_(asio::make_work_guard(context_)),
      handshakes_(kHandshakesAtOnce),
      lookups_("net-lookup", kLookupThreads) {
  ignore_broken_pipes();
  for (int i = 0; i < std::max(threads, 1); ++i) {
    threads_.emplace_back([this, i] {
      pthread_setname_np(pthread_self(), fmt::format("net-io-{}", i).c_str());
      context_.run();
    });
  }
}

IoPool::Impl::~Impl() {
  context_.stop();
  threads_.clear();  // joins
}

}  // namespace capstan::net
