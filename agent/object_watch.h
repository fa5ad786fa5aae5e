// A watch of one object that keeps the newest version the server sent until the agent takes it. Made and
// destroyed by one thread; the stream calls from its own.
#pragma once

#include <atomic>
#include <boost/json/value.hpp>
#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "base/guarded.h"
#include "base/threads.h"
#include "kube/client.h"
#include "net/line_framer.h"

namespace capstan::agent {

class ObjectWatch final : private kube::StreamSink {
 public:
  static constexpr std::chrono::minutes kLength{30};  // then it ends by itself

  explicit ObjectWatch(Signal& changed) : changed_(changed) {}

  // Once.
  void listen(kube::Client& client, const kube::Resource& resource, const kube::ObjectKey& key,
              const std::string& resource_version);
  // Not any more: what became of the object is to be read. So it is after its deletion, too.
  bool listens() const { return listens_.load(); }
  // The newest version the server sent; nothing when the agent has taken it already.
  std::optional<boost::json::value> take();

 private:
  void on_bytes(std::string_view bytes) override;
  void on_end(Result<void> outcome) override;
  void on_line(std::string_view line);

  Signal& changed_;
  std::atomic<bool> listens_ = false;
  net::LineFramer framer_{};
  Guarded<std::optional<boost::json::value>> newest_ = {};
  std::unique_ptr<kube::Stream> stream_ = {};  // last: its end is the end of all calls to us
};

}  // namespace capstan::agent
