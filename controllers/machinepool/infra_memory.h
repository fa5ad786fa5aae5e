// What was read of a pool's infrastructure object, as long as that object does not change: a list of
// thousands need not be parsed for every Node that turns Ready. Safe from any thread; losing it costs time
// only.
#pragma once

#include <unordered_map>

#include "base/guarded.h"
#include "controllers/machinepool/providers.h"
#include "kube/resource.h"

namespace capstan::controllers::machinepool {

class InfraMemory {
 public:
  // read_infra(), or what it answered last about this very object.
  InfraFinding read(const ExternalSeen& infra, const api::MachinePool& pool);
  void forget(const kube::ObjectKey& pool);

 private:
  struct Known {
    Snapshot<api::contract::ContractObject> object = {};
    api::contract::ContractVersion contract = {};
    std::string right_of = {};
    api::Uid pool = {};
    Text cluster = {};
    InfraFinding finding = {};
  };
  Guarded<std::unordered_map<kube::ObjectKey, Known>> known_;
};

}  // namespace capstan::controllers::machinepool
