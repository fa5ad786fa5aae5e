// VMs that the group keeps itself. Each is made under a key that follows from its place, so that a lost
// answer or a list that lags never makes two. An instance that is only in the cloud's list or only in ours is
// asked for one by one: the cloud's may lack one that is there and show one that is gone.
#include <fmt/core.h>

#include <algorithm>

#include "api/driver/names.h"
#include "infrastructure/controller/account.h"
#include "infrastructure/controller/pool/pool_size.h"
#include "infrastructure/controller/pool/sizing.h"
#include "infrastructure/controller/pool/work.h"

namespace capstan::infrastructure::pool {
namespace {

using api::NoteCode;
namespace tag = api::driver::tag;

constexpr std::size_t kVmsPerTurn = 200;  // made before people hear of them
constexpr Seconds kUntilGone{5};
constexpr Seconds kUntilKeyIsFree{180};

}  // namespace

bool Work::perform(const SizeGroup& action) {
  const auto credentials = find_credentials();
  if (!credentials || !is_right_account(*credentials)) return false;
  auto there = find_vms(*credentials);
  // What is not there is made anew, and leaves the list: the account is asked for before and after.
  if (!there || !is_right_account(*credentials)) return false;
  if (!there->empty()) adopt_account(*credentials);
  Sizing size = sizing(*seen_.object, action.wanted, *there);
  hold_back(action.brakes, size);
  forget_states_but(size.missing, size.victims);
  std::vector<Vm> counted = std::move(size.staying);
  std::vector<Vm> left = std::move(size.kept);
  remove_victims(size.victims, *credentials, left);
  effects_.more = size.missing.size() > kVmsPerTurn || !size.victims.empty();
  if (size.missing.size() > kVmsPerTurn) size.missing.resize(kVmsPerTurn);
  effects_.refusal = size.missing.empty() ? std::nullopt : action.refusal;
  if (effects_.refusal)
    fail_with(as_trouble(*effects_.refusal, seen_.now));
  else if (!size.missing.empty())
    make_missing(size.missing, *credentials, counted);
  if (effects_.error) return false;
  std::set<std::string> ids;
  for (const Vm& vm : counted) ids.insert(vm.provider_id);
  for (const Vm& vm : left) ids.insert(vm.provider_id);
  std::vector<std::string> gone;
  for (const Vm& vm : size.victims) gone.push_back(vm.name);
  if (!write_list(ids, gone)) return false;  // no number without its list
  effects_.there = counted.size();
  return true;
}

bool Work::perform(const RemoveGroup&) {
  const auto credentials = find_credentials();
  if (!credentials) return is_given_up_unseen(object_.metadata, object_.spec.account, effects_.trouble);
  if (is_given_up(*credentials)) return true;
  if (!is_right_account(*credentials)) return false;
  auto there = find_vms(*credentials);
  if (!there) return false;
  std::vector<Vm> left;
  remove_victims(*there, *credentials, left);
  if (effects_.trouble || effects_.error) return false;
  std::vector<VmId> ids;
  for (const Vm& vm : *there) ids.push_back({.provider_id = vm.provider_id});
  std::vector<Vm> still;
  if (!look_for(ids, *credentials, still)) return false;
  if (still.empty() && !find_hidden(*credentials, still)) return false;
  // The account may be another one with every call: it is asked for before and after.
  if (still.empty()) return is_given_up(*credentials) || is_right_account(*credentials);
  return fail_with(Trouble{.code = NoteCode::BeingDeleted,
                           .message = fmt::format("waiting for the cloud to remove {} VMs", still.size()),
                           .retry = kUntilGone,
                           .quiet = true});
}

// A VM that was made when the answer got lost may be in no list yet, but has its key: it is removed, too.
// False: could not be found out, or not be removed.
bool Work::find_hidden(const Credentials& credentials, std::vector<Vm>& found) {
  if (!look_for(all_keys(), credentials, found)) return false;
  std::erase_if(found, [&](const Vm& vm) { return !is_ours(object_, vm); });
  std::vector<Vm> victims = found;
  std::vector<Vm> left;
  remove_victims(victims, credentials, left);
  return !effects_.trouble;
}

// Nothing: could not be found out, or some VM of the group is another's.
std::optional<std::vector<Vm>> Work::find_vms(const Credentials& credentials) {
  std::vector<Vm> there;
  std::vector<VmId> unsure;
  if (!list_vms(credentials, there, unsure) || !look_for(unsure, credentials, there)) return std::nullopt;
  const auto is_anothers = [&](const Vm& vm) { return !is_ours(object_, vm); };
  if (seen_.object->metadata.deleting()) {
    std::erase_if(there, is_anothers);
    return there;
  }
  const auto anothers = std::ranges::find_if(there, is_anothers);
  if (anothers == there.end()) return there;
  refuse_anothers(*anothers);
  return std::nullopt;
}

// `there`: in both lists, the cloud's and ours. `unsure`: in one of them.
bool Work::list_vms(const Credentials& credentials, std::vector<Vm>& there, std::vector<VmId>& unsure) {
  std::set<std::string> ours;
  for (const Text& id : object_.spec.provider_id_list) ours.insert(id.str());
  if (!object_.spec.group_key.empty()) {
    auto listed =
        driver().list({{std::string(tag::kGroup), object_.spec.group_key.str()}}, credentials, deadline());
    if (!listed)
      return fail_with(trouble_of(NoteCode::CloudUnreadable, "list the VMs", listed.error(),
                                  reaction(Verb::Status, listed.error())));
    for (Vm& vm : *listed) {
      if (ours.erase(vm.provider_id) > 0)
        there.push_back(std::move(vm));
      else
        unsure.push_back(
            {.provider_id = vm.provider_id, .last_known_state = states_.of(tag_of(vm, tag::kInstanceKey))});
    }
  }
  for (const std::string& id : ours) unsure.push_back({.provider_id = id});
  return true;
}

bool Work::refuse_anothers(const Vm& vm) {
  const std::string_view pool = tag_of(vm, tag::kPool);
  std::string why = pool.empty()
                        ? fmt::format(
                              "VM {} in spec.providerIDList carries no tag of this pool, and is not touched; "
                              "take it out of the list",
                              vm.provider_id)
                        : fmt::format(
                              "the VMs of spec.groupKey {} belong to DriverMachinePool {}/{}; delete this "
                              "object, or the other one",
                              object_.spec.group_key.view(), tag_of(vm, tag::kNamespace), pool);
  return fail_with(
      Trouble{.code = NoteCode::InstanceKeyTaken, .message = std::move(why), .retry = kUntilKeyIsFree});
}

// Of as many places as the group may have had.
std::vector<VmId> Work::all_keys() const {
  if (object_.spec.group_key.empty()) return {};
  auto places = static_cast<std::int64_t>(object_.spec.provider_id_list.size());
  places = std::max<std::int64_t>(places, object_.status.replicas.value_or(0));
  if (seen_.owner) places = std::max<std::int64_t>(places, seen_.owner->spec.replicas.value_or(1));
  std::vector<VmId> keys;
  for (std::size_t place = 0; std::cmp_less(place, places) && place < kMostInstances; ++place) {
    std::string key = instance_key(object_, place);
    std::string state = states_.of(key);
    keys.push_back({.instance_key = std::move(key), .last_known_state = std::move(state)});
  }
  return keys;
}

void Work::forget_states_but(const std::vector<std::size_t>& missing, const std::vector<Vm>& victims) {
  std::set<std::string> under_way;
  for (const std::size_t place : missing) under_way.insert(instance_key(object_, place));
  for (const Vm& vm : victims) under_way.emplace(tag_of(vm, tag::kInstanceKey));
  states_.forget_but(under_way);
}

}  // namespace capstan::infrastructure::pool
