// A VM as the controllers need it: there and set up, in as many calls of its driver as that takes. Block as
// the driver does; safe from any thread.
#pragma once

#include "infrastructure/driver.h"

namespace capstan::infrastructure {

// Makes the VM, or finds it under its instance key, and sets it up.
DriverResult<Vm> make_vm(Driver& driver, const CreateVm& wanted, const Credentials& credentials,
                         const Deadline& deadline);
// Asks for the VM, and sets it up when that is still to be done.
DriverResult<Vm> find_vm(Driver& driver, const InitializeVm& wanted, const Credentials& credentials,
                         const Deadline& deadline);

// The VM as it is, set up or not: what a status that is Uninitialized leaves out is in the list.
DriverResult<Vm> look_at_vm(Driver& driver, const VmId& id, const Credentials& credentials,
                            const Deadline& deadline);

}  // namespace capstan::infrastructure
