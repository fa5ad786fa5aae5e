#include "kube/remote_stream.h"

#include "kube/status.h"

namespace capstan::kube {
namespace {

bool is_success(int status) { return status >= 200 && status < 300; }

bool is_retry_after(std::string_view name) {
  constexpr std::string_view kName = "retry-after";
  return name.size() == kName.size() &&
         std::equal(name.begin(), name.end(), kName.begin(), [](char a, char b) {
           return (a >= 'A' && a <= 'Z' ? static_cast<char>(a - 'A' + 'a') : a) == b;
         });
}

}  // namespace

void RemoteStream::on_headers(int status, const net::Headers& headers) {
  status_ = status;
  for (const auto& [name, value] : headers) {
    if (is_retry_after(name)) retry_after_ = value;
  }
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
  sink_.on_end(fail(error_of(refusal, Asked::Object)));
}

}  // namespace capstan::kube
