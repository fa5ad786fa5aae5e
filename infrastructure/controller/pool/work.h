// One turn's work on one DriverMachinePool. Private to act.cc (writes to the object and its owner), group.cc
// (VMs that the group keeps itself), accounting.cc (the account they are in), group_calls.cc (what the cloud
// is asked for them) and members.cc (instances that are Machines); one thread.
#pragma once

#include <set>
#include <span>
#include <string>
#include <vector>

#include "infrastructure/controller/pool/act.h"
#include "infrastructure/controller/pool/driver_states.h"
#include "infrastructure/controller/turn_steps.h"

namespace capstan::infrastructure::pool {

class Work {
 public:
  Work(const ActContext& with, const Observation& seen)
      : with_(with), seen_(seen), object_(*seen.object), states_(seen.object->status) {}
  Effects run(const Plan& plan);

 private:
  // True: the next action may follow.
  bool perform(const SignOn& action);
  bool perform(const SetReplicas& action);
  bool perform(const SizeGroup& action);
  bool perform(const RemoveGroup& action);
  bool perform(const RemoveMember& action);
  bool perform(const ReplaceMember& action);
  bool perform(const CreateMember& action);
  bool perform(const WriteList& action);
  bool perform(const DropMark& action);
  bool perform(const DropFinalizer& action);

  // --- both sorts ---
  bool write_list(const std::set<std::string>& ids, const std::vector<std::string>& victims_gone);
  bool write(const api::DriverMachinePool& wanted, kube::Lock lock);
  bool fail_with(Trouble trouble);
  bool fail_with(const Error& error);
  Driver& driver() const { return with_.deps.drivers.of(object_.spec.driver); }
  const Deadline& deadline() const { return with_.context.deadline; }

  // --- VMs ---
  std::optional<Credentials> find_credentials();
  bool settle_account(Text& account);
  bool is_right_account(const Credentials& credentials);
  bool is_given_up(const Credentials& credentials);
  void adopt_account(const Credentials& credentials);
  std::optional<std::vector<Vm>> find_vms(const Credentials& credentials);
  bool list_vms(const Credentials& credentials, std::vector<Vm>& there, std::vector<VmId>& unsure);
  bool refuse_anothers(const Vm& vm);
  bool find_hidden(const Credentials& credentials, std::vector<Vm>& found);
  bool look_for(const std::vector<VmId>& ids, const Credentials& credentials, std::vector<Vm>& found);
  std::vector<VmId> all_keys() const;
  void forget_states_but(const std::vector<std::size_t>& missing, const std::vector<Vm>& victims);
  void remove_victims(std::vector<Vm>& victims, const Credentials& credentials, std::vector<Vm>& left);
  void make_missing(const std::vector<std::size_t>& places, const Credentials& credentials,
                    std::vector<Vm>& made);
  bool make_some(std::span<const std::size_t> places, const BootstrapData& data,
                 const Credentials& credentials, std::vector<Vm>& made);
  CreateVm request_for(std::size_t place, const BootstrapData& data) const;

  // --- DriverMachines ---
  bool remove_machine(const Text& name, const api::Uid& uid);
  bool remove_unowned(const api::DriverMachine& object);
  bool remove_object(const api::DriverMachine& object);
  Result<bool> is_there(const Member& member, const api::OwnerReference& machine) const;
  api::DriverMachine new_member(const std::string& failure_domain) const;

  const ActContext& with_;
  const Observation& seen_;
  api::DriverMachinePool object_;
  DriverStates states_;
  Text account_ = {};  // found out for a group of before accounts were written down
  Effects effects_;
};

}  // namespace capstan::infrastructure::pool
