// The only place in controllers/ that sends a DELETE or an eviction, and only with a Clearance: test/lint
// fails for another one. Every deletion is bound to the uid that the Clearance is for. Blocks as the client
// does; safe from any thread.
#pragma once

#include "controllers/claims/clearance.h"
#include "runtime/consistency.h"

namespace capstan::controllers::claims {

// For the object with this key, a controller deletes.
struct Deleting {
  kube::Client& client;
  runtime::Consistency& consistency;
  const ObjectKey& key;
  const Deadline& deadline;
};
// Success also when it is gone already.
Result<void> remove(const Deleting& by, const runtime::Child& child, const Clearance& clearance,
                    kube::DeleteOptions options = {});

// What no cache of the consistency gate shows: Nodes, objects of kinds that are not watched. NotFound is an
// error.
struct Target {
  kube::Client& client;
  const kube::Resource& resource;
  const ObjectKey& key;
};
Result<void> remove(const Target& target, const Clearance& clearance, const Deadline& deadline);

// `of_node`: of the Node that the Pod runs on.
struct Evicted {
  kube::Client& client;
  const ObjectKey& pod;
  const kube::DeleteOptions& options;
};
// A server without the subresource, which has no budgets either, is asked to delete the Pod, as kubectl drain
// does.
Result<void> evict(const Evicted& evicted, const Clearance& of_node, const Deadline& deadline);
// Without grace, and whatever its budgets say: no kubelet is waited for. Of the uid the Pod was listed with.
Result<void> remove_by_force(kube::Client& client, const api::ObjectMeta& pod, const Clearance& of_node,
                             const Deadline& deadline);
// The VolumeAttachment `listed`, of the uid it was listed with.
Result<void> detach(kube::Client& client, const api::ObjectMeta& listed, const Clearance& of_node,
                    const Deadline& deadline);

}  // namespace capstan::controllers::claims
