#include "kube/remote_client.h"

#include <algorithm>
#include <boost/json.hpp>
#include <optional>
#include <utility>

#include "api/names.h"
#include "api/schema/decode.h"
#include "base/try.h"
#include "kube/auth.h"
#include "kube/remote_stream.h"
#include "kube/requests.h"
#include "kube/status.h"
#include "kube/trim.h"
#include "net/http_client.h"
#include "net/tls.h"
#include "net/url.h"

namespace capstan::kube {
namespace {

// Longer than what the watch loop allows (kube/watch_protocol.h): for readers that stand on list_stream() and
// watch() alone.
constexpr std::chrono::seconds kSilentList(75);
constexpr std::chrono::seconds kSilentGrace(15);

std::string_view path_of(const net::HttpRequest& request) {
  return std::string_view(request.target).substr(0, request.target.find('?'));
}

// A stream that failed before it began.
class NoStream final : public Stream {};

std::unique_ptr<Stream> refused(StreamSink& sink, const Error& error) {
  sink.on_end(fail(error));
  return std::make_unique<NoStream>();
}

// What a write made of an object is decoded by the writer and dropped: it comes in one piece of memory.
// What was read may be kept and copied from on several threads, which such memory does not bear.
json::storage_ptr storage_for(Asked asked, std::size_t body) {
  constexpr std::size_t kOverText = 3;  // what a parsed document takes
  if (asked != Asked::Write) return {};
  return json::make_shared_resource<json::monotonic_resource>(std::max<std::size_t>(body * kOverText, 1024));
}

Result<json::value> parse_answer(const net::HttpResponse& response, Asked asked) {
  json::error_code wrong;
  json::value parsed = json::parse(response.body, wrong, storage_for(asked, response.body.size()),
                                   {.max_depth = api::kMaxDepth});
  if (!wrong) return parsed;
  // The write has happened; only what it made of the object is lost.
  return fail(Error{.code = Code::Unavailable,
                    .message = "http " + std::to_string(response.status) +
                               " with a body that is no JSON: " + wrong.message(),
                    .outcome_unknown = asked == Asked::Write});
}

Quoting quoting_of(const net::Url& url, const Connection& connection) {
  if (!connection.from_secret) return Quoting::Everything;
  const bool verified = url.scheme == "https" && !connection.insecure_skip_tls_verify;
  return verified ? Quoting::VerifiedStatus : Quoting::Nothing;
}

// A Secret can name any service that this process reaches. Those that were never meant to be asked by it,
// such as the metadata service of a cloud, speak plain http.
Result<void> check_scheme(const net::Url& url, const net::AddressRules& rules) {
  if (url.scheme == "https" || rules.plain_http_on_loopback) return {};
  return fail(Code::Invalid,
              "server: plain http is not spoken to a server that a Secret names; let it begin with https://");
}

}  // namespace

// One API server: connection pool, credentials, rate limit.
class RemoteClient::Wire {
 public:
  Wire(const Seams& seams, Connection connection, RemoteClientOptions options)
      : clock_(seams.clock),
        options_(std::move(options)),
        limiter_(seams.threads, seams.clock, options_.rate_limit),
        credentials_(std::move(connection), seams.clock) {}

  Result<void> open(net::IoPool& io, const Connection& connection) {
    TRY(credentials_.load());
    const net::Url url = TRY(net::parse_url(connection.server));
    quoting_ = quoting_of(url, connection);
    if (connection.from_secret) TRY(check_scheme(url, options_.addresses));
    prefix_ = url.path.ends_with('/') ? url.path.substr(0, url.path.size() - 1) : url.path;
    net::HttpClientOptions http{.origin = {.scheme = url.scheme,
                                           .host = url.host,
                                           .port = url.port,
                                           .server_name = connection.tls_server_name,
                                           .proxy_url = proxy_of(connection, url)},
                                .max_connections = options_.max_connections,
                                .idle_timeout = options_.idle_timeout,
                                .connect_timeout = options_.connect_timeout,
                                .proxy_is_ours = connection.proxy_url.empty()};
    if (connection.from_secret) http.rules = options_.addresses;
    encrypted_ = url.scheme == "https";
    if (encrypted_) http.tls = TRY(net::client_tls(credentials_.tls()));
    http_.emplace(io, std::move(http));
    return {};
  }

  Quoting quoting() const { return quoting_; }

