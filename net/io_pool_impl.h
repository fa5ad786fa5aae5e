// Internal to net/: includes Asio. What an IoPool is made of: each of its threads runs a context of its own,
// so that what belongs to one connection always happens on one thread, one thing after the other, and no
// thread wakes another to share its work.
#pragma once

#include <atomic>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "net/handshake_gate.h"
#include "net/io_pool.h"
#include "net/worker_pool.h"

namespace capstan::net {

namespace asio = boost::asio;
// Where one connection lives: handlers never run at the same time, because a single thread runs them all.
using Strand = asio::io_context::executor_type;

class IoPool::Impl {
 public:
  explicit Impl(int threads);
  ~Impl();

  asio::io_context& context() { return *contexts_.front(); }  // of what is no connection
  Strand make_strand() { return contexts_[next_++ % contexts_.size()]->get_executor(); }
  WorkerPool& lookups() { return *lookups_; }  // where name resolution may block
  HandshakeGate& handshakes() { return handshakes_; }

 private:
  struct Context : asio::io_context {
    Context() : asio::io_context(1) {}  // one thread will run it
    void drop_handlers() { shutdown(); }
  };

  std::vector<std::unique_ptr<Context>> contexts_;
  std::vector<asio::executor_work_guard<Strand>> work_;
  std::atomic<std::size_t> next_ = 0;
  HandshakeGate handshakes_;
  std::optional<WorkerPool> lookups_;  // always, but at the very end
  std::vector<std::jthread> threads_;
};

}  // namespace capstan::net
