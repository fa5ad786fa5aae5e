#include "net/io_pool.h"

#include <fmt/format.h>
#include <pthread.h>

#include <algorithm>
#include <csignal>

#include "net/io_pool_impl.h"

namespace capstan::net {
namespace {

constexpr std::size_t kLookupThreads = 4;  // one dead name server must not hold up all dials

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

IoPool::Impl::Impl(int threads) : handshakes_(kHandshakesAtOnce) {
  lookups_.emplace("net-lookup", kLookupThreads);
  ignore_broken_pipes();
  for (int i = 0; i < std::max(threads, 1); ++i) {
    auto& context = *contexts_.emplace_back(std::make_unique<Context>());
    work_.push_back(asio::make_work_guard(context));
    threads_.emplace_back([&context, i] {
      pthread_setname_np(pthread_self(), fmt::format("net-io-{}", i).c_str());
      context.run();
    });
  }
}

// What waits in one context may hold sockets of another: everything is dropped before the first one goes.
IoPool::Impl::~Impl() {
  for (const auto& context : contexts_) context->stop();
  threads_.clear();  // joins
  lookups_.reset();
  for (const auto& context : contexts_) context->drop_handlers();
}

}  // namespace capstan::net
