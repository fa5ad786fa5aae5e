// Clearance: leave to delete one object, or to empty one Node. removal.h, which sends every DELETE and every
// eviction of controllers/, asks for one, and only this file makes them: who deletes has asked whose the
// object is. What caches show is enough where nothing else claims the object, for every deletion is bound to
// the uid that was asked about; where a cache shows a second claimant, or is not complete, the server is
// asked. Blocks as the client does; safe from any thread.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "controllers/claims/claims.h"
#include "kube/client.h"

namespace capstan::controllers::claims {

class Clearance {
 public:
  const api::Uid& object() const { return object_; }

  // For what that owner made: the object has an owner reference of its uid. Conflict otherwise.
  static Result<Clearance> of_child(const api::ObjectMeta& child, const api::Uid& owner);
  // The same for a Cluster, which stays the same under another uid: a restore gives it one.
  static Result<Clearance> of_child_of_cluster(const api::ObjectMeta& child, const api::ObjectMeta& cluster);
  // For what nothing owns and whose spec.clusterName is that Cluster. Conflict otherwise.
  static Result<Clearance> of_unowned(const api::ObjectMeta& object, std::string_view cluster_name,
                                      const api::ObjectMeta& cluster);
  // For an object that the very turn has created.
  static Clearance of_own_creation(const api::Uid& made) { return Clearance(made); }

 private:
  friend struct Clearing;
  explicit Clearance(api::Uid object) : object_(std::move(object)) {}
  api::Uid object_;
};

// Nothing: it is another's, or contested; `why_not` says whose.
struct Answer {
  std::optional<Clearance> clearance = {};
  std::string why_not = {};
};

struct Server {
  const Caches& caches;
  kube::Client& client;  // of the management cluster
  const Deadline& deadline;
};

// For the Node of an instance; `instance.node` is not null. Asks nothing where there is one claimant. An
// error when it could not be found out whose the Node is.
Result<Answer> clear_node(const Server& with, runtime::ExternalRefs& externals, const Instance& instance,
                          const Asking& asking);

// Who refers to the object of a provider that is to be deleted.
struct Referrer {
  std::string_view kind = {};  // Cluster, Machine or MachinePool
  const api::ObjectMeta& metadata;
};
// For the infrastructure, bootstrap or control plane object that a spec names. Of several that refer to it
// the one that controls it has it, else the first in the list of its owners. Conflict when that is another
// one.
Result<Clearance> clear_referred(const Server& with, const kube::Resource& resource,
                                 const api::ObjectMeta& object, const Referrer& referrer);

}  // namespace capstan::controllers::claims
