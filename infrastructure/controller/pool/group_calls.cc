// What the cloud is asked for the VMs of a group: several calls at once, for each takes as long as the cloud.
#include <algorithm>
#include <span>

#include "api/driver/names.h"
#include "base/safeguards.h"
#include "infrastructure/controller/driver_steps.h"
#include "infrastructure/controller/pool/sizing.h"
#include "infrastructure/controller/pool/work.h"

namespace capstan::infrastructure::pool {
namespace {

using api::NoteCode;
namespace tag = api::driver::tag;

constexpr std::size_t kCallsAtOnce = 20;

// Calls it for every number below `count`, several at once; each call has numbers of its own. A thread of
// ours has no worker boundary around it: drivers answer, they do not throw.
template <typename Call>
void for_each_at_once(Threads& threads, std::size_t count, const Call& call) {
  for (std::size_t begin = 0; begin < count; begin += kCallsAtOnce) {
    const std::size_t end = std::min(count, begin + kCallsAtOnce);
    std::vector<std::unique_ptr<Thread>> others;
    for (std::size_t i = begin + 1; i < end; ++i)
      others.push_back(threads.spawn("driver call", [&call, i](const std::stop_token&) { call(i); }));
    call(begin);
    for (const auto& other : others) other->join();
  }
}

Trouble not_created(const DriverError& error) {
  const bool full = error.code == DriverCode::ResourceExhausted;
  return trouble_of(full ? NoteCode::ResourceExhausted : NoteCode::VmNotCreated, "create a VM", error,
                    reaction(Verb::Create, error));
}

// Of the whole group: another code may be about this one VM, and the others are not to wait for it.
bool asks_for_patience(const DriverError& error) {
  return error.code == DriverCode::ResourceExhausted || error.retry_after.has_value();
}

}  // namespace

std::optional<Credentials> Work::find_credentials() {
  return credentials_for(with_, object_.metadata, object_.spec.credentials_ref, effects_);
}

bool Work::look_for(const std::vector<VmId>& ids, const Credentials& credentials, std::vector<Vm>& found) {
  std::vector<DriverResult<Vm>> answers(ids.size());
  for_each_at_once(with_.deps.threads, ids.size(), [&](std::size_t i) {
    answers[i] = find_vm(driver(),
                         {.id = ids[i],
                          .vm_class = object_.spec.vm_class.str(),
                          .provider_spec = std::string(object_.spec.provider_spec.text())},
                         credentials, deadline());
  });
  for (auto& answer : answers) {
    if (answer) {
      found.push_back(std::move(*answer));
      continue;
    }
    const Reaction what = reaction(Verb::Status, answer.error());
    if (what.next != Reaction::Next::Absent)
      return fail_with(trouble_of(NoteCode::CloudUnreadable, "find a VM", answer.error(), what));
  }
  return true;
}

// What could not be removed is `left`, and no victim any more.
void Work::remove_victims(std::vector<Vm>& victims, const Credentials& credentials, std::vector<Vm>& left) {
  std::vector<DriverResult<void>> answers(victims.size());
  for_each_at_once(with_.deps.threads, victims.size(), [&](std::size_t i) {
    answers[i] = driver().remove({.provider_id = victims[i].provider_id,
                                  .last_known_state = states_.of(tag_of(victims[i], tag::kInstanceKey))},
                                 credentials, deadline());
  });
  std::vector<Vm> going;
  for (std::size_t i = 0; i < victims.size(); ++i) {
    const Vm& vm = victims[i];
    if (answers[i]) {
      with_.context.log.info("vm removed", {{"providerID", vm.provider_id}});
      going.push_back(vm);
      continue;
    }
    const Reaction what = reaction(Verb::Remove, answers[i].error());
    if (what.next == Reaction::Next::Done) continue;
    left.push_back(vm);
    states_.keep(std::string(tag_of(vm, tag::kInstanceKey)), answers[i].error());
    fail_with(trouble_of(NoteCode::NotDeleted, "remove VM " + vm.name, answers[i].error(), what));
  }
  victims = std::move(going);
}

void Work::make_missing(const std::vector<std::size_t>& places, const Credentials& credentials,
                        std::vector<Vm>& made) {
  const std::string secret = seen_.owner->spec.machine_template.spec.bootstrap.data_secret_name->str();
  const auto data = read_bootstrap_data(
      with_.deps.client, {.namespace_ = object_.metadata.namespace_.str(), .name = secret}, deadline());
  if (!data) return note_unreadable(NoteCode::BootstrapDataUnreadable, data.error(), effects_);
  for (std::size_t begin = 0; begin < places.size(); begin += kCallsAtOnce) {
    const auto some = std::span(places).subspan(begin, std::min(kCallsAtOnce, places.size() - begin));
    if (!make_some(some, *data, credentials, made)) return;  // the next would be refused, too
  }
}

bool Work::make_some(std::span<const std::size_t> places, const BootstrapData& data,
                     const Credentials& credentials, std::vector<Vm>& made) {
  std::vector<DriverResult<Vm>> answers(places.size());
  for_each_at_once(with_.deps.threads, places.size(), [&](std::size_t i) {
    answers[i] = make_vm(driver(), request_for(places[i], data), credentials, deadline());
  });
  bool all = true;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    auto& answer = answers[i];
    const std::string key = instance_key(object_, places[i]);
    if (!answer) {
      states_.keep(key, answer.error());
      all = fail_with(not_created(answer.error()));
      if (asks_for_patience(answer.error()))
        effects_.refusal = refusal_of(*effects_.trouble, object_, seen_.now);
      continue;
    }
    states_.forget(key);
    with_.context.log.info("vm created", {{"providerID", answer->provider_id}});
    made.push_back(std::move(*answer));
  }
  return all;
}

CreateVm Work::request_for(std::size_t place, const BootstrapData& data) const {
  const auto& owner = *seen_.owner;
  const std::string name = vm_name(object_, place);
  const std::string key = instance_key(object_, place);
  const auto& domains = owner.spec.failure_domains;
  return {.instance_key = is_off(Safeguard::InstanceKey) ? random_uuid(with_.deps.randomness) : key,
          .name = name,
          .tags = with_cluster_key(cluster_key_for(seen_),
                                   {{std::string(tag::kCluster), owner.spec.cluster_name.str()},
                                    {std::string(tag::kNamespace), object_.metadata.namespace_.str()},
                                    {std::string(tag::kName), name},
                                    {std::string(tag::kPool), object_.metadata.name.str()},
                                    {std::string(tag::kGroup), object_.spec.group_key.str()}}),
          .vm_class = object_.spec.vm_class.str(),
          .failure_domain = domains.empty() ? std::string() : domains[place % domains.size()].str(),
          .kubernetes_version = owner.spec.machine_template.spec.version.str(),
          .provider_spec = std::string(object_.spec.provider_spec.text()),
          .user_data = data.value,
          .user_data_format = data.format,
          .last_known_state = states_.of(key)};
}

}  // namespace capstan::infrastructure::pool
