#include "kubeconfig/gated_client.h"

#include <fmt/format.h>

#include <boost/json.hpp>
#include <optional>
#include <utility>

namespace capstan::kubeconfig {

namespace json = boost::json;

namespace {

class EndedStream final : public kube::Stream {};

}  // namespace

// One request inside: stopped when its caller is or when the gate is shut, whichever comes first.
class GatedClient::Call {
 public:
  Call(GatedClient& gate, const Deadline& deadline, const std::stop_token& shutting)
      : gate_(gate),
        at_(deadline.at),
        by_caller_(deadline.stop, Stop{stop_}),
        by_gate_(shutting, Stop{stop_}) {}
  ~Call() { gate_.leave(); }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  Deadline deadline() const { return {.at = at_, .stop = stop_.get_token()}; }

 private:
  struct Stop {
    std::stop_source& source;
    void operator()() const { source.request_stop(); }
  };

  GatedClient& gate_;
  SteadyTime at_;
  std::stop_source stop_;
  std::stop_callback<Stop> by_caller_;
  std::stop_callback<Stop> by_gate_;
};

GatedClient::GatedClient(kube::Client& inner, Threads& threads, const Clock& clock, GateLimits limits)
    : inner_(inner), threads_(threads), clock_(clock), limits_(limits) {}

GatedClient::~GatedClient() = default;

void GatedClient::shut(std::string why) {
  std::optional<std::stop_source> those_inside;
  inside_.with([&](Inside& inside) {
    if (!inside.shut) those_inside = inside.shutting;
    inside.shut = true;
    inside.why = std::move(why);
  });
  if (those_inside) those_inside->request_stop();
  changed_.notify();
}

void GatedClient::open() {
  inside_.with([](Inside& inside) {
    if (std::exchange(inside.shut, false)) inside.shutting = std::stop_source();
    inside.why.clear();
  });
}

Error GatedClient::closed() const {
  return {.code = Code::NotConnected,
          .message = inside_.with([](const Inside& inside) { return inside.why; })};
}

// The token tells when the gate is shut again.
Result<std::stop_token> GatedClient::enter(const Deadline& deadline) {
  std::optional<std::stop_token> entered;
  const auto settled = [&] {
    return inside_.with([&](Inside& inside) {
      if (inside.shut) return true;
      if (limits_.in_flight != 0 && inside.in_flight >= limits_.in_flight) return false;
      ++inside.in_flight;
      entered = inside.shutting.get_token();
      return true;
    });
  };
  if (!settled()) {
    const Deadline patience = deadline.no_later_than(clock_.steady_now() + limits_.longest_wait);
    const Woken woken = threads_.wait_until(changed_, patience, settled);
    if (woken == Woken::Stopped) return fail(Code::Cancelled, "stopped while waiting for a workload cluster");
    if (woken == Woken::TimedOut) {
      return fail({.code = Code::RateLimited,
                   .message = fmt::format("{} requests to this workload cluster are in flight already",
                                          limits_.in_flight),
                   .retry_after = Seconds(1)});
    }
  }
  if (!entered) return fail(closed());
  return *entered;
}

void GatedClient::leave() {
  inside_.with([](Inside& inside) { --inside.in_flight; });
  changed_.notify();
}

template <typename Send>
auto GatedClient::ask(const Deadline& deadline, const Send& send) -> decltype(send(deadline)) {
  const auto shutting = enter(deadline);
  if (!shutting) return fail(shutting.error());
  const Call call(*this, deadline, *shutting);
  auto answer = send(call.deadline());
  if (answer) return answer;
  if (answer.error().code == Code::Unauthorized) unauthorized_ = true;
  if (answer.error().code != Code::Cancelled || deadline.stopped()) return answer;
  Error lost = closed();
  lost.outcome_unknown = answer.error().outcome_unknown;
  return fail(std::move(lost));
}

template <typename Open>
std::unique_ptr<kube::Stream> GatedClient::stream(kube::StreamSink& sink, const Open& open) {
  if (!is_shut()) return open();
  sink.on_end(fail(closed()));
  return std::make_unique<EndedStream>();
}

Result<json::value> GatedClient::get(const kube::Resource& resource, const kube::ObjectKey& key,
                                     const Deadline& deadline) {
  return ask(deadline, [&](const Deadline& until) { return inner_.get(resource, key, until); });
}

Result<json::value> GatedClient::list(const kube::Resource& resource, const kube::ListOptions& options,
                                      const Deadline& deadline) {
  return ask(deadline, [&](const Deadline& until) { return inner_.list(resource, options, until); });
}

Result<json::value> GatedClient::create(const kube::Resource& resource, const kube::ObjectKey& key,
                                        const json::value& object, const kube::WriteOptions& options,
                                        const Deadline& deadline) {
  return ask(deadline,
             [&](const Deadline& until) { return inner_.create(resource, key, object, options, until); });
}

Result<json::value> GatedClient::replace(const kube::Resource& resource, const kube::ObjectKey& key,
                                         const json::value& object, std::string_view subresource,
                                         const kube::WriteOptions& options, const Deadline& deadline) {
  return ask(deadline, [&](const Deadline& until) {
    return inner_.replace(resource, key, object, subresource, options, until);
  });
}

Result<json::value> GatedClient::patch(const kube::Resource& resource, const kube::ObjectKey& key,
                                       const json::value& body, const kube::PatchOptions& options,
                                       const Deadline& deadline) {
  return ask(deadline,
             [&](const Deadline& until) { return inner_.patch(resource, key, body, options, until); });
}

Result<json::value> GatedClient::remove(const kube::Resource& resource, const kube::ObjectKey& key,
                                        const kube::DeleteOptions& options, const Deadline& deadline) {
  return ask(deadline, [&](const Deadline& until) { return inner_.remove(resource, key, options, until); });
}

Result<void> GatedClient::evict(const kube::ObjectKey& pod, const kube::DeleteOptions& options,
                                const Deadline& deadline) {
  return ask(deadline, [&](const Deadline& until) { return inner_.evict(pod, options, until); });
}

Result<json::value> GatedClient::get_path(std::string_view path, const Deadline& deadline) {
  return ask(deadline, [&](const Deadline& until) { return inner_.get_path(path, until); });
}

Result<json::value> GatedClient::post_path(std::string_view path, const json::value& body,
                                           const Deadline& deadline) {
  return ask(deadline, [&](const Deadline& until) { return inner_.post_path(path, body, until); });
}

std::unique_ptr<kube::Stream> GatedClient::list_stream(const kube::Resource& resource,
                                                       const kube::ListOptions& options,
                                                       kube::StreamSink& sink) {
  return stream(sink, [&] { return inner_.list_stream(resource, options, sink); });
}

std::unique_ptr<kube::Stream> GatedClient::watch(const kube::Resource& resource,
                                                 const kube::WatchOptions& options, kube::StreamSink& sink) {
  return stream(sink, [&] { return inner_.watch(resource, options, sink); });
}

}  // namespace capstan::kubeconfig
