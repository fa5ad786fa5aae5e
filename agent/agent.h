// The agent of one machine: rounds in which it looks after its certificate, hears what its Node is to be,
// makes it so, and reports. What it must not forget is on disk; the rest a new process asks for anew. One
// thread.
#pragma once

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "agent/act.h"
#include "agent/clients.h"
#include "agent/enrolment.h"
#include "agent/server.h"
#include "agent/update.h"
#include "agent/wanted.h"
#include "api/bootstrap/agent_facts.h"
#include "base/randomness.h"

namespace capstan::agent {

// All of it lives longer.
struct AgentDeps {
  Tools tools;
  Randomness& randomness;
  Dial dial = {};
  Signal& changed;  // notified when a watched object may have changed
};

struct AgentOptions {
  std::string facts_path = {};
  std::string host_name = {};
};

struct Round {
  std::vector<std::string> troubles = {};  // to be tried again
  bool waiting = false;             // for a certificate, for the kubelet or for its version: look again soon
  std::optional<WallTime> at = {};  // something is to be done then
};

class Agent {
 public:
  Agent(AgentDeps deps, AgentOptions options);
  Round round(const std::stop_token& stop);

 private:
  Result<void> look_around();
  Result<void> look_at_config();
  Result<void> renew_certificate();
  Result<void> ask_for_certificate(const std::vector<Credential>& credentials);
  Result<void> receive(const std::string& certificate_pem);
  Result<void> read_own_node();
  Result<void> take_requests(kube::Client& kubelet);
  Result<void> mark_node(kube::Client& kubelet, const NodeMarks& marks, const std::string& version = {});
  Result<void> read_config();
  Result<Offer> latest_offer();
  Result<void> consider(const Offer& offer);
  Result<void> take_up(const Offer& offer);
  Result<void> begin_update();
  Result<bool> has_wanted_kubelet() const;
  std::optional<UpdateResult> update_result();
  Result<void> apply(const std::stop_token& stop);
  void take_errors(Outcome outcome);
  std::string_view applied_or_tried() const;
  void come_back_to_read();
  Result<void> send_report();

  Result<kube::Client*> client(Credential credential);
  Result<void> save(const State& next);
  Result<Disk> disk() const;
  MachineFacts machine_facts() const;
  Deadline soon() const;
  WallTime now() const { return deps_.tools.clock.now(); }
  const Root& root() const { return deps_.tools.root; }
  void attempt(Result<void> done);

  AgentDeps deps_;
  AgentOptions options_;
  Clients clients_;

  // Of this round.
  Round round_ = {};
  api::AgentFacts facts_ = {};
  State state_ = {};
  OwnCertificate certificate_ = {};
  std::optional<Wanted> wanted_ = {};
  KubeletPlaces places_ = {};
  bool joined_ = false;
  std::vector<std::string> errors_ = {};  // to be reported
  bool whole_ = false;                    // nothing of what is wanted failed
  std::stop_token stop_ = {};

  // From round to round; a new process finds out anew.
  std::string node_name_ = {};
  std::optional<OwnNode> node_ = {};
  std::optional<Offer> offer_ = {};
  std::string running_version_ = {};
  std::string refused_certificate_ = {};          // the API server does not take it any more
  std::string refused_config_ = {};               // why the one that is offered is not taken up
  std::string refused_checksum_ = {};             // of that one; empty where its text has another
  std::optional<SteadyTime> missing_since_ = {};  // a download that a unit waits for has failed since
};

}  // namespace capstan::agent
