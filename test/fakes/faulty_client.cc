#include "test/fakes/faulty_client.h"

#include <boost/json.hpp>

#include "test/fakes/answers.h"

namespace capstan::fakes {

namespace json = boost::json;

namespace {

bool can_hit(Call call, Fault fault) {
  switch (fault) {
    case Fault::None: return true;
    case Fault::Unavailable:
    case Fault::RateLimited:
    case Fault::Slow:
    case Fault::CrashBefore: return call != Call::Piece;
    case Fault::CrashAfter:
    case Fault::Conflict:
    case Fault::Timeout:
    case Fault::LostReply:
    case Fault::Late: return is_write(call);
    case Fault::Stale:
    case Fault::Cut: return call == Call::Piece;
    case Fault::Expired: return call == Call::Piece || call == Call::ListStream;
  }
  return false;
}

Failure no_answer() {
  return fail({.code = Code::Timeout, .message = "no answer from the server", .outcome_unknown = true});
}

constexpr std::string_view kExpiredEvent =
    R"({"type":"ERROR","object":{"apiVersion":"v1","kind":"Status","status":"Failure","reason":"Expired",)"
    R"("message":"too old resource version","code":410}})"
    "\n";

}  // namespace

std::string_view to_string(Fault fault) {
  switch (fault) {
    case Fault::None: return "none";
    case Fault::Unavailable: return "unavailable";
    case Fault::RateLimited: return "rate limited";
    case Fault::Slow: return "slow";
    case Fault::CrashBefore: return "crash before";
    case Fault::CrashAfter: return "crash after";
    case Fault::Conflict: return "conflict";
    case Fault::Timeout: return "timeout";
    case Fault::LostReply: return "lost reply";
    case Fault::Late: return "late";
    case Fault::Stale: return "stale";
    case Fault::Cut: return "cut";
    case Fault::Expired: return "expired";
  }
  return "none";
}

FaultyClient::FaultyClient(kube::Client& inner, Threads& threads, const Clock& clock, FaultPlan plan)
    : inner_(inner), threads_(threads), clock_(clock), plan_(std::move(plan)) {}

FaultyClient::~FaultyClient() {
  const auto late = late_.with([](auto& threads) { return std::exchange(threads, {}); });
  for (const auto& thread : late) thread->join();
}

std::map<std::pair<Call, Fault>, std::uint64_t> FaultyClient::fired() const {
  return fired_.with([](const auto& fired) { return fired; });
}

std::uint64_t FaultyClient::fired(Fault fault) const {
  std::uint64_t times = 0;
  for (const auto& [what, count] : fired()) times += what.second == fault ? count : 0;
  return times;
}

std::uint64_t FaultyClient::calls(Call call) const {
  std::uint64_t times = 0;
  for (const auto& [what, count] : fired()) times += what.first == call ? count : 0;
  return times;
}

Fault FaultyClient::choose(const FaultPoint& point) {
  Fault fault = plan_.choose ? plan_.choose(point) : Fault::None;
  if (!can_hit(point.call, fault)) fault = Fault::None;
  if (fault == Fault::Late && !plan_.spawn_outside) fault = Fault::LostReply;
  fired_.with([&](auto& fired) { ++fired[{point.call, fault}]; });
  return fault;
}

Result<json::value> FaultyClient::ask(const FaultPoint& point, const Deadline& deadline, Send send) {
  if (plan_.crashing && plan_.crashing()) return no_answer();
  switch (choose(point)) {
    case Fault::Unavailable: return fail(Code::Unavailable, "connection refused");
    case Fault::RateLimited:
      return fail({.code = Code::RateLimited, .message = "too many requests", .retry_after = Seconds(1)});
    case Fault::Conflict: return fail(Code::Conflict, "the object has been modified");
    case Fault::Timeout: return no_answer();
    case Fault::CrashBefore: plan_.crash(); return no_answer();
    case Fault::CrashAfter:
      (void)with_effect(point, deadline, send);
      plan_.crash();
      return no_answer();
    case Fault::LostReply: {
      // what the server refused had no effect that could be lost
      (void)with_effect(point, deadline, send);
      return no_answer();
    }
    case Fault::Late: send_late(point, std::move(send)); return no_answer();
    case Fault::Slow: threads_.pause(deadline.no_later_than(clock_.steady_now() + plan_.span())); break;
    case Fault::None:
    case Fault::Stale:
    case Fault::Cut:
    case Fault::Expired: break;
  }
  return with_effect(point, deadline, send);
}

Result<json::value> FaultyClient::with_effect(const FaultPoint& point, const Deadline& deadline,
                                              const Send& send) {
  auto answer = send(deadline);
  if (answer && is_write(point.call) && plan_.on_effect) plan_.on_effect(point);
  return answer;
}

void FaultyClient::send_late(const FaultPoint& point, Send send) {
  const Nanoseconds span = plan_.span();
  auto thread = plan_.spawn_outside([this, span, send = std::move(send), call = point.call,
                                     kind = std::string(point.kind)](const std::stop_token&) {
    threads_.pause(Deadline::in(clock_, span));
    (void)with_effect({.call = call, .kind = kind}, Deadline::never(), send);
  });
  late_.with([&](auto& threads) { threads.push_back(std::move(thread)); });
}

// The same stream, piece by piece, until a fault ends it.
class FaultyClient::FaultySink final : public kube::StreamSink, public kube::Stream {
 public:
  FaultySink(FaultyClient& owner, FaultPoint point, kube::StreamSink& sink)
      : owner_(owner), watches_(point.call == Call::Watch), kind_(point.kind), sink_(sink) {}

