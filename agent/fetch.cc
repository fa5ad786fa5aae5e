#include "agent/fetch.h"

#include <fmt/format.h>

#include <optional>

#include "base/guarded.h"
#include "base/try.h"
#include "net/http_client.h"
#include "net/tls.h"
#include "net/url.h"

namespace capstan::agent {
namespace {

constexpr int kMostRedirections = 5;
constexpr auto kSilent = std::chrono::seconds(60);

struct Answer {
  int status = 0;
  std::string location = {};
};

// Called on an io thread; the fetching thread waits for its end meanwhile and touches nothing of it.
class Download final : public net::HttpStreamSink {
 public:
  Download(PendingFile& into, Threads& threads) : into_(into), threads_(threads) {}

  Result<Answer> await(const Deadline& deadline) {
    const Woken woken = threads_.wait_until(ended_, deadline, [&] { return outcome().has_value(); });
    if (woken != Woken::Notified) return fail(Code::Timeout, "the download takes too long");
    TRY(*outcome());
    TRY(written_);
    return answer_;
  }

  void on_headers(int status, const net::Headers& headers) override {
    answer_.status = status;
    const net::HttpResponse response{.status = status, .headers = headers};
    if (const auto location = response.header("location")) answer_.location = std::string(*location);
  }
  void on_bytes(std::string_view bytes) override {
    if (answer_.status == 200 && written_) written_ = into_.write(bytes);
  }
  void on_end(Result<void> outcome) override {
    outcome_.with([&](auto& known) { known = std::move(outcome); });
    ended_.notify();
  }

 private:
  std::optional<Result<void>> outcome() const {
    return outcome_.with([](const auto& known) { return known; });
  }

  PendingFile& into_;
  Threads& threads_;
  Answer answer_ = {};
  Result<void> written_ = {};
  Guarded<std::optional<Result<void>>> outcome_;
  Signal ended_{"the end of a download"};
};

class HttpsFetch {
 public:
  HttpsFetch(net::IoPool& io, Threads& threads, net::ProxyRules proxies)
      : io_(io), threads_(threads), proxies_(std::move(proxies)) {}

  Result<void> operator()(const std::string& url, PendingFile& into, const Deadline& deadline) const {
    std::string at = url;
    for (int redirections = 0; redirections <= kMostRedirections; ++redirections) {
      const net::Url place = TRY(net::parse_url(at));
      const Answer answer = TRY(ask(place, into, deadline));
      if (answer.status == 200) return {};
      if (answer.status / 100 != 3 || answer.location.empty())
        return fail(Code::Unavailable, fmt::format("{}: status {}", url, answer.status));
      at = answer.location;
    }
    return fail(Code::Unavailable, url + ": too many redirections");
  }

 private:
  Result<Answer> ask(const net::Url& url, PendingFile& into, const Deadline& deadline) const {
    if (url.scheme != "https") return fail(Code::Invalid, "a download must come over https");
    net::HttpClient client(io_,
                           {.origin = {.host = url.host,
                                       .port = url.port,
                                       .proxy_url = net::proxy_for(proxies_, "https", url.host, url.port)},
                            .tls = TRY(net::client_tls({}))});
    Download download(into, threads_);
    const std::string target = url.path + (url.query.empty() ? "" : "?" + url.query);
    const auto stream = client.stream({.target = target}, {.silent_after = kSilent}, download);
    return download.await(deadline);
  }

  net::IoPool& io_;
  Threads& threads_;
  net::ProxyRules proxies_;
};

}  // namespace

Fetch https_fetch(net::IoPool& io, Threads& threads, net::ProxyRules proxies) {
  return HttpsFetch(io, threads, std::move(proxies));
}

}  // namespace capstan::agent
