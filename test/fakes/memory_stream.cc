#include "test/fakes/memory_stream.h"

#include "test/fakes/stack.h"

namespace capstan::fakes {

bool Delivery::bytes(std::string_view text) {
  if (cancelled_) return false;
  sink_.on_bytes(text);
  return !cancelled_;
}

void Delivery::end(Result<void> outcome) {
  if (!cancelled_) sink_.on_end(std::move(outcome));
}

MemoryStream::MemoryStream(Threads& threads, OrphanThreads& orphans, kube::StreamSink& sink, std::string name,
                           Body body)
    : orphans_(orphans),
      delivery_(std::make_shared<Delivery>(sink)),
      thread_(threads.spawn(std::move(name), [delivery = delivery_,
                                              body = std::move(body)](const std::stop_token& stop) mutable {
        delivery->running_on_ = Stack::current();
        body(*delivery, stop);
      })) {}

MemoryStream::~MemoryStream() {
  delivery_->cancelled_ = true;
  thread_->request_stop();
  delivery_->signal_->notify();
  if (delivery_->running_on_.load() == Stack::current()) {
    orphans_.with([&](auto& orphans) { orphans.push_back(std::move(thread_)); });
  } else {
    thread_->join();
  }
}

}  // namespace capstan::fakes
