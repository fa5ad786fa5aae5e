// What the controllers of a simulated fleet write and watch: fault_census.h holds many seeds to it, so that a
// write that is never hit by some sort of fault, or no longer happens at all, fails a run. And what people do
// to it, which has to happen as well. Tables, no code.
#pragma once

#include <array>
#include <string_view>

namespace capstan::simulation {

struct KnownWrite {
  std::string_view controller = {};
  std::string_view write = {};
};
inline constexpr std::array kKnownWrites = {
    KnownWrite{"cloudconfig", "create Secret"},
    KnownWrite{"cloudconfig", "patch CloudConfig/status"},
    KnownWrite{"cluster", "create Secret"},
    KnownWrite{"cluster", "patch Cluster"},
    KnownWrite{"cluster", "patch Cluster/status"},
    KnownWrite{"cluster", "patch DriverCluster"},
    KnownWrite{"cluster", "remove DriverCluster"},
    KnownWrite{"cluster", "remove Machine"},
    KnownWrite{"cluster", "remove MachineDeployment"},
    KnownWrite{"drivercluster", "create Secret"},
    KnownWrite{"drivercluster", "patch DriverCluster"},
    KnownWrite{"drivercluster", "patch DriverCluster/status"},
    KnownWrite{"drivermachine", "patch DriverMachine"},
    KnownWrite{"drivermachine", "patch DriverMachine/status"},
    KnownWrite{"drivermachinepool", "create DriverMachine"},
    KnownWrite{"drivermachinepool", "patch DriverMachinePool"},
    KnownWrite{"drivermachinepool", "patch DriverMachinePool/status"},
    KnownWrite{"events", "create Event"},
    KnownWrite{"fleetpolicy", "patch FleetPolicy/status"},
    KnownWrite{"fleetpolicy", "patch Machine"},
    KnownWrite{"machine", "evict Pod"},
    KnownWrite{"machine", "patch CloudConfig"},
    KnownWrite{"machine", "patch DriverMachine"},
    KnownWrite{"machine", "patch Machine"},
    KnownWrite{"machine", "patch Machine/status"},
    KnownWrite{"machine", "patch Node"},
    KnownWrite{"machine", "remove CloudConfig"},
    KnownWrite{"machine", "remove DriverMachine"},
    KnownWrite{"machine", "remove Node"},
    KnownWrite{"machinedeployment", "apply MachineSet"},
    KnownWrite{"machinedeployment", "patch CloudConfigTemplate"},
    KnownWrite{"machinedeployment", "patch DriverMachineTemplate"},
    KnownWrite{"machinedeployment", "patch MachineDeployment"},
    KnownWrite{"machinedeployment", "patch MachineDeployment/status"},
    KnownWrite{"machinedeployment", "remove MachineSet"},
    KnownWrite{"machinehealthcheck", "patch Machine/status"},
    KnownWrite{"machinehealthcheck", "patch MachineHealthCheck"},
    KnownWrite{"machinehealthcheck", "patch MachineHealthCheck/status"},
    KnownWrite{"machinepool", "apply Machine"},
    KnownWrite{"machinepool", "patch MachinePool"},
    KnownWrite{"machinepool", "patch MachinePool/status"},
    KnownWrite{"machinepool", "remove DriverMachinePool"},
    KnownWrite{"machineset", "apply CloudConfig"},
    KnownWrite{"machineset", "apply DriverMachine"},
    KnownWrite{"machineset", "apply Machine"},
    KnownWrite{"machineset", "patch Machine"},
    KnownWrite{"machineset", "patch MachineSet"},
    KnownWrite{"machineset", "patch MachineSet/status"},
    KnownWrite{"machineset", "remove Machine"},
};

// Writes of these controllers that this fleet never brings about.
struct ImpossibleWrite {
  std::string_view controller = {};
  std::string_view write = {};
  std::string_view reason = {};
};
inline constexpr std::array kImpossibleWrites = {
    ImpossibleWrite{"machinedeployment", "remove Machine", "a MachineSet alone deletes its Machines"},
};

inline constexpr std::array<std::string_view, 17> kWatchedKinds = {"CloudConfig",
                                                                   "CloudConfigTemplate",
                                                                   "Cluster",
                                                                   "CustomResourceDefinition",
                                                                   "DriverCluster",
                                                                   "DriverMachine",
                                                                   "DriverMachinePool",
                                                                   "DriverMachineTemplate",
                                                                   "FleetPolicy",
                                                                   "Machine",
                                                                   "MachineDeployment",
                                                                   "MachineDrainRule",
                                                                   "MachineHealthCheck",
                                                                   "MachineLifecyclePolicy",
                                                                   "MachinePool",
                                                                   "MachineSet",
                                                                   "Node"};

// What people, the cloud and mishaps do to a fleet, and what came of it.
inline constexpr std::array<std::string_view, 66> kKnownActs = {"Node after the list",
                                                                "Node before the list",
                                                                "ask for replacement",
                                                                "autoscale",
                                                                "autoscale pool",
                                                                "autoscaler sizes pool",
                                                                "both scale",
                                                                "both scale pool",
                                                                "brakes",
                                                                "close budget",
                                                                "confirm",
                                                                "create",
                                                                "create draining pool",
                                                                "create pool",
                                                                "create pool of Machines",
                                                                "delete",
                                                                "delete by force",
                                                                "delete machine",
                                                                "driver answers an unknown code",
                                                                "driver answers for another VM",
                                                                "driver answers garbage",
                                                                "driver ends after it",
                                                                "driver goes away",
                                                                "driver hangs",
                                                                "driver hangs after it",
                                                                "drop pool",
                                                                "empty list",
                                                                "fill cloud",
                                                                "find API",
                                                                "force",
                                                                "freeze",
                                                                "freeze MachinePool",
                                                                "freeze MachineSet",
                                                                "govern",
                                                                "instance replaced under its name",
                                                                "kill manager",
                                                                "kill provider",
                                                                "leave VM",
                                                                "list first",
                                                                "lose API",
                                                                "lose VM",
                                                                "lose cluster",
                                                                "lose cluster for an hour",
                                                                "lose kubeconfig for an hour",
                                                                "make room",
                                                                "mark",
                                                                "name victim",
                                                                "no room for a Machine's",
                                                                "no room for a pool's",
                                                                "nodes first",
                                                                "pause",
                                                                "pause cluster",
                                                                "preserve",
                                                                "replace",
                                                                "replace instance",
                                                                "roll",
                                                                "roll back",
                                                                "scale",
                                                                "scale pool",
                                                                "silence",
                                                                "silence over",
                                                                "strategy",
                                                                "stutter",
                                                                "take pool back",
                                                                "thaw",
                                                                "two lead"};

}  // namespace capstan::simulation
