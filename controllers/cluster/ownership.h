// Whose a provider's object is when several Clusters name it, and how a Cluster marks what is its own: a
// label with its name, and an owner reference that leaves the controller's place to other tools, unless a
// topology controls everything. Pure.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "api/v1beta2/cluster.h"
#include "runtime/snapshot.h"

namespace capstan::controllers::cluster {

// Clusters are told apart by their names, for after a restore they have other UIDs.
struct Claim {
  bool ours = false;        // an owner reference says so
  std::string other = {};   // the Cluster it belongs to instead
  bool other_owns = false;  // by an owner reference; false: it names the object, too, and comes first
  // Clusters that come first among the owners and are in no cache: before anything is done with the object
  // the API server is asked whether they are gone.
  std::vector<std::string> unseen = {};

  // Nothing stands against it but Clusters that must be asked for.
  bool is_free() const { return !ours && other.empty(); }
  bool operator==(const Claim&) const = default;
};

// `rivals` name the object as well. While no Cluster owns it, it belongs to the one it is labelled with, else
// to the oldest; and a Cluster that goes takes nothing along that another one names.
Claim claim_on(const api::ObjectMeta& object, const api::Cluster& cluster,
               const std::function<bool(std::string_view name)>& cluster_exists,
               const std::vector<runtime::Snapshot<api::Cluster>>& rivals);

// `object` with the marks of this Cluster.
api::ObjectMeta marked_ours(const api::Cluster& cluster, api::ObjectMeta object);

}  // namespace capstan::controllers::cluster
