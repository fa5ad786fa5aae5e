// Many agents, each with a machine and a certificate of its own, for figures of what they do together. One
// simulated thread runs all of their rounds, when the loop of each would run it (agent/loop.h): a thousand
// threads would cost more than the agents. Their watches are read as the embedded server notifies of events.
#pragma once

#include <boost/json.hpp>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "apiserver/api.h"
#include "net/pki.h"
#include "test/fakes/baton.h"
#include "test/fakes/memory_client.h"

namespace capstan::bench {

// What all of them have asked of the server in one second.
struct Load {
  int requests = 0;
  int watches = 0;                        // that they opened
  std::map<std::string, int> kinds = {};  // of the requests: "patch Node"
};

class AgentCrowd {
 public:
  // All of it lives longer.
  AgentCrowd(fakes::Baton& baton, apiserver::Api& api, kube::Client& client);
  ~AgentCrowd();
  AgentCrowd(const AgentCrowd&) = delete;
  AgentCrowd& operator=(const AgentCrowd&) = delete;

  // The agent of a machine that has joined as that Node, and starts then. Before live().
  void add(const std::string& machine, const std::string& node, SteadyTime start);
  // The thread of the agents.
  void live(const std::stop_token& stop);

  // By second of virtual time, since the last call.
  std::map<std::int64_t, Load> take_load();

 private:
  class Line;
  class Listening;
  struct Member;

  void pump_streams();
  void run_due(const std::stop_token& stop);
  void schedule(std::size_t index);
  SteadyTime next() const;
  Load& this_second();

  fakes::Baton& baton_;
  apiserver::Api& api_;
  kube::Client& client_;
  net::KeyAndCertificate ca_;
  std::vector<std::unique_ptr<Member>> members_;
  std::set<std::pair<SteadyTime, std::size_t>> agenda_ = {};  // one entry for each member
  Signal news_{"news for agents"};
  std::vector<std::size_t> heard_ = {};  // members whose watches may have something
  std::map<std::int64_t, Load> load_ = {};
};

}  // namespace capstan::bench
