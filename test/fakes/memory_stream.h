// A stream of MemoryClient: a thread of its own calls the sink until it ends or is cancelled. Destruction
// cancels it and waits for a call that is under way, unless it happens inside that call.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/guarded.h"
#include "base/threads.h"
#include "kube/client.h"

namespace capstan::fakes {

// Threads of streams that were destroyed from inside their own callback; the owner of this list joins them.
using OrphanThreads = Guarded<std::vector<std::unique_ptr<Thread>>>;

// What the delivering thread holds; it may outlive the stream.
class Delivery {
 public:
  explicit Delivery(kube::StreamSink& sink)
      : sink_(sink), signal_(std::make_shared<Signal>("memory stream")) {}

  // False once the stream is cancelled.
  bool bytes(std::string_view text);
  void end(Result<void> outcome);
  const std::shared_ptr<Signal>& signal() const { return signal_; }

 private:
  friend class MemoryStream;
  kube::StreamSink& sink_;
  std::shared_ptr<Signal> signal_;
  std::atomic<bool> cancelled_ = false;
  std::atomic<const void*> running_on_ = nullptr;
};

class MemoryStream final : public kube::Stream {
 public:
  using Body = std::move_only_function<void(Delivery&, const std::stop_token&)>;

  MemoryStream(Threads& threads, OrphanThreads& orphans, kube::StreamSink& sink, std::string name, Body body);
  ~MemoryStream() override;
  MemoryStream(const MemoryStream&) = delete;
  MemoryStream& operator=(const MemoryStream&) = delete;

 private:
  OrphanThreads& orphans_;
  std::shared_ptr<Delivery> delivery_;
  std::unique_ptr<Thread> thread_;
};

}  // namespace capstan::fakes
