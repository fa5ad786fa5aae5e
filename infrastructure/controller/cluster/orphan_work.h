// What is done to one VM that seems to be no object's. Each part of the proof is looked at once more before a
// deletion, live: caches and lists lag. Private to act.cc; one thread.
#pragma once

#include <optional>
#include <string>

#include "infrastructure/controller/cluster/effects.h"
#include "infrastructure/controller/cluster/observation.h"
#include "infrastructure/controller/turn.h"

namespace capstan::infrastructure::cluster {

class OrphanWork {
 public:
  OrphanWork(const ActContext& with, const Observation& seen, Effects& effects)
      : with_(with), seen_(seen), effects_(effects) {}

  void mark(const Finding& vm);
  void unmark(const Finding& vm);
  void remove(const Finding& vm);

 private:
  // Why the VM is kept, if so.
  using Reason = std::optional<std::string>;

  void keep(const Finding& vm, const std::string& why);
  Reason reason_to_keep(const Finding& vm, const Credentials& credentials);
  bool has_place(const Finding& vm);
  Reason cluster_says();
  Reason policy_says(const api::Cluster& cluster);
  Reason objects_say(const Finding& vm);
  Reason owner_of_first_says(const Finding& vm, const Credentials& credentials);
  bool names_the_first(const Finding& vm);
  Reason cloud_says(const Finding& vm, const Credentials& credentials);
  bool carries_the_keys_of(const Finding& vm, const Vm& live) const;
  template <typename T>
  Reason unless_absent(const ObjectKey& key);

  std::optional<Credentials> credentials_for(const Finding& vm);
  bool set_tag(const Finding& vm, const std::string& value);
  Driver& driver_of(const Finding& vm) const { return with_.deps.drivers.of(vm.driver); }
  ObjectKey key() const { return runtime::key_of(*seen_.object); }
  const Deadline& deadline() const { return with_.context.deadline; }

  const ActContext& with_;
  const Observation& seen_;
  Effects& effects_;
  std::optional<OrphanSettings> limits_;  // the FleetPolicy has some at this moment
};

}  // namespace capstan::infrastructure::cluster
