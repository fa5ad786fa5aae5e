// ScriptedClient: a Client whose answers a test writes down. Each verb is a function; one without a script
// answers Unavailable. Each list or watch that is opened waits for next(), where the test becomes its server;
// of a client without threads it ends at once. Whole behaviour is test/fakes/memory_client.h. Safe from any
// thread when the scripts are.
#pragma once

#include <boost/json.hpp>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/guarded.h"
#include "kube/client.h"
#include "test/fakes/scripted_stream.h"

namespace capstan::fakes {

class ScriptedClient final : public kube::Client {
 public:
  using Object = Result<boost::json::value>;

  ScriptedClient() = default;
  ScriptedClient(Threads& threads, const Clock& clock) : threads_(&threads), clock_(&clock) {}

  std::function<Object(const kube::Resource&, const kube::ObjectKey&)> on_get = {};
  std::function<Object(const kube::Resource&, const kube::ListOptions&)> on_list = {};
  std::function<Object(const kube::Resource&, const kube::ObjectKey&, const boost::json::value&)> on_create =
      {};
  std::function<Object(const kube::Resource&, const kube::ObjectKey&, const boost::json::value&)> on_replace =
      {};
  std::function<Object(const kube::Resource&, const kube::ObjectKey&, const boost::json::value&,
                       const kube::PatchOptions&)>
      on_patch = {};
  std::function<Object(const kube::Resource&, const kube::ObjectKey&, const kube::DeleteOptions&)> on_remove =
      {};
  std::function<Object(std::string_view, const boost::json::value&)> on_post = {};

  // The next stream that is opened (or was, and next() has not returned it yet).
  std::shared_ptr<ScriptedStream> next();
  // Streams opened and not yet taken.
  std::size_t untaken() const;

  Object get(const kube::Resource&, const kube::ObjectKey&, const Deadline&) override;
  Object list(const kube::Resource&, const kube::ListOptions&, const Deadline&) override;
  Object create(const kube::Resource&, const kube::ObjectKey&, const boost::json::value& object,
                const kube::WriteOptions&, const Deadline&) override;
  Object replace(const kube::Resource&, const kube::ObjectKey&, const boost::json::value& object,
                 std::string_view subresource, const kube::WriteOptions&, const Deadline&) override;
  Object patch(const kube::Resource&, const kube::ObjectKey&, const boost::json::value& body,
               const kube::PatchOptions&, const Deadline&) override;
  Result<void> remove(const kube::Resource&, const kube::ObjectKey&, const kube::DeleteOptions&,
                      const Deadline&) override;
  Result<void> evict(const kube::ObjectKey& pod, const kube::DeleteOptions&, const Deadline&) override;
  Object get_path(std::string_view path, const Deadline&) override;
  Object post_path(std::string_view path, const boost::json::value& body, const Deadline&) override;
  std::unique_ptr<kube::Stream> list_stream(const kube::Resource&, const kube::ListOptions&,
                                            kube::StreamSink&) override;
  std::unique_ptr<kube::Stream> watch(const kube::Resource&, const kube::WatchOptions&,
                                      kube::StreamSink&) override;

 private:
  std::unique_ptr<kube::Stream> open(ScriptedStream::Asked asked, kube::StreamSink& sink);

  Threads* const threads_ = nullptr;  // null: nothing serves streams
  const Clock* const clock_ = nullptr;
  Guarded<std::deque<std::shared_ptr<ScriptedStream>>> waiting_;
  Signal opened_{"a stream to be opened"};
};

}  // namespace capstan::fakes
