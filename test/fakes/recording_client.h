// RecordingClient: hands every request on to another client and keeps what it was: verb, kind, name,
// subresource and body. Tests read the requests, count them, and have some of them refused. A request is
// named by its description, "patch machines/status m1", or by the first words of it. Safe from any thread;
// `before` is set while none of them calls.
#pragma once

#include <boost/json.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/guarded.h"
#include "test/fakes/relay_client.h"

namespace capstan::fakes {

// What was asked of a server.
struct RecordedRequest {
  Call call = Call::Read;
  std::string verb = {};    // "get", "list", "patch", ...; of streams "list-stream" and "watch"
  std::string plural = {};  // of the resource; empty for a raw path, which stands in the key
  kube::ObjectKey key = {};
  std::string subresource = {};
  json::value body = {};              // null where nothing was sent
  kube::DeleteOptions deletion = {};  // of a deletion or an eviction

  // "get machines m1", "list machines", "patch machines/status m1", "evict web", "get /version".
  std::string describe() const;
  // Whether its description is `words`, or begins with them.
  bool is(std::string_view words) const;
};

class RecordingClient final : public RelayClient {
 public:
  explicit RecordingClient(kube::Client& inner) : RelayClient(inner) {}

  // Since the last forget(), in the order in which they were sent; streams are only counted.
  std::vector<RecordedRequest> requests() const;
  std::vector<RecordedRequest> writes() const;
  std::vector<std::string> described() const;         // of requests()
  std::vector<std::string> described_writes() const;  // of writes()
  std::vector<std::string> take();                    // described(), and then forget()
  int count(std::string_view words) const;            // "list pods", "evict", "watch pods"
  int reads() const;
  void forget();

  // Answers those that words name with an error and hands none of them on, until allow(), or the next one.
  void refuse(std::string words, Error error);
  void refuse_next(std::string words, Error error);
  void allow();
  // Called with each request before it is handed on, but with no stream; an error is its answer.
  std::function<std::optional<Error>(const RecordedRequest&)> before = {};

  // Watches that were opened and that their readers hold still.
  int open_watches() const;
  std::unique_ptr<kube::Stream> watch(const kube::Resource&, const kube::WatchOptions&,
                                      kube::StreamSink&) override;

 protected:
  std::optional<Error> sending(const Asked& asked) override;

 private:
  struct Refusal {
    std::string words = {};
    Error error = {};
    bool once = false;
  };
  class OpenWatch;

  std::optional<Error> refusal_of(const RecordedRequest& request);

  Guarded<std::vector<RecordedRequest>> requests_;
  Guarded<std::vector<Refusal>> refusals_;
  // Readers may hold a watch for longer than the client lives.
  std::shared_ptr<Guarded<int>> open_watches_ = std::make_shared<Guarded<int>>();
};

}  // namespace capstan::fakes
