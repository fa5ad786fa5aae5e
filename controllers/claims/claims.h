// Whose an instance is: which Machines and MachinePools of a Cluster claim a providerID and its Node, and
// which one of them may touch that Node. Asked before a Node is annotated, drained or deleted. Reads caches
// and never blocks; where an instance has one claimant, as ordinary, asking is a few index look-ups. The
// verdict is a pure function.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "api/core/node.h"
#include "controllers/claims/verdict.h"
#include "controllers/shared/caches.h"
#include "runtime/external_refs.h"

namespace capstan::controllers::claims {

// What is claimed.
struct Instance {
  ObjectKey cluster = {};
  std::string_view provider_id = {};
  const api::Node* node = nullptr;  // null: there is none
};

// What the infrastructure object of a claimant says.
enum class Source {
  Controlled,  // the claimant controls it, and it names the instance
  Unknown,     // it can't be read
  Silent,      // it names another instance or none, or has no controller yet
  Gone,        // it does not exist, or a pool's does not list the instance any more: the claim has ended
  Foreign,     // something else controls it: no claim at all
};

// A pool and the Machines it controls are one claimant.
struct Claim {
  std::string_view kind = {};
  Text name = {};
  api::Uid uid = {};
  bool has_node_ref = false;  // its status names this very Node
  Source source = Source::Silent;
};

// A nodeRef that one claimant alone has decides, else the infrastructure object that one claimant alone
// controls. A claim that has ended gives way to one that has not. `mine` is one of the claimants.
Verdict whose_instance(std::string_view provider_id, const std::vector<Claim>& claims, const api::Uid& mine);

// The Machine or the MachinePool that asks: its claim counts although no cache may show it yet.
struct Asking {
  const api::Machine* machine = nullptr;
  const api::MachinePool* pool = nullptr;
};

// How an infrastructure object is read: as runtime::ExternalRefs::get().
using ReadObject =
    std::function<Result<runtime::External>(const api::ContractRef& ref, std::string_view namespace_)>;

// Every claim on the instance.
std::vector<Claim> claims_on(const Caches& caches, const ReadObject& read, const Instance& instance,
                             const Asking& asking);

// Claimants as the caches have them.
struct Claimants {
  std::vector<Snapshot<api::Machine>> machines = {};
  std::vector<Snapshot<api::MachinePool>> pools = {};
  bool none() const { return machines.empty() && pools.empty(); }
};
// Those other than the asking one.
Claimants rivals_on(const Caches& caches, const Instance& instance, const Asking& asking);

// What keeps the Node from the asking one: it says that it is another Machine's, which can't be read, so that
// no cache has its claim. Empty: nothing does.
std::string kept_by_unreadable(const Caches& caches, const Instance& instance, const Asking& asking);

// By the caches alone. `infra`: the infrastructure object of the asking one, null when there is none in the
// cache.
Verdict whose(const Caches& caches, runtime::ExternalRefs& externals, const Instance& instance,
              const Asking& asking, const api::contract::ContractObject* infra);

// The uid under which a Machine claims: its pool's, where it has one.
api::Uid claimant_of(const Caches& caches, const api::Machine& machine);

}  // namespace capstan::controllers::claims
