// VMs that the group keeps itself. Each is made under a key that follows from its place, so that a lost
// answer or a list that lags never makes two. An instance that is only in the cloud's list or only in ours is
// asked for one by one: the cloud's may lack one that is there and show one that is gone.
#include <fmt/core.h>

#include <algorithm>

#include "api/driver/names.h"
#include "base/safeguards.h"
#include "infrastructure/controller/pool/work.h"

namespace capstan::infrastructure::pool {
namespace {

namespace reason = api::driver::reason;
namespace tag = api::driver::tag;

constexpr std::size_t kAtOnce = 20;    // calls to the cloud
constexpr std::size_t kPerTurn = 200;  // instances made before people hear of them
constexpr Seconds kUntilGone{5};
constexpr Seconds kStranger{180};

// Calls it for every number below `count`, several at once; each call has numbers of its own.
template <typename Call>
void for_each_at_once(Threads& threads, std::size_t count, const Call& call);

std::string_view tag_of(const Vm& vm, std::string_view name);

}  // namespace

void Work::size_group() {
  if (!sign_on() || !tell_owner()) return;
  const auto credentials = read_credentials_or_say();
  if (!credentials) return;
  auto there = find_vms(*credentials);
  if (!there) return;
  Sizing sizing = size(seen_, plan_, *there);
  std::vector<Vm> counted = std::move(sizing.staying);
  std::vector<Vm> left;
  remove_victims(sizing.victims, *credentials, left);
  if (sizing.missing.size() > kPerTurn) {
    sizing.missing.resize(kPerTurn);
    effects_.more = true;
  }
  effects_.more = effects_.more || !sizing.victims.empty();
  if (!sizing.missing.empty()) make_missing(sizing.missing, *credentials, counted);
  if (effects_.error) return;
  effects_.there = counted.size();
  std::set<std::string> ids;
  for (const Vm& vm : counted) ids.insert(vm.provider_id);
  for (const Vm& vm : left) ids.insert(vm.provider_id);
  std::vector<std::string> gone;
  for (const Vm& vm : sizing.victims) gone.push_back(vm.name);
  if (!write_list(ids, gone)) effects_.there.reset();  // no number without its list
}

void Work::remove_group() {
  const auto credentials = read_credentials_or_say();
  if (!credentials) return;
  auto there = find_vms(*credentials);
  if (!there) return;
  std::vector<Vm> left;
  remove_victims(*there, *credentials, left);
  if (effects_.trouble || effects_.error) return;
  std::vector<VmId> ids;
  for (const Vm& vm : *there) ids.push_back({.provider_id = vm.provider_id});
  std::vector<Vm> still;
  if (!look_for(ids, *credentials, still)) return;
  if (still.empty()) {
    // One that was made when the answer got lost may be in no list yet, but has its key.
    if (!look_for(all_keys(), *credentials, still)) return;
    std::erase_if(still, [&](const Vm& vm) { return !is_ours(object_, vm); });
    if (still.empty()) return release();
    std::vector<Vm> found = still;
    remove_victims(found, *credentials, left);
    if (effects_.trouble) return;
  }
  effects_.trouble = Trouble{.reason = reason::kDeleting,
                             .message = fmt::format("waiting for the cloud to remove {} VMs", still.size()),
                             .retry = kUntilGone,
                             .quiet = true};
}

// Nothing: could not be found out, or some VM of the group is another's.
std::optional<std::vector<Vm>> Work::find_vms(const Credentials& credentials) {
  std::vector<Vm> there;
  std::set<std::string> ours;
  for (const Text& id : object_.spec.provider_id_list) ours.insert(id.str());
  std::vector<VmId> unsure;
  if (!object_.spec.group_key.empty()) {
    auto listed = deps_.driver.list({{std::string(tag::kGroup), object_.spec.group_key.str()}}, credentials,
                                    deadline());
    if (!listed) {
      trouble(reason::kCreateFailed, "list the VMs", listed.error(), reaction(Verb::Status, listed.error()));
      return std::nullopt;
    }
    for (Vm& vm : *listed) {
      if (ours.erase(vm.provider_id) > 0) {
        there.push_back(std::move(vm));
      } else {
        unsure.push_back({.provider_id = std::move(vm.provider_id)});
      }
    }
  }
  for (const std::string& id : ours) unsure.push_back({.provider_id = id});
  if (!look_for(unsure, credentials, there)) return std::nullopt;
  const auto stranger = std::ranges::find_if(there, [&](const Vm& vm) { return !is_ours(object_, vm); });
  if (stranger == there.end()) return there;
  if (seen_.object->metadata.deleting()) {
    std::erase_if(there, [&](const Vm& vm) { return !is_ours(object_, vm); });
    return there;
  }
  effects_.trouble = Trouble{
      .reason = reason::kInstanceKeyTaken,
      .message = fmt::format("the VMs of spec.groupKey {} belong to DriverMachinePool {}/{}; delete this "
                             "object, or the other one",
                             object_.spec.group_key.view(), tag_of(*stranger, tag::kNamespace),
                             tag_of(*stranger, tag::kPool)),
      .retry = kStranger};
  return std::nullopt;
}

// Of as many places as the group may have had.
std::vector<VmId> Work::all_keys() const {
  if (object_.spec.group_key.empty()) return {};
  auto places = static_cast<std::int64_t>(object_.spec.provider_id_list.size());
  places = std::max<std::int64_t>(places, object_.status.replicas.value_or(0));
  if (seen_.owner) places = std::max<std::int64_t>(places, seen_.owner->spec.replicas.value_or(1));
  std::vector<VmId> keys;
  for (std::size_t place = 0; std::cmp_less(place, places) && place < kMostInstances; ++place)
    keys.push_back({.instance_key = instance_key(object_, place)});
  return keys;
}

bool Work::look_for(const std::vector<VmId>& ids, const Credentials& credentials, std::vector<Vm>& found) {
  std::vector<DriverResult<Vm>> answers(ids.size());
  for_each_at_once(deps_.threads, ids.size(),
                   [&](std::size_t i) { answers[i] = deps_.driver.status(ids[i], credentials, deadline()); });
  for (auto& answer : answers) {
    if (answer) {
      found.push_back(std::move(*answer));
      continue;
    }
    const Reaction what = reaction(Verb::Status, answer.error());
    if (what.next == Reaction::Next::Absent) continue;
    trouble(reason::kCreateFailed, "find a VM", answer.error(), what);
    return false;
  }
  return true;
}

// What could not be removed is `left`, and no victim any more.
void Work::remove_victims(std::vector<Vm>& victims, const Credentials& credentials, std::vector<Vm>& left) {
  std::vector<DriverResult<void>> answers(victims.size());
  for_each_at_once(deps_.threads, victims.size(), [&](std::size_t i) {
    answers[i] = deps_.driver.remove({.provider_id = victims[i].provider_id}, credentials, deadline());
  });
  std::vector<Vm> going;
  for (std::size_t i = 0; i < victims.size(); ++i) {
    const bool gone = !answers[i] && reaction(Verb::Remove, answers[i].error()).next == Reaction::Next::Done;
    if (answers[i]) context_.log.info("vm removed", {{"providerID", victims[i].provider_id}});
    if (answers[i]) going.push_back(victims[i]);
    if (answers[i] || gone) continue;
    left.push_back(victims[i]);
    trouble(reason::kDeleteFailed, "remove VM " + victims[i].name, answers[i].error(),
            reaction(Verb::Remove, answers[i].error()));
  }
  victims = std::move(going);
}

// The first that is refused ends it: the next would be refused, too.
void Work::make_missing(const std::vector<std::size_t>& places, const Credentials& credentials,
                        std::vector<Vm>& made) {
  const auto data = read_data_or_say();
  if (!data) return;
  for (std::size_t begin = 0; begin < places.size(); begin += kAtOnce) {
    const std::size_t many = std::min(kAtOnce, places.size() - begin);
    std::vector<DriverResult<Vm>> answers(many);
    for_each_at_once(deps_.threads, many, [&](std::size_t i) {
      answers[i] = deps_.driver.create(request(places[begin + i], *data), credentials, deadline());
    });
    bool refused = false;
    for (auto& answer : answers) {
      if (answer) {
        context_.log.info("vm created", {{"providerID", answer->provider_id}});
        made.push_back(std::move(*answer));
        continue;
      }
      refused = true;
      const bool full = answer.error().code == DriverCode::ResourceExhausted;
      trouble(full ? reason::kResourceExhausted : reason::kCreateFailed, "create a VM", answer.error(),
              reaction(Verb::Create, answer.error()));
    }
    if (refused) return;
  }
}

CreateVm Work::request(std::size_t place, const BootstrapData& data) const {
  const auto& owner = *seen_.owner;
  const std::string name = vm_name(object_, place);
  const auto& domains = owner.spec.failure_domains;
  return {.instance_key =
              is_off(Safeguard::InstanceKey) ? random_uuid(deps_.randomness) : instance_key(object_, place),
          .name = name,
          .tags = {{std::string(tag::kCluster), owner.spec.cluster_name.str()},
                   {std::string(tag::kNamespace), object_.metadata.namespace_.str()},
                   {std::string(tag::kName), name},
                   {std::string(tag::kPool), object_.metadata.name.str()},
                   {std::string(tag::kGroup), object_.spec.group_key.str()}},
          .vm_class = object_.spec.vm_class.str(),
          .failure_domain = domains.empty() ? std::string() : domains[place % domains.size()].str(),
          .kubernetes_version = owner.spec.machine_template.spec.version.str(),
          .provider_spec = std::string(object_.spec.provider_spec.text()),
          .user_data = data.value,
          .user_data_format = data.format};
}

namespace {

// A thread of ours has no worker boundary around it: drivers answer, they do not throw.
template <typename Call>
void for_each_at_once(Threads& threads, std::size_t count, const Call& call) {
  for (std::size_t begin = 0; begin < count; begin += kAtOnce) {
    const std::size_t end = std::min(count, begin + kAtOnce);
    std::vector<std::unique_ptr<Thread>> helpers;
    for (std::size_t i = begin + 1; i < end; ++i)
      helpers.push_back(threads.spawn("driver call", [&call, i](const std::stop_token&) { call(i); }));
    call(begin);
    for (const auto& helper : helpers) helper->join();
  }
}

std::string_view tag_of(const Vm& vm, std::string_view name) {
  const auto found = vm.tags.find(name);
  return found == vm.tags.end() ? std::string_view() : std::string_view(found->second);
}

}  // namespace
}  // namespace capstan::infrastructure::pool
