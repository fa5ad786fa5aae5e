// A client for each identity of the agent, made anew when its credentials change, and the one object that
// the agent follows with it: read once, then watched, and read again after five to ten minutes or when its
// watch has ended. Chance chooses when, for each object anew: a change that all agents of a cluster hear at
// once must not make all of them read. One thread; watches report from their own.
#pragma once

#include <array>
#include <boost/json/value.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "agent/identity.h"
#include "agent/object_watch.h"
#include "base/clock.h"
#include "base/randomness.h"
#include "base/result.h"
#include "base/threads.h"
#include "kube/client.h"
#include "kube/connection.h"

namespace capstan::agent {

// Does not wait for the network.
using Dial = std::function<Result<std::unique_ptr<kube::Client>>(const kube::Connection& to)>;

class Clients {
 public:
  Clients(Dial dial, const Clock& clock, Randomness& randomness, Signal& changed)
      : dial_(std::move(dial)), clock_(clock), randomness_(randomness), changed_(changed) {}

  // The client lives until the next call with other settings.
  Result<kube::Client*> with(Credential credential, const kube::Connection& connection);

  // The object where there is news of it since the last call; always the same one for a credential. Nothing:
  // it is as it was.
  Result<std::optional<boost::json::value>> news(Credential credential, const kube::Resource& resource,
                                                 const kube::ObjectKey& key, const Deadline& deadline);
  // The caller has the object in that version, as the answer to a write of its own.
  void knows(Credential credential, std::string_view version) { slot(credential).version = version; }
  // The next call reads it.
  void read_again(Credential credential) { slot(credential).read_again = {}; }
  // When the next of them is to be read; nothing: none was read.
  std::optional<SteadyTime> next_reading() const;

 private:
  struct Slot {
    std::string fingerprint = {};
    std::unique_ptr<kube::Client> client = {};
    std::unique_ptr<ObjectWatch> watch = {};  // after the client: its stream is the client's
    SteadyTime watched_until = {};
    std::optional<SteadyTime> read_again = {};  // nothing: at the next call
    std::string version = {};
  };
  Slot& slot(Credential credential) { return slots_[static_cast<std::size_t>(credential)]; }
  bool is_followed(const Slot& slot) const;
  bool outlasts_next_reading(const Slot& slot) const;
  Nanoseconds until_next_reading();
  static std::optional<boost::json::value> told(Slot& slot);
  void listen(Slot& slot, const kube::Resource& resource, const kube::ObjectKey& key);

  Dial dial_;
  const Clock& clock_;
  Randomness& randomness_;
  Signal& changed_;
  std::array<Slot, 3> slots_ = {};
};

}  // namespace capstan::agent
