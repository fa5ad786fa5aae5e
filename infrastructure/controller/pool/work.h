// One turn's work on one DriverMachinePool: what both sorts of pools have in common. Private to act.cc,
// group.cc (VMs the group keeps itself) and members.cc (instances that are Machines); one thread.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "infrastructure/controller/pool/act.h"
#include "infrastructure/controller/secrets.h"
#include "kube/typed.h"

namespace capstan::infrastructure::pool {

class Work {
 public:
  Work(const ActDeps& deps, const runtime::Context& context, const Observation& seen, const Plan& plan)
      : deps_(deps), context_(context), seen_(seen), plan_(plan), object_(*seen.object) {}

  Effects done(void (Work::*step)());

  void size_group();
  void remove_group();
  void size_members();
  void remove_members();
  void release();

 private:
  // --- both sorts ---
  bool sign_on();
  bool write_list(const std::set<std::string>& ids, const std::vector<std::string>& gone);
  bool write(const api::DriverMachinePool& wanted, kube::Lock lock);
  bool tell_owner();
  std::optional<Credentials> read_credentials_or_say();
  std::optional<BootstrapData> read_data_or_say();
  bool unreadable(std::string_view why, const Error& error);
  void trouble(std::string_view why, std::string_view what, const DriverError& error,
               const Reaction& reaction);
  bool fail_with(const Error& error);
  const Deadline& deadline() const { return context_.deadline; }

  // --- VMs ---
  std::optional<std::vector<Vm>> find_vms(const Credentials& credentials);
  bool look_for(const std::vector<VmId>& ids, const Credentials& credentials, std::vector<Vm>& found);
  std::vector<VmId> all_keys() const;
  void remove_victims(std::vector<Vm>& victims, const Credentials& credentials, std::vector<Vm>& left);
  void make_missing(const std::vector<std::size_t>& places, const Credentials& credentials,
                    std::vector<Vm>& made);
  CreateVm request(std::size_t place, const BootstrapData& data) const;

  // --- DriverMachines ---
  void make_members(std::size_t missing);
  bool make_member(std::vector<std::string>& used);
  bool remove_member(const Member& member);
  bool remove_sick(const Member& member);  // whether it goes
  bool drop_mark(const api::Machine& machine);
  Result<bool> is_there(const Member& member, const api::OwnerReference& owner) const;

  const ActDeps& deps_;
  const runtime::Context& context_;
  const Observation& seen_;
  const Plan& plan_;
  api::DriverMachinePool object_;
  Effects effects_;
};

}  // namespace capstan::infrastructure::pool
