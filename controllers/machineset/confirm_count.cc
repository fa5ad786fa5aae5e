#include "controllers/machineset/confirm_count.h"

#include <fmt/format.h>

#include <boost/json.hpp>
#include <unordered_set>

#include "api/contract/contract_object.h"
#include "api/meta/label_selector.h"
#include "base/safeguards.h"
#include "base/try.h"
#include "kube/typed.h"
#include "runtime/ownership.h"

namespace capstan::controllers::machineset {
namespace {

Result<void> confirm_set(const ActContext& with, const api::MachineSet& seen) {
  const auto live =
      TRY(kube::get<api::MachineSet>(with.deps.client, runtime::key_of(seen), with.context.deadline));
  if (live.metadata.resource_version == seen.metadata.resource_version) return {};
  return fail(Code::Conflict, "this MachineSet has changed");
}

// By what the server lists, Machines that can't be decoded included.
Result<std::unordered_set<api::Uid>> list_own(const ActContext& with, const Observation& seen) {
  const auto selector = TRY(api::Selector::from(seen.set.spec.selector));
  const kube::ListOptions options{.namespace_ = seen.set.metadata.namespace_.str(),
                                  .label_selector = selector.str()};
  const auto listed =
      TRY(with.deps.client.list(kube::resource_of<api::Machine>(), options, with.context.deadline));
  std::unordered_set<api::Uid> own;
  for (const auto& item : listed.at("items").as_array()) {
    const auto metadata = TRY(api::from_json<api::contract::ContractObject>(item)).metadata;
    if (runtime::is_controlled_by(metadata, seen.stored->metadata.uid)) own.insert(metadata.uid);
  }
  return own;
}

}  // namespace

Result<void> confirm_count(const ActContext& with, const Observation& seen) {
  if (is_off(Safeguard::LiveMoves)) return {};
  TRY(confirm_set(with, *seen.stored));
  const auto own = TRY(list_own(with, seen));
  for (const auto& machine : seen.machines)
    if (!own.contains(machine->metadata.uid))
      return fail(Code::Conflict, fmt::format("Machine {} does not belong to this MachineSet any more",
                                              machine->metadata.name.view()));
  return {};
}

}  // namespace capstan::controllers::machineset
