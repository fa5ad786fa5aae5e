// What the search for orphans costs a fleet of 10,000 VMs that has none: whose each listed VM is, against
// decoding the list it came in, and both as a share of the period.
#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <boost/json.hpp>
#include <stdexcept>

#include "api/driver/names.h"
#include "infrastructure/controller/orphans/owners.h"
#include "infrastructure/controller/orphans/settings.h"
#include "test/bench/figure.h"

namespace capstan::bench {
namespace {

namespace json = boost::json;
namespace tag = api::driver::tag;
using namespace infrastructure;

constexpr int kVms = 10000;
constexpr int kRounds = 10;

std::string id_of(int number) { return fmt::format("aws:///eu-central-1a/i-{:017x}", number); }
std::string key_of_vm(int number) { return fmt::format("0b5f7a52-1f0f-4c44-9d5c-{:012x}", number); }
std::string name_of_vm(int number) { return fmt::format("prod-workers-7f9bk-{:05}", number); }

// As a driver in another process sends it.
std::string list_text() {
  json::array vms;
  for (int i = 0; i < kVms; ++i) {
    vms.push_back({{"providerID", id_of(i)},
                   {"name", name_of_vm(i)},
                   {"state", "Running"},
                   {"tags",
                    {{tag::kClusterKey, "ck"},
                     {tag::kCluster, "prod"},
                     {tag::kNamespace, "default"},
                     {tag::kName, name_of_vm(i)},
                     {tag::kInstanceKey, key_of_vm(i)}}},
                   {"addresses", {{{"type", "InternalIP"}, {"address", "10.0.0.1"}}}}});
  }
  return json::serialize(vms);
}

Vm vm_of(const json::object& object) {
  Vm vm{.provider_id = json::value_to<std::string>(object.at("providerID")),
        .name = json::value_to<std::string>(object.at("name")),
        .state = VmState::Running};
  for (const auto& each : object.at("tags").as_object())
    vm.tags.emplace(each.key(), json::value_to<std::string>(each.value()));
  for (const auto& each : object.at("addresses").as_array())
    vm.addresses.push_back({.type = Text(std::string_view(each.at("type").as_string())),
                            .address = Text(std::string_view(each.at("address").as_string()))});
  return vm;
}

std::vector<Vm> decoded(const std::string& text) {
  const json::value list = json::parse(text);
  std::vector<Vm> vms;
  for (const auto& each : list.as_array()) vms.push_back(vm_of(each.as_object()));
  return vms;
}

void fill(Caches& caches) {
  api::DriverCluster cluster;
  cluster.metadata.name = "prod"_text;
  cluster.metadata.namespace_ = "default"_text;
  cluster.metadata.resource_version = api::ResourceVersion::parse("1").value();
  cluster.spec.cluster_key = "ck"_text;
  caches.driver_clusters.apply(std::move(cluster));
  for (int i = 0; i < kVms; ++i) {
    api::DriverMachine machine;
    machine.metadata.name = Text(name_of_vm(i));
    machine.metadata.namespace_ = "default"_text;
    machine.metadata.resource_version = api::ResourceVersion::parse("1").value();
    machine.spec.instance_key = Text(key_of_vm(i));
    machine.spec.provider_id = Text(id_of(i));
    caches.driver_machines.apply(std::move(machine));
  }
}

double cpu_ms() {
  timespec spent{};
  if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &spent) != 0)
    throw std::runtime_error("the kernel tells no CPU time of a thread");
  return static_cast<double>(spent.tv_sec) * 1e3 + static_cast<double>(spent.tv_nsec) / 1e6;
}

std::size_t orphans_among(const std::vector<Vm>& vms, const Caches& caches) {
  const Owners owners = owners_in(caches);
  std::size_t found = 0;
  for (const Vm& vm : vms) found += classify(vm, owners, {}).has_value() ? 1 : 0;
  return found;
}

}  // namespace

// The least of several rounds each, by turns, so that a busy machine slows both alike.
Values orphan_costs(const Place&) {
  const std::string text = list_text();
  Caches caches;
  fill(caches);
  double decode = 1e9;
  double classification = 1e9;
  for (int round = 0; round < kRounds; ++round) {
    const double begun = cpu_ms();
    const std::vector<Vm> vms = decoded(text);
    const double listed = cpu_ms();
    if (orphans_among(vms, caches) != 0) throw std::runtime_error("a VM that has its object is an orphan");
    decode = std::min(decode, listed - begun);
    classification = std::min(classification, cpu_ms() - listed);
  }
  const double period_ms = static_cast<double>(OrphanSettings().period.count()) * 1e3;
  return {{"orphans.scan_ratio", classification / decode},
          {"orphans.cpu_percent", (decode + classification) / period_ms * 100}};
}

}  // namespace capstan::bench
