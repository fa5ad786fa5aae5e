// What a turn of a DriverMachine is going to do, and why. Made by decide.h, carried out by act.h, shown by
// report.h. A plain value.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "api/meta/object_key.h"
#include "api/meta/object_meta.h"
#include "infrastructure/vm.h"
#include "runtime/paused.h"
#include "runtime/readiness.h"

namespace capstan::infrastructure::machine {

// Before the cloud is asked for a VM: the finalizer, without which the VM would outlive the object, the key
// by which the VM is found again and the account it will be in. Bound to the version that was seen.
struct SignOn {
  bool mint_key = false;  // a random one, made when it is written, and the account with it
  api::Finalizers from = {};
  api::Finalizers to = {};
  bool operator==(const SignOn&) const = default;
};
// The finalizer that was taken off. Bound to the version that was seen.
struct RestoreFinalizer {
  api::Finalizers from = {};
  api::Finalizers to = {};
  bool operator==(const RestoreFinalizer&) const = default;
};
// There is a VM under the key of the object, and its provider ID is in the spec. The tags of a VM that was
// found say whether it is this object's.
struct ProvideVm {
  bool look_first = false;  // one may be there already
  std::string held = {};    // why none is made if there is none; empty: one is made
  std::string name = {};
  Tags tags = {};
  std::string vm_class = {};
  std::string failure_domain = {};
  std::string kubernetes_version = {};
  std::string provider_spec = {};
  api::ObjectKey data_secret = {};
  bool operator==(const ProvideVm&) const = default;
};
// The cloud's list raised doubt: the cloud is asked about this one VM.
struct VerifyVm {
  VmId vm = {};
  bool operator==(const VerifyVm&) const = default;
};
// The VM is older than the account in the spec and the cluster's key among its tags: once the cloud has shown
// it, both are written down.
struct AdoptVm {
  VmId vm = {};
  std::string cluster_key = {};
  bool operator==(const AdoptVm&) const = default;
};
// There is no VM of this object any more.
struct RemoveVm {
  VmId vm = {};
  bool surely_ours = false;  // otherwise its tags decide: a copied object names the VM of the original
  bool operator==(const RemoveVm&) const = default;
};
struct DropFinalizer {
  bool operator==(const DropFinalizer&) const = default;
};

using Action = std::variant<SignOn, RestoreFinalizer, ProvideVm, VerifyVm, AdoptVm, RemoveVm, DropFinalizer>;

struct Plan {
  runtime::Paused paused = {};
  std::vector<Action> actions = {};  // one after the other; one that fails ends the turn
  std::optional<runtime::Waiting> waiting = {};
  std::optional<Seconds> recheck = {};
  bool operator==(const Plan&) const = default;
};

// One line per action.
std::string describe(const Plan& plan);

}  // namespace capstan::infrastructure::machine
