#include "test/fakes/scripted_client.h"

#include <stdexcept>
#include <utility>

#include "test/fakes/answers.h"

namespace capstan::fakes {

namespace json = boost::json;
using kube::ObjectKey;
using kube::Resource;

namespace {

Error unanswered() { return {.code = Code::Unavailable, .message = "no script answers this"}; }

Result<json::value> not_scripted() { return fail(unanswered()); }

// A reader's end of a stream.
class HungUpAtTheEnd final : public kube::Stream {
 public:
  explicit HungUpAtTheEnd(std::shared_ptr<ScriptedStream> stream) : stream_(std::move(stream)) {}
  ~HungUpAtTheEnd() override { stream_->close(); }

 private:
  const std::shared_ptr<ScriptedStream> stream_;
};

}  // namespace

std::shared_ptr<ScriptedStream> ScriptedClient::next() {
  std::shared_ptr<ScriptedStream> taken;
  threads_->wait_until(opened_, Deadline::in(*clock_, std::chrono::hours(1)), [&] {
    taken = waiting_.with([](auto& waiting) -> std::shared_ptr<ScriptedStream> {
      if (waiting.empty()) return {};
      auto first = std::move(waiting.front());
      waiting.pop_front();
      return first;
    });
    return taken != nullptr;
  });
  if (taken == nullptr) throw std::runtime_error("no stream was opened within an hour");
  return taken;
}

std::size_t ScriptedClient::untaken() const {
  return waiting_.with([](const auto& waiting) { return waiting.size(); });
}

Result<json::value> ScriptedClient::get(const Resource& resource, const ObjectKey& key, const Deadline&) {
  return on_get ? on_get(resource, key) : not_scripted();
}

Result<json::value> ScriptedClient::list(const Resource& resource, const kube::ListOptions& options,
                                         const Deadline&) {
  return on_list ? on_list(resource, options) : not_scripted();
}

Result<json::value> ScriptedClient::create(const Resource& resource, const ObjectKey& key,
                                           const json::value& object, const kube::WriteOptions&,
                                           const Deadline&) {
  return on_create ? on_create(resource, key, object) : not_scripted();
}

Result<json::value> ScriptedClient::replace(const Resource& resource, const ObjectKey& key,
                                            const json::value& object, std::string_view,
                                            const kube::WriteOptions&, const Deadline&) {
  return on_replace ? on_replace(resource, key, object) : not_scripted();
}

Result<json::value> ScriptedClient::patch(const Resource& resource, const ObjectKey& key,
                                          const json::value& body, const kube::PatchOptions& options,
                                          const Deadline&) {
  return on_patch ? on_patch(resource, key, body, options) : not_scripted();
}

Result<void> ScriptedClient::remove(const Resource& resource, const ObjectKey& key,
                                    const kube::DeleteOptions& options, const Deadline&) {
  if (!on_remove) return fail(unanswered());
  return without_answer(on_remove(resource, key, options));
}

Result<void> ScriptedClient::evict(const ObjectKey&, const kube::DeleteOptions&, const Deadline&) {
  return fail(unanswered());
}

Result<json::value> ScriptedClient::get_path(std::string_view, const Deadline&) { return not_scripted(); }

Result<json::value> ScriptedClient::post_path(std::string_view path, const json::value& body,
                                              const Deadline&) {
  return on_post ? on_post(path, body) : not_scripted();
}

std::unique_ptr<kube::Stream> ScriptedClient::list_stream(const Resource& resource,
                                                          const kube::ListOptions& options,
                                                          kube::StreamSink& sink) {
  return open({.resource = resource, .list = options}, sink);
}

std::unique_ptr<kube::Stream> ScriptedClient::watch(const Resource& resource,
                                                    const kube::WatchOptions& options,
                                                    kube::StreamSink& sink) {
  return open({.watch = true, .resource = resource, .watched = options}, sink);
}

std::unique_ptr<kube::Stream> ScriptedClient::open(ScriptedStream::Asked asked, kube::StreamSink& sink) {
  if (threads_ == nullptr) {
    sink.on_end(fail(unanswered()));
    return std::make_unique<kube::Stream>();
  }
  threads_->switch_point("client");
  auto stream = std::make_shared<ScriptedStream>(*threads_, std::move(asked), sink);
  waiting_.with([&](auto& waiting) { waiting.push_back(stream); });
  opened_.notify();
  return std::make_unique<HungUpAtTheEnd>(stream);
}

}  // namespace capstan::fakes
