// What stands before a workload cluster's API server in the simulation: it knows who asks by bootstrap token
// or certificate, and lets each do what the cluster's own token Secrets, Roles and RoleBindings allow. A
// request for a certificate carries the requester's name afterwards. Lives outside of processes that crash;
// used by one simulated thread at a time.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/api.h"
#include "base/instant.h"
#include "kube/connection.h"
#include "test/fakes/relay_client.h"

namespace capstan::joining {

class Gate {
 public:
  // Told of each Secret that was given, with the machine whose disk holds the credentials.
  using OnSecret = std::function<void(const std::string& machine, const std::string& secret)>;

  Gate(apiserver::Api& api, kube::Client& server, OnSecret on_secret);
  ~Gate();
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;

  // A client with the credentials of that connection; it lives as long as the gate.
  kube::Client& open(const std::string& machine, const kube::Connection& shown);
  // The clock of the cluster is so far ahead of the others.
  void set_clock_off(Nanoseconds off) { clock_off_ = off; }
  WallTime now() const;
  // Whether a kubelet that shows it is let in.
  bool takes_token(std::string_view text) const;

 private:
  class Entrance;

  bool may_read(const std::vector<std::string>& groups, const std::string& secret) const;

  apiserver::Api& api_;
  kube::Client& server_;
  OnSecret on_secret_;
  Nanoseconds clock_off_ = {};
  std::vector<std::unique_ptr<Entrance>> entrances_;
};

}  // namespace capstan::joining
