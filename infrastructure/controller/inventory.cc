#include "infrastructure/controller/inventory.h"

#include <map>

#include "api/conditions/conditions.h"
#include "api/names.h"
#include "infrastructure/controller/secrets.h"

namespace capstan::infrastructure {
namespace {

constexpr Nanoseconds kListTimeout = std::chrono::minutes(1);

bool runs(const Vm& vm) { return vm.state == VmState::Pending || vm.state == VmState::Running; }

}  // namespace

void Inventory::start() {
  if (every_ <= Nanoseconds(0)) return;
  thread_ = deps_.threads.spawn("inventory", [this](const std::stop_token& stop) {
    while (deps_.threads.pause(Deadline::in(deps_.clock, every_, stop)) != Woken::Stopped) {
      look(Deadline::never(stop));
    }
  });
}

void Inventory::stop() {
  if (thread_) thread_->request_stop();
  thread_.reset();
}

void Inventory::look(const Deadline& deadline) {
  std::map<Account, std::vector<Snapshot<api::DriverMachine>>> accounts;
  for (const auto& machine : deps_.caches.driver_machines.all()) {
    if (machine->spec.provider_id.empty() || machine->metadata.deleting()) continue;
    if (!machine->status.initialization.provisioned.value_or(false)) continue;
    const auto& ref = machine->spec.credentials_ref;
    Account account{.driver = machine->spec.driver.str()};
    if (ref) {
      account.namespace_ = machine->metadata.namespace_.str();
      account.credentials = ref->name.str();
    }
    accounts[account].push_back(machine);
  }
  // Each gets the whole time: a driver that hangs is not to keep the others' VMs out of sight.
  for (const auto& [account, machines] : accounts)
    look_at(account, machines, deadline.no_later_than(deps_.clock.steady_now() + kListTimeout));
}

void Inventory::look_at(const Account& account, const std::vector<Snapshot<api::DriverMachine>>& machines,
                        const Deadline& deadline) {
  const auto credentials =
      read_credentials(deps_.client, account.namespace_, machines.front()->spec.credentials_ref, deadline);
  if (!credentials) return;  // the machines' own turns say so
  const auto listed = deps_.drivers.of(account.driver).list({}, *credentials, deadline);
  if (!listed) {
    deps_.log.info("cloud not listed", {{"error", listed.error().describe()}});
    return;
  }
  std::map<std::string_view, bool> running;  // by provider ID
  for (const Vm& vm : *listed) running.emplace(vm.provider_id, runs(vm));
  for (const auto& machine : machines) {
    const auto found = running.find(machine->spec.provider_id.view());
    const bool there = found != running.end() && found->second;
    if (there == api::conditions::is_true(machine->status.conditions, api::condition::kReady)) continue;
    const ObjectKey key = runtime::key_of(*machine);
    doubted_.with([&](auto& doubted) { doubted.insert(key); });
    if (wake_) wake_(key);
  }
}

bool Inventory::doubts(const ObjectKey& machine) const {
  return doubted_.with([&](const auto& doubted) { return doubted.contains(machine); });
}

void Inventory::settle(const ObjectKey& machine) {
  doubted_.with([&](auto& doubted) { doubted.erase(machine); });
}

}  // namespace capstan::infrastructure
