#include "kubeconfig/gated_client.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <optional>
#include <utility>

#include "base/try.h"
#include "kubeconfig/either_stop.h"
#include "kubeconfig/probe.h"

namespace capstan::kubeconfig {

namespace json = boost::json;

namespace {

class EndedStream final : public kube::Stream {};

}  // namespace

// A worker in the queue; each is woken by a Signal of its own, for a hundred workers may stand here while
// four go through.
struct GatedClient::Waiter {
  Signal called{"a place among the requests to a workload cluster"};
  bool has_place = false;  // of those in flight: handed over by one who left
  bool refused = false;
};

// A place among the requests in flight.
class GatedClient::Place {
 public:
  explicit Place(GatedClient& gate) : gate_(gate) {}
  ~Place() { gate_.leave(); }
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;

 private:
  GatedClient& gate_;
};

GatedClient::GatedClient(kube::Client& inner, Threads& threads, const Clock& clock, GateLimits limits)
    : inner_(inner), threads_(threads), clock_(clock), limits_(limits) {}

GatedClient::~GatedClient() = default;

void GatedClient::refuse(std::string why) {
  const auto queue = inside_.with([&](Inside& inside) {
    inside.refusing = true;
    inside.why = std::move(why);
    for (const auto& waiter : inside.queue) waiter->refused = true;
    return std::exchange(inside.queue, {});
  });
  for (const auto& waiter : queue) waiter->called.notify();
}

void GatedClient::shut(std::string why) {
  refuse(std::move(why));
  auto those_inside = inside_.with([](Inside& inside) { return std::exchange(inside.shutting, {}); });
  those_inside.request_stop();
}

void GatedClient::open() {
  inside_.with([](Inside& inside) {
    inside.refusing = false;
    inside.why.clear();
  });
}

std::optional<SteadyTime> GatedClient::last_answer() const {
  return inside_.with([](const Inside& inside) { return inside.last_answer; });
}

Error GatedClient::closed() const {
  return {.code = Code::NotConnected,
          .message = inside_.with([](const Inside& inside) { return inside.why; })};
}

// The token is triggered when the gate is shut.
Result<std::stop_token> GatedClient::enter(const Deadline& deadline) {
  std::shared_ptr<Waiter> waiter;
  std::stop_token shutting;
  const bool open = inside_.with([&](Inside& inside) {
    if (inside.refusing) return false;
    shutting = inside.shutting.get_token();
    if (limits_.in_flight == 0 || inside.in_flight < limits_.in_flight) {
      ++inside.in_flight;
    } else {
      waiter = inside.queue.emplace_back(std::make_shared<Waiter>());
    }
    return true;
  });
  if (!open) return fail(closed());
  if (waiter) TRY(wait_for_a_place(waiter, deadline));
  return shutting;
}

Result<void> GatedClient::wait_for_a_place(const std::shared_ptr<Waiter>& waiter, const Deadline& deadline) {
  const Deadline patience = deadline.no_later_than(clock_.steady_now() + limits_.longest_wait);
  const Woken woken = threads_.wait_until(waiter->called, patience, [&] {
    return inside_.with([&](const Inside&) { return waiter->has_place || waiter->refused; });
  });
  const bool has_place = inside_.with([&](Inside& inside) {
    std::erase(inside.queue, waiter);
    return waiter->has_place;
  });
  if (has_place) return {};
  switch (woken) {
    case Woken::Notified: return fail(closed());
    case Woken::Stopped: return fail(Code::Cancelled, "stopped while waiting for a workload cluster");
    case Woken::TimedOut: break;
  }
  return fail({.code = Code::RateLimited,
               .message = fmt::format("{} requests to this workload cluster are in flight already",
                                      limits_.in_flight),
               .retry_after = Seconds(1),
               .reason = std::string(kCrowdedOut)});
}

void GatedClient::leave() {
  const auto next = inside_.with([](Inside& inside) -> std::shared_ptr<Waiter> {
    if (inside.queue.empty()) {
      --inside.in_flight;
      return nullptr;
    }
    auto first = std::move(inside.queue.front());
    inside.queue.pop_front();
    first->has_place = true;
    return first;
  });
  if (next) next->called.notify();
}

void GatedClient::note(const Error* error) {
  if (error != nullptr && error->code == Code::Unauthorized) unauthorized_ = true;
  if (error != nullptr && !is_answer(*error)) return;
  const SteadyTime now = clock_.steady_now();
  inside_.with([&](Inside& inside) { inside.last_answer = now; });
}

template <typename Send>
auto GatedClient::ask(const Deadline& deadline, const Send& send) -> decltype(send(deadline)) {
  const auto shutting = enter(deadline);
  if (!shutting) return fail(shutting.error());
  const Place place(*this);
  const EitherStop stop(deadline.stop, *shutting);
  const SteadyTime at = std::min(deadline.at, clock_.steady_now() + limits_.request_timeout);
  auto answer = send(Deadline{.at = at, .stop = stop.token()});
  note(answer ? nullptr : &answer.error());
  if (answer || answer.error().code != Code::Cancelled || deadline.stopped()) return answer;
  Error lost = closed();
  lost.outcome_unknown = answer.error().outcome_unknown;
  return fail(std::move(lost));
}

template <typename Open>
std::unique_ptr<kube::Stream> GatedClient::stream(kube::StreamSink& sink, const Open& open) {
  if (!inside_.with([](const Inside& inside) { return inside.refusing; })) return open();
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

Result<void> GatedClient::create_into(const kube::Into& into, const kube::Resource& resource,
                                      const kube::ObjectKey& key, const json::value& object,
                                      const kube::WriteOptions& options, const Deadline& deadline) {
  return ask(deadline, [&](const Deadline& until) {
    return inner_.create_into(into, resource, key, object, options, until);
  });
}

Result<void> GatedClient::patch_into(const kube::Into& into, const kube::Resource& resource,
                                     const kube::ObjectKey& key, const json::value& body,
                                     const kube::PatchOptions& options, const Deadline& deadline) {
  return ask(deadline, [&](const Deadline& until) {
    return inner_.patch_into(into, resource, key, body, options, until);
  });
}

Result<void> GatedClient::remove(const kube::Resource& resource, const kube::ObjectKey& key,
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
