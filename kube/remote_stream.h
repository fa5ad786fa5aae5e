// One streamed answer of an API server: bytes of a good one go on to the sink, a refusal becomes one Error.
// Private to RemoteClient. Calls come from an io thread.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "kube/client.h"
#include "net/http_client.h"

namespace capstan::kube {

class RemoteStream final : public Stream, private net::HttpStreamSink {
 public:
  using OnStatus = std::function<void(int status)>;  // once, 0 when no answer came
  RemoteStream(StreamSink& sink, Quoting quoting, OnStatus on_status)
      : sink_(sink), quoting_(quoting), on_status_(std::move(on_status)) {}

  void begin(net::HttpClient& http, net::HttpRequest request, net::StreamLimits limits) {
    handle_ = http.stream(std::move(request), limits, *this);
  }

 private:
  void on_headers(int status, const net::Headers& headers) override;
  void on_bytes(std::string_view bytes) override;
  void on_end(Result<void> outcome) override;

  StreamSink& sink_;
  const Quoting quoting_;
  OnStatus on_status_;
  int status_ = 0;
  std::optional<std::string> retry_after_ = {};
  std::string refusal_ = {};
  std::unique_ptr<net::HttpStreamHandle> handle_ = {};  // last: its end is the end of all calls to us
};

}  // namespace capstan::kube
