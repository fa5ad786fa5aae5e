// One turn's work on one DriverMachine. Private to act.cc (writes to the object), accounting.cc (the account
// its VM is in), provision.cc (a VM is found, made or asked about) and removal.cc; one thread.
#pragma once

#include <optional>

#include "infrastructure/controller/machine/act.h"
#include "infrastructure/controller/turn_steps.h"

namespace capstan::infrastructure::machine {

class Work {
 public:
  Work(const ActContext& with, const Observation& seen) : with_(with), object_(*seen.object) {}
  Effects run(const Plan& plan);

 private:
  // True: the next action may follow.
  bool perform(const SignOn& action);
  bool perform(const RestoreFinalizer& action);
  bool perform(const ProvideVm& action);
  bool perform(const VerifyVm& action);
  bool perform(const AdoptVm& action);
  bool perform(const RemoveVm& action);
  bool perform(const DropFinalizer& action);

  bool find_or_make(const ProvideVm& action, const Credentials& credentials);
  bool look_for(const VmId& vm, const Credentials& credentials);
  bool make(const ProvideVm& action, const Credentials& credentials);
  CreateVm request_for(const ProvideVm& action, BootstrapData data) const;
  bool is_ours(const Vm& vm);
  bool write_provider_id();
  bool tag_with(const std::string& cluster_key, const Credentials& credentials);

  bool settle_account(Text& account);
  bool believes_absence(const VmId& vm, const Credentials& credentials);
  bool is_right_account(const Credentials& credentials);
  bool is_given_up(const Credentials& credentials);
  bool is_absent(const VmId& vm, const Credentials& credentials);
  api::NoteCode undone() const;

  bool remove(const VmId& vm, const Credentials& credentials);
  std::optional<bool> belongs_to_another(const VmId& vm, const Credentials& credentials);

  VmId identity() const;
  bool carries_our_name(const Vm& vm) const;
  const Credentials* find_credentials();
  bool write(const api::DriverMachine& wanted, kube::Lock lock);
  void keep_state_of(const DriverError& error);
  bool fail_with(Trouble trouble);
  bool fail_with(const Error& error);
  Driver& driver() const { return with_.deps.drivers.of(object_.spec.driver); }
  const Deadline& deadline() const { return with_.context.deadline; }

  const ActContext& with_;
  api::DriverMachine object_;
  std::optional<Credentials> credentials_;  // once they were read
  Effects effects_;
};

}  // namespace capstan::infrastructure::machine
