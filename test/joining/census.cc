#include "test/joining/census.h"

#include <array>
#include <string_view>

namespace capstan::joining {
namespace {

constexpr std::array<std::string_view, 37> kKnownActs = {"machine",
                                                         "VM",
                                                         "data as cloud-config",
                                                         "data as ignition",
                                                         "data as script",
                                                         "slow boot",
                                                         "deletion",
                                                         "pool",
                                                         "instance",
                                                         "resize",
                                                         "deletion of an instance",
                                                         "deletion of a pool",
                                                         "a day at rest",
                                                         "stolen token of a pool",
                                                         "certificate by a pool's token",
                                                         "change",
                                                         "restart by hand",
                                                         "reboot",
                                                         "long sleep",
                                                         "provider killed",
                                                         "stolen token",
                                                         "content without its checksum",
                                                         "a file of the agent's own",
                                                         "clock of a machine off",
                                                         "clock of a cluster off",
                                                         "certificate by token",
                                                         "certificate by the one before",
                                                         "certificate by the kubelet",
                                                         "fault unavailable",
                                                         "fault rate limited",
                                                         "fault slow",
                                                         "fault crash before",
                                                         "fault crash after",
                                                         "fault conflict",
                                                         "fault timeout",
                                                         "fault lost reply",
                                                         "fault late"};

}  // namespace

std::vector<std::string> acts_that_lack(const std::map<std::string, std::uint64_t>& acts) {
  std::vector<std::string> lacking;
  for (const std::string_view act : kKnownActs)
    if (!acts.contains(std::string(act))) lacking.push_back("no seed came to: " + std::string(act));
  return lacking;
}

}  // namespace capstan::joining
