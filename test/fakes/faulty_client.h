// FaultyClient: decorates a Client with what networks, servers and processes do to it. A plan chooses the
// fault of every call and every piece of a stream; what fired where is counted. Lives in the simulated world,
// outside of the process that may crash. No RelayClient: it sends requests late, or after their caller has
// died, and breaks streams piece by piece. Safe from any thread; the plan is called by all of them.
#pragma once

#include <boost/json/fwd.hpp>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/guarded.h"
#include "base/threads.h"
#include "kube/client.h"
#include "test/fakes/call.h"

namespace capstan::fakes {

enum class Fault {
  None,
  // any verb
  Unavailable,  // refused, nothing happened
  RateLimited,  // 429 with a retry-after of a second
  Slow,         // the answer takes a few seconds
  CrashBefore,  // the process dies and nothing was sent
  CrashAfter,   // ... after the effect, before the answer
  // writes
  Conflict,   // 409, nothing happened
  Timeout,    // no answer, and nothing happened
  LostReply,  // no answer, and it happened
  Late,       // no answer, and it happens a few seconds later
  // streams, decided piece by piece
  Stale,    // this piece takes a few seconds
  Cut,      // the connection breaks in the middle of the piece
  Expired,  // 410
};
std::string_view to_string(Fault fault);

struct FaultPoint {
  Call call = Call::Read;
  std::string_view kind = {};  // of the resource; empty for raw paths
};

struct FaultPlan {
  // Which fault hits this call? Faults that can't happen to it (Conflict on a read) count as None.
  std::function<Fault(const FaultPoint&)> choose = {};
  std::function<Nanoseconds()> span = [] {
    return Nanoseconds(std::chrono::seconds(2));
  };  // of slow, stale and late
  std::function<void()> crash = {};  // of the process that called; does not return normally
  std::function<bool()> crashing =
      {};  // the calling process is being unwound: what it still asks for goes nowhere
  // Starts a thread that outlives the process (Late); without it Late is a LostReply.
  std::function<std::unique_ptr<Thread>(Threads::Body)> spawn_outside = {};
  std::function<void(const FaultPoint&)> on_effect =
      {};  // after every write that took place: check invariants here
};

class FaultyClient final : public kube::Client {
 public:
  FaultyClient(kube::Client& inner, Threads& threads, const Clock& clock, FaultPlan plan);
  ~FaultyClient() override;  // waits for late effects
  FaultyClient(const FaultyClient&) = delete;
  FaultyClient& operator=(const FaultyClient&) = delete;

  // How often each fault hit each kind of call; None counts the calls that went well.
  std::map<std::pair<Call, Fault>, std::uint64_t> fired() const;
  std::uint64_t fired(Fault fault) const;
  std::uint64_t calls(Call call) const;

  Result<boost::json::value> get(const kube::Resource&, const kube::ObjectKey&, const Deadline&) override;
  Result<boost::json::value> list(const kube::Resource&, const kube::ListOptions&, const Deadline&) override;
  Result<boost::json::value> create(const kube::Resource&, const kube::ObjectKey&,
                                    const boost::json::value& object, const kube::WriteOptions&,
                                    const Deadline&) override;
  Result<boost::json::value> replace(const kube::Resource&, const kube::ObjectKey&,
                                     const boost::json::value& object, std::string_view subresource,
                                     const kube::WriteOptions&, const Deadline&) override;
  Result<boost::json::value> patch(const kube::Resource&, const kube::ObjectKey&,
                                   const boost::json::value& body, const kube::PatchOptions&,
                                   const Deadline&) override;
  Result<void> remove(const kube::Resource&, const kube::ObjectKey&, const kube::DeleteOptions&,
                      const Deadline&) override;
  Result<void> evict(const kube::ObjectKey& pod, const kube::DeleteOptions&, const Deadline&) override;
  Result<boost::json::value> get_path(std::string_view path, const Deadline&) override;
  Result<boost::json::value> post_path(std::string_view path, const boost::json::value& body,
                                       const Deadline&) override;

  std::unique_ptr<kube::Stream> list_stream(const kube::Resource&, const kube::ListOptions&,
                                            kube::StreamSink&) override;
  std::unique_ptr<kube::Stream> watch(const kube::Resource&, const kube::WatchOptions&,
                                      kube::StreamSink&) override;

 private:
  class FaultySink;
  using Send = std::function<Result<boost::json::value>(const Deadline&)>;

  Fault choose(const FaultPoint& point);
  Result<boost::json::value> ask(const FaultPoint& point, const Deadline& deadline, Send send);
  Result<boost::json::value> with_effect(const FaultPoint& point, const Deadline& deadline, const Send& send);
  void send_late(const FaultPoint& point, Send send);
  std::unique_ptr<kube::Stream> stream(
      const FaultPoint& point, kube::StreamSink& sink,
      const std::function<std::unique_ptr<kube::Stream>(kube::StreamSink&)>& open);

  kube::Client& inner_;
  Threads& threads_;
  const Clock& clock_;
  const FaultPlan plan_;
  Guarded<std::map<std::pair<Call, Fault>, std::uint64_t>> fired_;
  Guarded<std::vector<std::unique_ptr<Thread>>> late_;
};

}  // namespace capstan::fakes