  void hold(std::unique_ptr<kube::Stream> inner) { inner_ = std::move(inner); }

  void on_bytes(std::string_view bytes) override {
    if (ended_) return;
    switch (owner_.choose({.call = Call::Piece, .kind = kind_})) {
      case Fault::Cut:
        sink_.on_bytes(bytes.substr(0, bytes.size() / 2));
        return end(fail(Code::Unavailable, "connection reset by peer"));
      case Fault::Expired:
        if (watches_) sink_.on_bytes(kExpiredEvent);
        return end(watches_ ? Result<void>() : fail(Code::Gone, "the continue token is too old"));
      case Fault::Stale: owner_.threads_.pause(Deadline::in(owner_.clock_, owner_.plan_.span())); break;
      case Fault::None:
      case Fault::Unavailable:
      case Fault::RateLimited:
      case Fault::Slow:
      case Fault::CrashBefore:
      case Fault::CrashAfter:
      case Fault::Conflict:
      case Fault::Timeout:
      case Fault::LostReply:
      case Fault::Late: break;
    }
    sink_.on_bytes(bytes);
  }

  void on_end(Result<void> outcome) override {
    if (!ended_) end(std::move(outcome));
  }

 private:
  void end(Result<void> outcome) {
    ended_ = true;
    sink_.on_end(std::move(outcome));
  }

