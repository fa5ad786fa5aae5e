#include "test/fakes/memory_stream.h"

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
        delivery->thread_ = std::this_thread::get_id();
        body(*delivery, stop);
      })) {}

MemoryStream::~MemoryStream() {
  delivery_->cancelled_ = true;
  thread_->request_stop();
  delivery_->signal_->notify();
  if (delivery_->thread_.load() == std::this_thread::get_id()) {
    orphans_.with([&](auto& orphans) { orphans.push_back(std::move(thread_)); });
  } else {
    thread_->join();
  }
}

}  // namespace capstan::fakes
