// Internal to net/: includes Asio. What an IoPool is made of.
#pragma once

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/strand.hpp>
#include <thread>
#include <vector>

#include "net/handshake_gate.h"
#include "net/io_pool.h"
#include "net/worker_pool.h"

namespace capstan::net {

namespace asio = boost::asio;
using Strand = asio::strand<asio::io_context::executor_type>;

class IoPool::Impl {
 public:
  explicit Impl(int threads);
  ~Impl();

  asio::io_context& context() { return context_; }
  Strand make_strand() { return asio::make_strand(context_); }
  WorkerPool& lookups() { return lookups_; }  // where name resolution may block
  HandshakeGate& handshakes() { return handshakes_; }

 private:
  asio::io_context context_;
  asio::executor_work_guard<asio::io_context::executor_type> work_;
  HandshakeGate handshakes_;
  WorkerPool lookups_;
  std::vector<std::jthread> threads_;
};

}  // namespace capstan::net
