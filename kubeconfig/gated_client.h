// A Client with a gate in front: shut, every call answers NotConnected at once; open, a few requests at a
// time go through, and none takes long. What a WorkloadCluster hands out, so that a sick cluster holds up a
// few workers and no more. Safe from any thread.
#pragma once

#include <atomic>
#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/guarded.h"
#include "base/threads.h"
#include "kube/client.h"
#include "kubeconfig/reach.h"

namespace capstan::kubeconfig {

struct GateLimits {
  std::size_t in_flight = 4;  // 0: no limit; streams do not count
  // For a free place; after that the caller does better to look after something else.
  Nanoseconds longest_wait = std::chrono::seconds(2);
  Nanoseconds request_timeout = std::chrono::seconds(10);  // of each request; streams may last
};

class GatedClient final : public kube::Client {
 public:
  // Open from the start. All three live longer.
  GatedClient(kube::Client& inner, Threads& threads, const Clock& clock, GateLimits limits = {});
  ~GatedClient() override;
  GatedClient(const GatedClient&) = delete;
  GatedClient& operator=(const GatedClient&) = delete;

  // No request gets in any more; `why` is its error. Requests that are inside may finish.
  void refuse(std::string why);
  // ... and requests that are inside come back with NotConnected. Streams go on until their reader lets go.
  void shut(std::string why);
  void open();

  // When the server last answered a call with anything but a refusal of our credentials.
  std::optional<SteadyTime> last_answer() const;
  // Whether some call was answered with 401 since this was last asked.
  bool take_unauthorized() { return unauthorized_.exchange(false); }

  kube::Quoting quoting() const override { return inner_.quoting(); }
  Result<kube::json::value> get(const kube::Resource&, const kube::ObjectKey&, const Deadline&) override;
  Result<kube::json::value> list(const kube::Resource&, const kube::ListOptions&, const Deadline&) override;
  Result<kube::json::value> create(const kube::Resource&, const kube::ObjectKey&,
                                   const kube::json::value& object, const kube::WriteOptions&,
                                   const Deadline&) override;
  Result<kube::json::value> replace(const kube::Resource&, const kube::ObjectKey&,
                                    const kube::json::value& object, std::string_view subresource,
                                    const kube::WriteOptions&, const Deadline&) override;
  Result<kube::json::value> patch(const kube::Resource&, const kube::ObjectKey&,
                                  const kube::json::value& body, const kube::PatchOptions&,
                                  const Deadline&) override;
  Result<void> create_into(const kube::Into&, const kube::Resource&, const kube::ObjectKey&,
                           const kube::json::value& object, const kube::WriteOptions&,
                           const Deadline&) override;
  Result<void> patch_into(const kube::Into&, const kube::Resource&, const kube::ObjectKey&,
                          const kube::json::value& body, const kube::PatchOptions&, const Deadline&) override;
  Result<void> remove(const kube::Resource&, const kube::ObjectKey&, const kube::DeleteOptions&,
                      const Deadline&) override;
  Result<void> evict(const kube::ObjectKey& pod, const kube::DeleteOptions&, const Deadline&) override;
  Result<kube::json::value> get_path(std::string_view path, const Deadline&) override;
  Result<kube::json::value> post_path(std::string_view path, const kube::json::value& body,
                                      const Deadline&) override;

  std::unique_ptr<kube::Stream> list_stream(const kube::Resource&, const kube::ListOptions&,
                                            kube::StreamSink&) override;
  std::unique_ptr<kube::Stream> watch(const kube::Resource&, const kube::WatchOptions&,
                                      kube::StreamSink&) override;

 private:
  struct Waiter;
  struct Inside {
    bool refusing = false;
    std::string why = {};
    std::size_t in_flight = 0;
    std::deque<std::shared_ptr<Waiter>> queue = {};  // first come, first served
    std::stop_source shutting = {};                  // of the requests that are inside now
    std::optional<SteadyTime> last_answer = {};
  };
  class Place;

  Result<std::stop_token> enter(const Deadline& deadline);
  Result<void> wait_for_a_place(const std::shared_ptr<Waiter>& waiter, const Deadline& deadline);
  void leave();
  void note(const Error* error);
  Error closed() const;
  template <typename Send>
  auto ask(const Deadline& deadline, const Send& send) -> decltype(send(deadline));
  template <typename Open>
  std::unique_ptr<kube::Stream> stream(kube::StreamSink& sink, const Open& open);

  kube::Client& inner_;
  Threads& threads_;
  const Clock& clock_;
  const GateLimits limits_;
  std::atomic<bool> unauthorized_ = false;
  Guarded<Inside> inside_;
};

}  // namespace capstan::kubeconfig
