// A watch of one object that says only that something happened: what it is now is read afterwards, by its
// name. So the agent needs no cache and no decoder, and a watch that is refused costs no more than time until
// the next reading. Made and destroyed by one thread; the stream calls from its own.
#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "base/threads.h"
#include "kube/client.h"

namespace capstan::agent {

class Doorbell final : private kube::StreamSink {
 public:
  explicit Doorbell(Signal& rung) : rung_(rung) {}

  // Once. Ends by itself after some minutes.
  void listen(kube::Client& client, const kube::Resource& resource, const kube::ObjectKey& key,
              const std::string& resource_version);
  bool listens() const { return listens_.load(); }

 private:
  void on_bytes(std::string_view bytes) override;
  void on_end(Result<void> outcome) override;

  Signal& rung_;
  std::atomic<bool> listens_ = false;
  std::unique_ptr<kube::Stream> stream_ = {};  // last: its end is the end of all calls to us
};

}  // namespace capstan::agent
