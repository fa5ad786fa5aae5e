// Whose a listed VM is: the one question before a VM is called an orphan. A VM is a cluster's only by the key
// that its DriverCluster minted, and an object's by the instance key that was written down before the VM was
// asked for: names are shared by management clusters in one account, keys are not. Pure.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "api/meta/object_key.h"
#include "base/time.h"
#include "infrastructure/vm.h"

namespace capstan::infrastructure {

enum class Standing {
  Foreign,    // of no cluster that is known here
  Owned,      // an object names it, or is about to
  BeingMade,  // its Machine or pool is there, by name
  Orphan,     // nothing here knows it
  Second,     // its instance key is an object's, which names another VM
};

using ProviderIds = std::set<std::string, std::less<>>;

// All that may be the owner of a VM, by what VMs carry. Made by owners.h.
struct Owners {
  // DriverClusters by their key. One whose key another DriverCluster has, too, is left out.
  std::map<std::string, api::ObjectKey, std::less<>> clusters = {};
  // The VM that the object of an instance key names; empty: it is about to be made.
  std::map<std::string, std::string, std::less<>> by_key = {};
  ProviderIds vms = {};                            // that objects name
  std::set<std::string, std::less<>> groups = {};  // keys of pools
  std::set<api::ObjectKey> names = {};             // of Machines, pools and their objects
};

// One VM that is looked after, and what is known of it.
struct Finding {
  Standing standing = Standing::Orphan;
  std::string provider_id = {};
  std::string name = {};
  std::string instance_key = {};
  api::ObjectKey object = {};      // what its tags call it
  std::string pool = {};           // of the group it was made for, if so
  std::string named_instead = {};  // by the object whose instance key it carries
  api::ObjectKey cluster = {};     // its DriverCluster
  std::optional<Time> since = {};  // of its mark, which an earlier turn has set as a tag
  bool confirmed = false;          // marked, and an orphan in the complete list before this one
  std::string kept = {};           // why a live look kept it since then
  std::string driver = {};         // the name under which the provider knows the driver that showed it
  std::string account = {};
  std::string credentials = {};            // the Secret that showed it; empty: none is needed
  std::string credentials_namespace = {};  // and where that is
  bool operator==(const Finding&) const = default;
};

// The VMs of a DriverCluster that the last look found, by when they were marked.
struct FoundOrphans {
  std::vector<Finding> findings = {};
  std::size_t deleted = 0;  // since that look
  bool operator==(const FoundOrphans&) const = default;
};

// A pool names its VMs, and only they say which place of it is whose: taken from a complete list.
void add_members(const std::vector<Vm>& listed, Owners& owners);
Standing standing_of(const Vm& vm, const Owners& owners);
// `marks`: the orphans of the complete list before this one. Nothing: there is nothing to do about it. An
// owned VM with a mark is found, too: the mark has to go.
std::optional<Finding> classify(const Vm& vm, const Owners& owners, const ProviderIds& marks);

bool is_suspect(Standing standing);
// The object of the instance key that it carries, by what its tags say.
std::string owner_of_key(const Finding& vm);

}  // namespace capstan::infrastructure
