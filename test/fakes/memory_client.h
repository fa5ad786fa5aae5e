// kube::Client over the embedded API server's verbs, without HTTP: what simulations and unit tests talk to.
// The same Api a real listener would serve, so there is one truth about Kubernetes. Every verb is a switch
// point of the simulation; every watch and list stream has a thread of its own that delivers one line per
// switch. Safe from any thread; streams must be gone before the client, the client before its Api.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "apiserver/api.h"
#include "base/threads.h"
#include "kube/client.h"
#include "test/fakes/memory_stream.h"

namespace capstan::fakes {

struct MemoryClientOptions {
  std::string user = "memory-client";
  std::vector<std::string> groups = {"system:masters", "system:authenticated"};
  std::string user_agent = "memory-client/1";  // names the field manager of writes that name none
};

class MemoryClient final : public kube::Client {
 public:
  MemoryClient(apiserver::Api& api, Threads& threads, MemoryClientOptions options = {});
  ~MemoryClient() override;
  MemoryClient(const MemoryClient&) = delete;
  MemoryClient& operator=(const MemoryClient&) = delete;

  Result<boost::json::value> get(const kube::Resource&, const kube::ObjectKey&, const Deadline&) override;
  Result<boost::json::value> list(const kube::Resource&, const kube::ListOptions&, const Deadline&) override;
  Result<boost::json::value> create(const kube::Resource&, const kube::ObjectKey&,
                                    const boost::json::value& object, const kube::WriteOptions&,
                                    const Deadline&) override;
  Result<boost::json::value> replace(const kube::Resource&, const kube::ObjectKey&,
                                     const boost::json::value& object, std::string_view subresource,
                                     const kube::WriteOptions&, const Deadline&) override;
  Result<boost::json::value> patch(const kube::Resource&, const kube::ObjectKey&,
                                   const boost::json::value& body, const kube::PatchOptions&,
                                   const Deadline&) override;
  Result<void> remove(const kube::Resource&, const kube::ObjectKey&, const kube::DeleteOptions&,
                      const Deadline&) override;
  Result<void> evict(const kube::ObjectKey& pod, const kube::DeleteOptions&, const Deadline&) override;
  Result<boost::json::value> get_path(std::string_view path, const Deadline&) override;
  Result<boost::json::value> post_path(std::string_view path, const boost::json::value& body,
                                       const Deadline&) override;

  std::unique_ptr<kube::Stream> list_stream(const kube::Resource&, const kube::ListOptions&,
                                            kube::StreamSink&) override;
  std::unique_ptr<kube::Stream> watch(const kube::Resource&, const kube::WatchOptions&,
                                      kube::StreamSink&) override;

 private:
  apiserver::Request request(apiserver::Verb verb, const kube::Resource& resource,
                             const kube::ObjectKey& key) const;
  Result<boost::json::value> ask(const apiserver::Request& request, const Deadline& deadline, bool write);
  void deliver_watch(const apiserver::Request& asked, Delivery& delivery, const std::stop_token& stop);

  apiserver::Api& api_;
  Threads& threads_;
  MemoryClientOptions options_;
  // Threads of streams that were destroyed from inside their own callback; joined with the client.
  OrphanThreads orphans_ = {};
};

}  // namespace capstan::fakes
