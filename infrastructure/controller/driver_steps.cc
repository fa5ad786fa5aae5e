#include "infrastructure/controller/driver_steps.h"

#include <algorithm>

#include "api/driver/names.h"
#include "infrastructure/controller/user_data.h"

namespace capstan::infrastructure {
namespace {

namespace tag = api::driver::tag;

bool still_to_set_up(const DriverResult<Vm>& vm) {
  return !vm && vm.error().code == DriverCode::Uninitialized;
}

// `before`: what is known of the VM so far. It stays when the driver has nothing to do for a VM that exists.
DriverResult<Vm> set_up(Driver& driver, const InitializeVm& wanted, DriverResult<Vm> before,
                        const Credentials& credentials, const Deadline& deadline) {
  auto ready = driver.initialize(wanted, credentials, deadline);
  if (!ready && ready.error().code == DriverCode::Unimplemented) return before;
  return ready;
}

bool is(const Vm& vm, const VmId& id) {
  if (!id.provider_id.empty()) return vm.provider_id == id.provider_id;
  return tag_of(vm, tag::kInstanceKey) == id.instance_key;
}

}  // namespace

DriverResult<Vm> make_vm(Driver& driver, const CreateVm& wanted, const Credentials& credentials,
                         const Deadline& deadline) {
  auto user_data = user_data_of(wanted.name, wanted.user_data);
  if (!user_data) return std::unexpected(user_data.error());
  CreateVm filled = wanted;
  filled.user_data = std::move(*user_data);
  auto made = driver.create(filled, credentials, deadline);
  if (!made && !still_to_set_up(made)) return made;
  VmId id{.instance_key = wanted.instance_key,
          .last_known_state = made ? made->last_known_state : made.error().last_known_state};
  if (made) id.provider_id = made->provider_id;
  const InitializeVm rest{
      .id = std::move(id), .vm_class = wanted.vm_class, .provider_spec = wanted.provider_spec};
  return set_up(driver, rest, std::move(made), credentials, deadline);
}

DriverResult<Vm> find_vm(Driver& driver, const InitializeVm& wanted, const Credentials& credentials,
                         const Deadline& deadline) {
  auto found = driver.status(wanted.id, credentials, deadline);
  if (!still_to_set_up(found)) return found;
  return set_up(driver, wanted, std::move(found), credentials, deadline);
}

DriverResult<Vm> look_at_vm(Driver& driver, const VmId& id, const Credentials& credentials,
                            const Deadline& deadline) {
  auto found = driver.status(id, credentials, deadline);
  if (!still_to_set_up(found)) return found;
  auto listed = driver.list({}, credentials, deadline);
  if (!listed) return std::unexpected(listed.error());
  const auto vm = std::ranges::find_if(*listed, [&](const Vm& each) { return is(each, id); });
  if (vm == listed->end()) return found;
  return std::move(*vm);
}

}  // namespace capstan::infrastructure
