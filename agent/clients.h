// A client for each identity of the agent, made anew when its credentials change, and the watch on it that
// wakes the agent. One thread; watches report from their own.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <string>

#include "agent/doorbell.h"
#include "agent/identity.h"
#include "base/result.h"
#include "base/threads.h"
#include "kube/client.h"
#include "kube/connection.h"

namespace capstan::agent {

// Does not wait for the network.
using Dial = std::function<Result<std::unique_ptr<kube::Client>>(const kube::Connection& to)>;

class Clients {
 public:
  Clients(Dial dial, Signal& changed) : dial_(std::move(dial)), changed_(changed) {}

  // The client lives until the next call with other settings.
  Result<kube::Client*> with(Credential credential, const kube::Connection& connection);
  // Wakes the agent when the object changes after that version; does nothing while such a watch is open.
  void watch(Credential credential, const kube::Resource& resource, const kube::ObjectKey& key,
             const std::string& resource_version);

 private:
  struct Slot {
    std::string fingerprint = {};
    std::unique_ptr<kube::Client> client = {};
    std::unique_ptr<Doorbell> bell = {};  // last: its stream is the client's
  };
  Slot& slot(Credential credential) { return slots_[static_cast<std::size_t>(credential)]; }

  Dial dial_;
  Signal& changed_;
  std::array<Slot, 3> slots_ = {};
};

}  // namespace capstan::agent
