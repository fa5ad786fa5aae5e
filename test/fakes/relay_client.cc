#include "test/fakes/relay_client.h"

#include <fmt/format.h>

#include "kube/resources.h"
#include "test/fakes/answers.h"

namespace capstan::fakes {
namespace {

class NoStream final : public kube::Stream {};

}  // namespace

std::string Asked::describe() const {
  if (resource == nullptr) return fmt::format("{} {}", to_string(call), key.name);
  return fmt::format("{} {}{}{} {}", apply ? "apply" : to_string(call), resource->kind,
                     subresource.empty() ? "" : "/", subresource, key.name);
}

template <typename Send>
Result<json::value> RelayClient::relay(const Asked& asked, const Send& send) {
  if (auto refusal = sending(asked)) return fail(std::move(*refusal));
  Result<json::value> answer = send();
  answered(asked, answer);
  return answer;
}

Result<json::value> RelayClient::get(const kube::Resource& resource, const kube::ObjectKey& key,
                                     const Deadline& deadline) {
  return relay({.resource = &resource, .key = key}, [&] { return inner_.get(resource, key, deadline); });
}

Result<json::value> RelayClient::list(const kube::Resource& resource, const kube::ListOptions& options,
                                      const Deadline& deadline) {
  return relay({.resource = &resource}, [&] { return inner_.list(resource, options, deadline); });
}

Result<json::value> RelayClient::create(const kube::Resource& resource, const kube::ObjectKey& key,
                                        const json::value& object, const kube::WriteOptions& options,
                                        const Deadline& deadline) {
  return relay({.call = Call::Create, .resource = &resource, .key = key, .body = &object},
               [&] { return inner_.create(resource, key, object, options, deadline); });
}

Result<json::value> RelayClient::replace(const kube::Resource& resource, const kube::ObjectKey& key,
                                         const json::value& object, std::string_view subresource,
                                         const kube::WriteOptions& options, const Deadline& deadline) {
  return relay({.call = Call::Replace,
                .resource = &resource,
                .key = key,
                .subresource = std::string(subresource),
                .body = &object},
               [&] { return inner_.replace(resource, key, object, subresource, options, deadline); });
}

Result<json::value> RelayClient::patch(const kube::Resource& resource, const kube::ObjectKey& key,
                                       const json::value& body, const kube::PatchOptions& options,
                                       const Deadline& deadline) {
  return relay({.call = Call::Patch,
                .resource = &resource,
                .key = key,
                .subresource = options.subresource,
                .apply = options.type == kube::PatchType::Apply,
                .body = &body},
               [&] { return inner_.patch(resource, key, body, options, deadline); });
}

Result<void> RelayClient::remove(const kube::Resource& resource, const kube::ObjectKey& key,
                                 const kube::DeleteOptions& options, const Deadline& deadline) {
  return without_answer(relay({.call = Call::Remove, .resource = &resource, .key = key, .deletion = &options},
                              [&] { return as_answer(inner_.remove(resource, key, options, deadline)); }));
}

Result<void> RelayClient::evict(const kube::ObjectKey& pod, const kube::DeleteOptions& options,
                                const Deadline& deadline) {
  return without_answer(
      relay({.call = Call::Evict, .resource = &kube::resources::pods(), .key = pod, .deletion = &options},
            [&] { return as_answer(inner_.evict(pod, options, deadline)); }));
}

Result<json::value> RelayClient::get_path(std::string_view path, const Deadline& deadline) {
  return relay({.key = {.name = std::string(path)}}, [&] { return inner_.get_path(path, deadline); });
}

Result<json::value> RelayClient::post_path(std::string_view path, const json::value& body,
                                           const Deadline& deadline) {
  return relay({.call = Call::Post, .key = {.name = std::string(path)}, .body = &body},
               [&] { return inner_.post_path(path, body, deadline); });
}

std::unique_ptr<kube::Stream> RelayClient::list_stream(const kube::Resource& resource,
                                                       const kube::ListOptions& options,
                                                       kube::StreamSink& sink) {
  if (const auto refusal = sending({.call = Call::ListStream, .resource = &resource}))
    return refused(sink, *refusal);
  return inner_.list_stream(resource, options, sink);
}

std::unique_ptr<kube::Stream> RelayClient::watch(const kube::Resource& resource,
                                                 const kube::WatchOptions& options, kube::StreamSink& sink) {
  if (const auto refusal = sending({.call = Call::Watch, .resource = &resource}))
    return refused(sink, *refusal);
  return inner_.watch(resource, options, sink);
}

std::unique_ptr<kube::Stream> RelayClient::refused(kube::StreamSink& sink, const Error& error) const {
  sink.on_end(fail(error));
  return std::make_unique<NoStream>();
}

}  // namespace capstan::fakes
