// The seam to a cloud: eight blocking verbs. What stands behind it (a simulated cloud, a process in another
// language) knows VMs and nothing of Kubernetes; what stands before it knows no cloud. A driver is safe from
// any thread, gives up at the deadline and keeps one promise: create() with an instance key that some VM
// carries answers that VM and makes no second one.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/deadline.h"
#include "base/secret.h"
#include "infrastructure/codes.h"
#include "infrastructure/vm.h"

namespace capstan::infrastructure {

// From the Secret that an object's credentialsRef names; empty when it names none.
struct Credentials {
  std::map<std::string, Secret<std::string>, std::less<>> values = {};
};

struct CreateVm {
  std::string instance_key = {};
  std::string name = {};
  Tags tags = {};
  std::string vm_class = {};
  std::string failure_domain = {};      // empty: the driver chooses
  std::string kubernetes_version = {};  // of the Node to be, for drivers that pick images by it
  std::string provider_spec = {};       // JSON, as the user wrote it; may be empty
  Secret<std::string> user_data = {};
  std::string user_data_format = {};  // "cloud-config", "ignition" or "script"
  std::string last_known_state = {};  // what the driver left with its last answer about this VM
};

struct InitializeVm {
  VmId id = {};
  std::string vm_class = {};
  std::string provider_spec = {};
};

struct Identity {
  std::string driver = {};   // "sim"
  std::string account = {};  // whose VMs these are
  std::string region = {};
};

class Driver {
 public:
  virtual ~Driver() = default;

  // Answers when the VM exists, not when it runs.
  virtual DriverResult<Vm> create(const CreateVm& wanted, const Credentials& credentials,
                                  const Deadline& deadline) = 0;
  // What a VM needs after it exists, as a second network interface; again and again until it succeeds.
  // Unimplemented: nothing. status() answers Uninitialized as long as it has to be called.
  virtual DriverResult<Vm> initialize(const InitializeVm& wanted, const Credentials& credentials,
                                      const Deadline& deadline) = 0;
  // Takes the VM and what came with it, never persistent volumes. Success when it is on its way out; NotFound
  // when there is none.
  virtual DriverResult<void> remove(const VmId& id, const Credentials& credentials,
                                    const Deadline& deadline) = 0;
  // The truth of this moment. OutOfRange: several VMs answer to that identity.
  virtual DriverResult<Vm> status(const VmId& id, const Credentials& credentials,
                                  const Deadline& deadline) = 0;
  // All VMs that carry these tags; may lag behind.
  virtual DriverResult<std::vector<Vm>> list(const Tags& tags, const Credentials& credentials,
                                             const Deadline& deadline) = 0;
  // Sets tags; an empty value takes one away.
  virtual DriverResult<void> tag(const VmId& id, const Tags& tags, const Credentials& credentials,
                                 const Deadline& deadline) = 0;
  // The cloud's names of those of these PersistentVolumes (JSON specs) that are its own.
  virtual DriverResult<std::vector<std::string>> volume_ids(std::span<const std::string> volume_specs,
                                                            const Deadline& deadline) = 0;
  virtual DriverResult<Identity> identity(const Credentials& credentials, const Deadline& deadline) = 0;
};

}  // namespace capstan::infrastructure
