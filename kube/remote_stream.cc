#include "kube/remote_stream.h"

#include <algorithm>

#include "kube/status.h"

namespace capstan::kube {
namespace {

bool is_success(int status) { return status >= 200 && status < 300; }

}  // namespace

void RemoteStream::on_headers(int status, const net::Headers& headers) {
  status_ = status;
  if (is_success(status)) return;
  const net::HttpResponse head{.headers = headers};
  if (const auto after = head.header("retry-after")) retry_after_ = *after;
}

void RemoteStream::on_bytes(std::string_view bytes) {
  if (is_success(status_)) return sink_.on_bytes(bytes);
  constexpr std::size_t kEnough = 64U << 10;
  refusal_.append(bytes.substr(0, kEnough - std::min(kEnough, refusal_.size())));
}

void RemoteStream::on_end(Result<void> outcome) {
  on_status_(status_);
  if (status_ == 0 || is_success(status_)) return sink_.on_end(std::move(outcome));
  const Refusal refusal{.code = status_, .body = refusal_, .retry_after = retry_after_};
  sink_.on_end(fail(error_of(refusal, Asked::Object, quoting_)));
}

}  // namespace capstan::kube
