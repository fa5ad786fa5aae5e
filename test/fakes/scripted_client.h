// ScriptedClient: a Client whose answers a unit test writes down, verb by verb; a verb without a script
// answers Unavailable. Whole behaviour is test/fakes/memory_client.h. Safe from any thread when the scripts
// are.
#pragma once

#include <boost/json.hpp>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "kube/client.h"

namespace capstan::fakes {

class ScriptedClient final : public kube::Client {
 public:
  using Object = Result<boost::json::value>;

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

  Object get(const kube::Resource& resource, const kube::ObjectKey& key, const Deadline&) override {
    return on_get ? on_get(resource, key) : nobody();
  }
  Object list(const kube::Resource& resource, const kube::ListOptions& options, const Deadline&) override {
    return on_list ? on_list(resource, options) : nobody();
  }
  Object create(const kube::Resource& resource, const kube::ObjectKey& key, const boost::json::value& object,
                const kube::WriteOptions&, const Deadline&) override {
    return on_create ? on_create(resource, key, object) : nobody();
  }
  Object replace(const kube::Resource& resource, const kube::ObjectKey& key, const boost::json::value& object,
                 std::string_view, const kube::WriteOptions&, const Deadline&) override {
    return on_replace ? on_replace(resource, key, object) : nobody();
  }
  Object patch(const kube::Resource& resource, const kube::ObjectKey& key, const boost::json::value& body,
               const kube::PatchOptions& options, const Deadline&) override {
    return on_patch ? on_patch(resource, key, body, options) : nobody();
  }
  Result<void> remove(const kube::Resource& resource, const kube::ObjectKey& key,
                      const kube::DeleteOptions& options, const Deadline&) override {
    const Object answer = on_remove ? on_remove(resource, key, options) : nobody();
    if (!answer) return Failure(answer.error());
    return {};
  }
  Result<void> evict(const kube::ObjectKey&, const kube::DeleteOptions&, const Deadline&) override {
    return Failure(nobody().error());
  }
  Object get_path(std::string_view, const Deadline&) override { return nobody(); }
  Object post_path(std::string_view path, const boost::json::value& body, const Deadline&) override {
    return on_post ? on_post(path, body) : nobody();
  }
  std::unique_ptr<kube::Stream> list_stream(const kube::Resource&, const kube::ListOptions&,
                                            kube::StreamSink& sink) override {
    sink.on_end(Failure(nobody().error()));
    return std::make_unique<kube::Stream>();
  }
  std::unique_ptr<kube::Stream> watch(const kube::Resource&, const kube::WatchOptions&,
                                      kube::StreamSink& sink) override {
    sink.on_end(Failure(nobody().error()));
    return std::make_unique<kube::Stream>();
  }

 private:
  static Object nobody() { return fail(Code::Unavailable, "nobody is listening"); }
};

}  // namespace capstan::fakes
