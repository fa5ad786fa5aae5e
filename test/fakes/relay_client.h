// RelayClient: a Client that hands everything on to another one and lets a class derived from it look at each
// request, refuse it, and look at the answer. What only looks is made of it: RecordingClient, and the taps of
// simulated worlds. (FaultyClient is not: it sends requests later, twice or after its caller has died.) Safe
// from any thread if the hooks are.
#pragma once

#include <boost/json.hpp>
#include <memory>
#include <optional>
#include <string>

#include "kube/client.h"
#include "test/fakes/call.h"

namespace capstan::fakes {

namespace json = boost::json;

// What is asked of a server; what it points to lives as long as the call.
struct Asked {
  Call call = Call::Read;
  const kube::Resource* resource = nullptr;  // null: a raw path
  kube::ObjectKey key = {};
  std::string subresource = {};
  bool apply = false;
  const json::value* body = nullptr;              // null when there is none
  const kube::DeleteOptions* deletion = nullptr;  // of a removal or an eviction, else null

  bool is(std::string_view kind) const { return resource != nullptr && resource->kind == kind; }
  std::string describe() const;  // "patch Machine/status a"
};

class RelayClient : public kube::Client {
 public:
  explicit RelayClient(kube::Client& inner) : inner_(inner) {}

  Result<json::value> get(const kube::Resource&, const kube::ObjectKey&, const Deadline&) override;
  Result<json::value> list(const kube::Resource&, const kube::ListOptions&, const Deadline&) override;
  Result<json::value> create(const kube::Resource&, const kube::ObjectKey&, const json::value& object,
                             const kube::WriteOptions&, const Deadline&) override;
  Result<json::value> replace(const kube::Resource&, const kube::ObjectKey&, const json::value& object,
                              std::string_view subresource, const kube::WriteOptions&,
                              const Deadline&) override;
  Result<json::value> patch(const kube::Resource&, const kube::ObjectKey&, const json::value& body,
                            const kube::PatchOptions&, const Deadline&) override;
  Result<void> remove(const kube::Resource&, const kube::ObjectKey&, const kube::DeleteOptions&,
                      const Deadline&) override;
  Result<void> evict(const kube::ObjectKey& pod, const kube::DeleteOptions&, const Deadline&) override;
  Result<json::value> get_path(std::string_view path, const Deadline&) override;
  Result<json::value> post_path(std::string_view path, const json::value& body, const Deadline&) override;
  std::unique_ptr<kube::Stream> list_stream(const kube::Resource&, const kube::ListOptions&,
                                            kube::StreamSink&) override;
  std::unique_ptr<kube::Stream> watch(const kube::Resource&, const kube::WatchOptions&,
                                      kube::StreamSink&) override;

 protected:
  // An error is the answer, and nothing is sent.
  virtual std::optional<Error> sending(const Asked&) { return {}; }
  virtual void answered(const Asked&, const Result<json::value>&) {}

 private:
  template <typename Send>
  Result<json::value> relay(const Asked& asked, const Send& send);
  std::unique_ptr<kube::Stream> refused(kube::StreamSink& sink, const Error& error) const;

  kube::Client& inner_;
};

}  // namespace capstan::fakes
