#include "kubeconfig/registry_fixture.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>

#include "kube/resources.h"
#include "kube/status.h"
#include "kubeconfig/secret.h"

namespace capstan::kubeconfig {

namespace {

class EndedStream final : public kube::Stream {};

std::unique_ptr<kube::Stream> ended(kube::StreamSink& sink, const Error& error) {
  sink.on_end(fail(error));
  return std::make_unique<EndedStream>();
}

Error forbidden(std::string why) {
  return {.code = Code::Forbidden, .message = std::move(why), .reason = "Forbidden"};
}

Error unauthorized() {
  return {.code = Code::Unauthorized, .message = "unauthorized", .reason = "Unauthorized"};
}

class Nowhere final : public kube::StubClient {
 public:
  Result<json::value> get_path(std::string_view, const Deadline&) override {
    return fail(Code::Unavailable, "no such host");
  }
};

}  // namespace

// --- a workload server ---

TestServer::TestServer(Threads& threads, const Clock& clock)
    : api({.clock = clock, .bookmark_every = std::chrono::hours(24)}), admin(api, threads) {}

void TestServer::put_node(const std::string& name, const std::string& provider_id) {
  (void)admin.create(kube::resources::nodes(), {"", name},
                     json::object{{"apiVersion", "v1"},
                                  {"kind", "Node"},
                                  {"metadata", json::object{{"name", name}}},
                                  {"spec", json::object{{"providerID", provider_id}}}},
                     {}, Deadline::never());
}

void TestServer::touch_node(const std::string& name) {
  (void)admin.patch(
      kube::resources::nodes(), {"", name},
      json::object{
          {"metadata", json::object{{"labels", json::object{{"touched", fmt::format("{}", ++touched)}}}}}},
      {}, Deadline::never());
}

// --- a connection ---

TestLine::TestLine(TestServer& server, Threads& threads, std::string token)
    : server_(server), threads_(threads), token_(std::move(token)), inner_(server.api, threads) {}

Result<json::value> TestLine::get(const kube::Resource& resource, const kube::ObjectKey& key,
                                  const Deadline& deadline) {
  ++server_.requests;
  if (auto refusal = refused(deadline)) return fail(*refusal);
  if (!server_.reads_pods && resource.kind == "Pod") return fail(forbidden("pods is forbidden"));
  if (!server_.knows_pods && resource.kind == "Pod")
    return fail({.code = Code::Unavailable, .message = "http 404", .reason = std::string(kube::kNotServed)});
  return inner_.get(resource, key, deadline);
}

Result<json::value> TestLine::get_path(std::string_view path, const Deadline& deadline) {
  ++(path == "/" ? server_.probes : server_.requests);
  if (auto refusal = refused(deadline)) return fail(*refusal);
  return inner_.get_path(path, deadline);
}

std::unique_ptr<kube::Stream> TestLine::list_stream(const kube::Resource& resource,
                                                    const kube::ListOptions& options,
                                                    kube::StreamSink& sink) {
  if (auto refusal = stream_refused()) return ended(sink, *refusal);
  return inner_.list_stream(resource, options, sink);
}

std::unique_ptr<kube::Stream> TestLine::watch(const kube::Resource& resource,
                                              const kube::WatchOptions& options, kube::StreamSink& sink) {
  if (auto refusal = stream_refused()) return ended(sink, *refusal);
  return inner_.watch(resource, options, sink);
}

std::optional<Error> TestLine::refused(const Deadline& deadline) {
  threads_.switch_point("line");
  switch (server_.mood) {
    case TestServer::Mood::Well: break;
    case TestServer::Mood::Down: return Error{.code = Code::Unavailable, .message = "connection refused"};
    case TestServer::Mood::Broken:
      return Error{.code = Code::Internal, .message = "etcd is gone", .reason = "InternalError"};
    case TestServer::Mood::Busy:
      return Error{.code = Code::Unavailable, .message = "busy", .retry_after = std::chrono::minutes(5)};
    case TestServer::Mood::Hangs:
      if (threads_.pause(deadline) == Woken::Stopped)
        return Error{.code = Code::Cancelled, .message = "stopped", .outcome_unknown = true};
      return Error{.code = Code::Timeout, .message = "no answer in time", .outcome_unknown = true};
  }
  if (token_ != server_.token) return unauthorized();
  return {};
}

std::optional<Error> TestLine::stream_refused() {
  if (server_.mood != TestServer::Mood::Well)
    return Error{.code = Code::Unavailable, .message = "connection refused"};
  if (token_ != server_.token) return unauthorized();
  if (!server_.lists_nodes) return forbidden("nodes is forbidden");
  return {};
}

// --- the registry's surroundings ---

RegistryFixture::RegistryFixture(Threads& threads, const Clock& clock)
    : management_api({.clock = clock}),
      management(management_api, threads),
      threads_(threads),
      clock_(clock) {}

TestServer& RegistryFixture::server(const std::string& name) {
  auto& known = servers_[name];
  if (!known) known = std::make_unique<TestServer>(threads_, clock_);
  return *known;
}

void RegistryFixture::put_secret(const std::string& cluster, const std::string& kubeconfig) {
  const kube::ObjectKey key{"default", cluster};
  const auto object = secret_object(key, {"cluster.x-k8s.io/v1beta2", "Cluster", cluster, "u"},
                                    Secret<std::string>(kubeconfig));
  const auto created =
      management.create(kube::resources::secrets(), secret_key_of(key), object, {}, Deadline::never());
  if (created) return;
  json::object content{{"data", object.at("data")}};
  (void)management.patch(kube::resources::secrets(), secret_key_of(key), content, {}, Deadline::never());
}

std::string RegistryFixture::kubeconfig(const std::string& server, const std::string& user,
                                        const std::string& more) {
  return fmt::format(
      "current-context: c\nclusters: [{{name: a, cluster: {{server: 'https://{}'{}}}}}]\n"
      "users: [{{name: u, user: {}}}]\ncontexts: [{{name: c, context: {{cluster: a, user: u}}}}]",
      server, more, user);
}

TestServer& RegistryFixture::cluster(const std::string& name) {
  put_secret(name, kubeconfig(name));
  return server(name);
}

Dial RegistryFixture::dial() {
  return [this](const kube::Connection& to, const Limits&) -> Result<std::unique_ptr<kube::Client>> {
    const auto found = servers_.find(to.server.substr(std::string_view("https://").size()));
    if (found == servers_.end()) return std::make_unique<Nowhere>();
    ++found->second->dials;
    return std::make_unique<TestLine>(*found->second, threads_, to.token.reveal());
  };
}

}  // namespace capstan::kubeconfig