  // Whose fields a write's are, when it does not say.
  template <typename Options>
  Options owned(Options options) const {
    if (options.field_manager.empty()) options.field_manager = options_.field_manager;
    return options;
  }

  Result<json::value> send_for_json(Result<net::HttpRequest> request, Asked asked, const Deadline& deadline) {
    net::HttpResponse response = TRY(send(std::move(request), asked, deadline));
    if (asked == Asked::Write) cut_managed_fields(response.body);
    return parse_answer(response, asked);
  }

  // A write. What can't be decoded is another error than what is no JSON at all.
  Result<void> send_into(const Into& into, Result<net::HttpRequest> request, const Deadline& deadline) {
    net::HttpResponse response = TRY(send(std::move(request), Asked::Write, deadline));
    cut_managed_fields(response.body);
    if (into.metadata_only) cut_behind_metadata(response.body);
    auto decoded = api::detail::decode(*into.type, into.object, response.body);
    if (decoded) return decoded;
    TRY(parse_answer(response, Asked::Write));
    Error unreadable = without_quotes(std::move(decoded).error(), quoting_);
    unreadable.outcome_unknown = true;  // it has happened; what became of it has to be looked up
    return fail(std::move(unreadable));
  }

  Result<net::HttpResponse> send(Result<net::HttpRequest> built, Asked asked, const Deadline& deadline) {
    net::HttpRequest request = TRY(std::move(built));
    TRY(limiter_.acquire(deadline));
    if (request.method != "GET" && deadline.at != SteadyTime::max()) {
      requests::limit_server_time(request, deadline.at - clock_.steady_now());
    }
    renew_tls();
    auto response = send_once(request, deadline);
    if (response && response->status == 401 && credentials_.changed_after_refusal()) {
      use_new_tls();
      response = send_once(request, deadline);
    }
    if (!response) return response;
    if (response->status >= 200 && response->status < 300) return response;
    return fail(error_of(
        {.code = response->status, .body = response->body, .retry_after = response->header("retry-after")},
        asked, quoting_));
  }

  std::unique_ptr<Stream> stream(Result<net::HttpRequest> request, std::chrono::seconds silent_after,
                                 StreamSink& sink) {
    if (!request) return refused(sink, request.error());
    limiter_.spend();
    renew_tls();
    net::HttpRequest ready = with_headers(*request);
    const auto on_status = [this, path = std::string(path_of(*request))](int status) {
      if (status == 401 && credentials_.changed_after_refusal()) use_new_tls();
      record({.method = "GET", .path = path, .status = status, .stream = true});
    };
    auto stream = std::make_unique<RemoteStream>(sink, quoting_, on_status);
    stream->begin(*http_, std::move(ready), {.silent_after = silent_after});
    return stream;
  }

 private:
  Result<net::HttpResponse> send_once(const net::HttpRequest& request, const Deadline& deadline) {
    auto response = http_->request(with_headers(request), deadline);
    record({.method = request.method,
            .path = path_of(request),
            .status = response ? response->status : 0,
            .refusal = response && response->status >= 400 ? std::string_view(response->body) : ""});
    return response;
  }

  net::HttpRequest with_headers(net::HttpRequest request) {
    request.target = prefix_ + request.target;
    request.max_body_bytes = options_.max_body_bytes;
    request.headers.emplace_back("User-Agent", options_.user_agent);
    for (auto& header : credentials_.headers()) request.headers.push_back(std::move(header));
    return request;
  }

  void renew_tls() {
    if (encrypted_ && credentials_.tls_changed()) use_new_tls();
  }

  // While the files do not fit together (they are being written) the old identity stays in use.
  void use_new_tls() {
    if (!encrypted_) return;
    auto tls = net::client_tls(credentials_.tls());
    if (!tls) return credentials_.tls_failed();
    http_->use_tls(std::move(*tls));
  }

  std::string proxy_of(const Connection& connection, const net::Url& url) const {
    if (!connection.proxy_url.empty()) return connection.proxy_url;
    return net::proxy_for(options_.proxies, url.scheme, url.host, url.port);
  }

  void record(const RequestRecord& request) const {
    if (options_.on_request) options_.on_request(request);
  }

