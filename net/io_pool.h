// The io threads: run every socket and timer of the process. Created once by wiring, outlives all clients and
// servers.
#pragma once

#include <memory>

namespace capstan::net {

class IoPool {
 public:
  explicit IoPool(int threads = 2);
  ~IoPool();
  IoPool(const IoPool&) = delete;
  IoPool& operator=(const IoPool&) = delete;

  class Impl;
  Impl& impl() { return *impl_; }  // complete only inside net/*.cc

 private:
  std::unique_ptr<Impl> impl_;
};

}  // namespace capstan::net