  FaultyClient& owner_;
  const bool watches_;
  const std::string kind_;
  kube::StreamSink& sink_;
  bool ended_ = false;                   // the inner stream calls from one thread at a time
  std::unique_ptr<kube::Stream> inner_;  // last: its end is the end of all calls to us
};

std::unique_ptr<kube::Stream> FaultyClient::stream(
    const FaultPoint& point, kube::StreamSink& sink,
    const std::function<std::unique_ptr<kube::Stream>(kube::StreamSink&)>& open) {
  const Fault fault = choose(point);
  auto faulty = std::make_unique<FaultySink>(*this, point, sink);
  if (fault == Fault::CrashBefore) plan_.crash();
  if (fault == Fault::Slow) threads_.pause(Deadline::in(clock_, plan_.span()));
  if (fault == Fault::Unavailable || fault == Fault::RateLimited) {
    faulty->on_end(fail(Code::Unavailable, "connection refused"));
  } else if (fault == Fault::Expired) {
    faulty->on_end(fail(Code::Gone, "the continue token is too old"));
  } else {
    faulty->hold(open(*faulty));
  }
  return faulty;
}

Result<json::value> FaultyClient::get(const kube::Resource& resource, const kube::ObjectKey& key,
                                      const Deadline& deadline) {
  return ask({.call = Call::Read, .kind = resource.kind}, deadline,
             [this, resource, key](const Deadline& until) { return inner_.get(resource, key, until); });
}

Result<json::value> FaultyClient::list(const kube::Resource& resource, const kube::ListOptions& options,
                                       const Deadline& deadline) {
  return ask(
      {.call = Call::Read, .kind = resource.kind}, deadline,
      [this, resource, options](const Deadline& until) { return inner_.list(resource, options, until); });
}

Result<json::value> FaultyClient::create(const kube::Resource& resource, const kube::ObjectKey& key,
                                         const json::value& object, const kube::WriteOptions& options,
                                         const Deadline& deadline) {
  return ask({.call = Call::Create, .kind = resource.kind}, deadline,
             [this, resource, key, object, options](const Deadline& until) {
               return inner_.create(resource, key, object, options, until);
             });
}

Result<json::value> FaultyClient::replace(const kube::Resource& resource, const kube::ObjectKey& key,
                                          const json::value& object, std::string_view subresource,
                                          const kube::WriteOptions& options, const Deadline& deadline) {
  return ask({.call = Call::Replace, .kind = resource.kind}, deadline,
             [this, resource, key, object, part = std::string(subresource), options](const Deadline& until) {
               return inner_.replace(resource, key, object, part, options, until);
             });
}

Result<json::value> FaultyClient::patch(const kube::Resource& resource, const kube::ObjectKey& key,
                                        const json::value& body, const kube::PatchOptions& options,
                                        const Deadline& deadline) {
  return ask({.call = Call::Patch, .kind = resource.kind}, deadline,
             [this, resource, key, body, options](const Deadline& until) {
               return inner_.patch(resource, key, body, options, until);
             });
}

Result<void> FaultyClient::remove(const kube::Resource& resource, const kube::ObjectKey& key,
                                  const kube::DeleteOptions& options, const Deadline& deadline) {
  return without_answer(ask({.call = Call::Remove, .kind = resource.kind}, deadline,
                            [this, resource, key, options](const Deadline& until) {
                              return as_answer(inner_.remove(resource, key, options, until));
                            }));
}

Result<void> FaultyClient::evict(const kube::ObjectKey& pod, const kube::DeleteOptions& options,
                                 const Deadline& deadline) {
  return without_answer(ask(
      {.call = Call::Evict, .kind = "Pod"}, deadline,
      [this, pod, options](const Deadline& until) { return as_answer(inner_.evict(pod, options, until)); }));
}

Result<json::value> FaultyClient::get_path(std::string_view path, const Deadline& deadline) {
  return ask({.call = Call::Read}, deadline, [this, path = std::string(path)](const Deadline& until) {
    return inner_.get_path(path, until);
  });
}

Result<json::value> FaultyClient::post_path(std::string_view path, const json::value& body,
                                            const Deadline& deadline) {
  return ask({.call = Call::Post}, deadline, [this, path = std::string(path), body](const Deadline& until) {
    return inner_.post_path(path, body, until);
  });
}

std::unique_ptr<kube::Stream> FaultyClient::list_stream(const kube::Resource& resource,
                                                        const kube::ListOptions& options,
                                                        kube::StreamSink& sink) {
  return stream({.call = Call::ListStream, .kind = resource.kind}, sink,
                [&](kube::StreamSink& faulty) { return inner_.list_stream(resource, options, faulty); });
}

std::unique_ptr<kube::Stream> FaultyClient::watch(const kube::Resource& resource,
                                                  const kube::WatchOptions& options, kube::StreamSink& sink) {
  return stream({.call = Call::Watch, .kind = resource.kind}, sink,
                [&](kube::StreamSink& faulty) { return inner_.watch(resource, options, faulty); });
}

}  // namespace capstan::fakes