  const Clock& clock_;
  const RemoteClientOptions options_;
  RateLimiter limiter_;
  Credentials credentials_;
  std::string prefix_;
  Quoting quoting_ = Quoting::Everything;
  bool encrypted_ = true;
  std::optional<net::HttpClient> http_;
};

// NOLINTNEXTLINE(performance-unnecessary-value-param): callers hand their credentials over
Result<std::unique_ptr<RemoteClient>> RemoteClient::make(const Seams& seams, Connection connection,
                                                         RemoteClientOptions options) {
  if (options.user_agent.empty()) {
    options.user_agent = "capstan/" CAPSTAN_VERSION;
    if (options.field_manager.empty()) options.field_manager = api::field_manager::kManager;
  }
  auto wire = std::make_unique<Wire>(seams, connection, std::move(options));
  TRY(wire->open(seams.io, connection));
  return std::make_unique<RemoteClient>(std::move(wire));
}

RemoteClient::RemoteClient(std::unique_ptr<Wire> wire) : wire_(std::move(wire)) {}
RemoteClient::~RemoteClient() = default;
Quoting RemoteClient::quoting() const { return wire_->quoting(); }

Result<json::value> RemoteClient::get(const Resource& resource, const ObjectKey& key,
                                      const Deadline& deadline) {
  return wire_->send_for_json(requests::get(resource, key), Asked::Object, deadline);
}

Result<json::value> RemoteClient::list(const Resource& resource, const ListOptions& options,
                                       const Deadline& deadline) {
  return wire_->send_for_json(requests::list(resource, options), Asked::Object, deadline);
}

Result<json::value> RemoteClient::create(const Resource& resource, const ObjectKey& key,
                                         const json::value& object, const WriteOptions& options,
                                         const Deadline& deadline) {
  return wire_->send_for_json(requests::create(resource, key, object, wire_->owned(options)), Asked::Write,
                              deadline);
}

Result<json::value> RemoteClient::replace(const Resource& resource, const ObjectKey& key,
                                          const json::value& object, std::string_view subresource,
                                          const WriteOptions& options, const Deadline& deadline) {
  return wire_->send_for_json(requests::replace(resource, key, object, subresource, wire_->owned(options)),
                              Asked::Write, deadline);
}

Result<json::value> RemoteClient::patch(const Resource& resource, const ObjectKey& key,
                                        const json::value& body, const PatchOptions& options,
                                        const Deadline& deadline) {
  return wire_->send_for_json(requests::patch(resource, key, body, wire_->owned(options)), Asked::Write,
                              deadline);
}

Result<void> RemoteClient::create_into(const Into& into, const Resource& resource, const ObjectKey& key,
                                       const json::value& object, const WriteOptions& options,
                                       const Deadline& deadline) {
  return wire_->send_into(into, requests::create(resource, key, object, wire_->owned(options)), deadline);
}

Result<void> RemoteClient::patch_into(const Into& into, const Resource& resource, const ObjectKey& key,
                                      const json::value& body, const PatchOptions& options,
                                      const Deadline& deadline) {
  return wire_->send_into(into, requests::patch(resource, key, body, wire_->owned(options)), deadline);
}

Result<void> RemoteClient::remove(const Resource& resource, const ObjectKey& key,
                                  const DeleteOptions& options, const Deadline& deadline) {
  TRY(wire_->send(requests::remove(resource, key, options), Asked::Write, deadline));
  return {};
}

Result<void> RemoteClient::evict(const ObjectKey& pod, const DeleteOptions& options,
                                 const Deadline& deadline) {
  TRY(wire_->send(requests::evict(pod, options), Asked::Write, deadline));
  return {};
}

Result<json::value> RemoteClient::get_path(std::string_view path, const Deadline& deadline) {
  const net::HttpResponse response = TRY(wire_->send(requests::get_path(path), Asked::Path, deadline));
  const auto type = response.header("content-type");
  if (type && type->starts_with("application/json")) return parse_answer(response, Asked::Path);
  return json::value(response.body);
}

Result<json::value> RemoteClient::post_path(std::string_view path, const json::value& body,
                                            const Deadline& deadline) {
  return wire_->send_for_json(requests::post_path(path, body), Asked::Write, deadline);
}

std::unique_ptr<Stream> RemoteClient::list_stream(const Resource& resource, const ListOptions& options,
                                                  StreamSink& sink) {
  return wire_->stream(requests::list(resource, options), kSilentList, sink);
}

std::unique_ptr<Stream> RemoteClient::watch(const Resource& resource, const WatchOptions& options,
                                            StreamSink& sink) {
  const std::chrono::seconds timeout(options.timeout_seconds > 0 ? options.timeout_seconds : 600);
  return wire_->stream(requests::watch(resource, options), timeout + kSilentGrace, sink);
}

}  // namespace capstan::kube
