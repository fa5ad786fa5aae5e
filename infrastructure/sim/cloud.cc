#include "infrastructure/sim/cloud.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>

#include "api/driver/names.h"
#include "base/hash.h"

namespace capstan::infrastructure::sim {
namespace {

namespace json = boost::json;
namespace tag = api::driver::tag;

constexpr Nanoseconds kInFiftyYears = std::chrono::hours(24 * 365 * 50);
constexpr std::string_view kVolumeDriver = "sim.capstan.dev";

std::string tag_of(const Tags& tags, std::string_view name) {
  const auto found = tags.find(name);
  return found == tags.end() ? std::string() : found->second;
}

std::string account_in(const Credentials& credentials) {
  const auto found = credentials.values.find("account");
  return found == credentials.values.end() ? std::string("simulated") : found->second.reveal();
}

bool carries(const Vm& vm, const Tags& tags) {
  return std::ranges::all_of(tags, [&](const auto& wanted) {
    const auto found = vm.tags.find(wanted.first);
    return found != vm.tags.end() && found->second == wanted.second;
  });
}

bool alters_list(const FaultRule& rule) { return rule.missing_percent > 0 || rule.late > Nanoseconds(0); }

DriverError error_of(const FaultRule& rule) {
  return {.code = rule.code, .message = rule.message.empty() ? "as the script wants it" : rule.message};
}

// What the simulated cloud understands of a provider spec; anything else is none of its business.
json::object options_in(const std::string& provider_spec) {
  boost::system::error_code bad;
  auto parsed = json::parse(provider_spec, bad);
  if (bad || !parsed.is_object()) return {};
  return parsed.as_object();
}

bool flag(const json::object& object, std::string_view name) {
  const json::value* found = object.if_contains(name);
  return found != nullptr && found->is_bool() && found->as_bool();
}

std::string address(std::uint64_t number) {
  return fmt::format("10.{}.{}.{}", number / 65536 % 256, number / 256 % 256, number % 256);
}

}  // namespace

SimCloud::SimCloud(const CloudDeps& deps, Script script) : deps_(deps), script_(std::move(script)) {
  const SteadyTime now = deps_.clock.steady_now();
  state_.with([&](State& state) {
    for (const FaultRule& rule : script_.faults) begin(state, rule, now);
    state.room = script_.quota.vms;
    state.boot = script_.register_after;
  });
}

void SimCloud::listen(VmListener& listener) {
  state_.with([&](State& state) { state.listener = &listener; });
}

// --- verbs ---

// The effect takes place in the middle of the call: before it the caller may give up for nothing, after it
// the answer may get lost.
DriverResult<Vm> SimCloud::create(const CreateVm& wanted, const Credentials& credentials,
                                  const Deadline& deadline) {
  deps_.threads.switch_point("driver create");
  const auto fault = draw(SimVerb::Create, wanted.name);
  const std::string account = account_of(credentials);
  if (auto late = half(script_.latency.create, wanted.name, deadline)) return std::unexpected(*late);
  if (fault && !fault->happened) return std::unexpected(error_of(*fault));
  const SteadyTime now = deps_.clock.steady_now();
  VmListener* listener = nullptr;
  auto made = state_.with([&](State& state) {
    listener = state.listener;
    return make(state, wanted, account, now);
  });
  if (!made) return std::unexpected(made.error());
  const auto& [vm, is_new] = *made;
  if (is_new && listener != nullptr) listener->vm_started(vm);
  if (auto late = half(script_.latency.create, wanted.name, deadline)) return std::unexpected(*late);
  if (fault) return std::unexpected(error_of(*fault));
  return as_seen(vm, deps_.clock.steady_now());
}

// Takes no time: nothing has to be set up, but the script may say that it fails.
DriverResult<Vm> SimCloud::initialize(const InitializeVm& wanted, const Credentials& credentials,
                                      const Deadline&) {
  const std::string account = account_of(credentials);
  if (const auto fault = draw(SimVerb::Initialize, name_of(wanted.id, account)))
    return std::unexpected(error_of(*fault));
  const SteadyTime now = deps_.clock.steady_now();
  return state_.with([&](State& state) -> DriverResult<Vm> {
    const std::string found = id_of(state, wanted.id, account);
    if (found.empty()) return driver_failure(DriverCode::NotFound, "there is no such VM");
    return as_seen(state.vms.at(found), now);
  });
}

DriverResult<void> SimCloud::remove(const VmId& id, const Credentials& credentials,
                                    const Deadline& deadline) {
  deps_.threads.switch_point("driver remove");
  const std::string account = account_of(credentials);
  const std::string name = name_of(id, account);
  const auto fault = draw(SimVerb::Remove, name);
  if (auto late = half(script_.latency.remove, name, deadline)) return std::unexpected(*late);
  if (fault && !fault->happened) return std::unexpected(error_of(*fault));
  VmListener* listener = nullptr;
  const std::string removed = state_.with([&](State& state) {
    listener = state.listener;
    std::string found = id_of(state, id, account);
    if (!found.empty()) bury(state, found, deps_.clock.steady_now());
    return found;
  });
  if (!removed.empty()) report_gone(listener, removed, Farewell::Removed);
  if (auto late = half(script_.latency.remove, name, deadline)) return std::unexpected(*late);
  if (fault) return std::unexpected(error_of(*fault));
  if (removed.empty()) return driver_failure(DriverCode::NotFound, "there is no such VM");
  return {};
}

DriverResult<Vm> SimCloud::status(const VmId& id, const Credentials& credentials, const Deadline& deadline) {
  deps_.threads.switch_point("driver status");
  const std::string account = account_of(credentials);
  const std::string name = name_of(id, account);
  if (const auto fault = draw(SimVerb::Status, name)) return std::unexpected(error_of(*fault));
  if (auto late = wait(script_.latency.status, name, deadline)) return std::unexpected(*late);
  expire();
  const SteadyTime now = deps_.clock.steady_now();
  return state_.with([&](State& state) -> DriverResult<Vm> {
    const std::string found = id_of(state, id, account);
    if (found.empty()) return driver_failure(DriverCode::NotFound, "there is no such VM");
    if (is_ambiguous(state, id, account))
      return driver_failure(DriverCode::OutOfRange, "there are two VMs of that key");
    return as_seen(state.vms.at(found), now);
  });
}

DriverResult<std::vector<Vm>> SimCloud::list(const Tags& tags, const Credentials& credentials,
                                             const Deadline& deadline) {
  deps_.threads.switch_point("driver list");
  const auto fault = draw(SimVerb::List, "");
  if (fault && !alters_list(*fault)) return std::unexpected(error_of(*fault));
  if (auto late = wait(script_.latency.list, "", deadline)) return std::unexpected(*late);
  expire();
  const SteadyTime now = deps_.clock.steady_now();
  const SteadyTime seen_until = now - std::max(script_.list_lag, fault ? fault->late : Nanoseconds(0));
  const std::int32_t missing = fault ? fault->missing_percent : 0;
  const std::string account = account_of(credentials);
  return state_.with([&](State& state) -> DriverResult<std::vector<Vm>> {
    std::vector<Vm> listed;
    for (const auto& [id, vm] : state.vms) {
      const bool left_out = std::cmp_less(hash_combine(script_.seed, hash_bytes(id)) % 100, missing);
      if (vm.account == account && vm.created <= seen_until && carries(vm.vm, tags) && !left_out)
        listed.push_back(as_seen(vm, now));
    }
    for (const Gone& gone : state.gone) {
      if (gone.account == account && gone.at > seen_until && carries(gone.vm, tags))
        listed.push_back(gone.vm);
    }
    return listed;
  });
}

DriverResult<void> SimCloud::tag(const VmId& id, const Tags& tags, const Credentials& credentials,
                                 const Deadline& deadline) {
  deps_.threads.switch_point("driver tag");
  const std::string account = account_of(credentials);
  const std::string name = name_of(id, account);
  if (const auto fault = draw(SimVerb::Tag, name)) return std::unexpected(error_of(*fault));
  if (auto late = wait(script_.latency.status, name, deadline)) return std::unexpected(*late);
  return state_.with([&](State& state) -> DriverResult<void> {
    const std::string found = id_of(state, id, account);
    if (found.empty()) return driver_failure(DriverCode::NotFound, "there is no such VM");
    Tags& present = state.vms.at(found).vm.tags;
    for (const auto& [key, value] : tags) {
      if (value.empty()) present.erase(key);
      if (!value.empty()) present[key] = value;
    }
    return {};
  });
}

DriverResult<std::vector<std::string>> SimCloud::volume_ids(std::span<const std::string> volume_specs,
                                                            const Deadline& deadline) {
  if (const auto fault = draw(SimVerb::VolumeIds, "")) return std::unexpected(error_of(*fault));
  if (auto late = wait(script_.latency.status, "", deadline)) return std::unexpected(*late);
  std::vector<std::string> ids;
  for (const std::string& spec : volume_specs) {
    const json::object volume = options_in(spec);
    const json::value* csi = volume.if_contains("csi");
    if (csi == nullptr || !csi->is_object()) continue;
    const json::value* driver = csi->as_object().if_contains("driver");
    const json::value* handle = csi->as_object().if_contains("volumeHandle");
    const bool ours = driver != nullptr && driver->is_string() && driver->as_string() == kVolumeDriver;
    if (ours && handle != nullptr && handle->is_string()) ids.emplace_back(handle->as_string());
  }
  return ids;
}

DriverResult<Identity> SimCloud::identity(const Credentials& credentials, const Deadline& deadline) {
  if (const auto fault = draw(SimVerb::Identity, "")) return std::unexpected(error_of(*fault));
  if (auto late = wait(script_.latency.status, "", deadline)) return std::unexpected(*late);
  return Identity{.driver = "sim", .account = account_of(credentials), .region = "nowhere"};
}

// --- what happens inside ---

DriverResult<std::pair<SimVm, bool>> SimCloud::make(State& state, const CreateVm& wanted,
                                                    const std::string& account, SteadyTime now) const {
  if (wanted.instance_key.empty())
    return driver_failure(DriverCode::InvalidArgument, "a VM needs an instance key");
  if (const std::string known = id_of(state, {.instance_key = wanted.instance_key}, account); !known.empty())
    return std::pair(state.vms.at(known), false);
  if (state.room && std::ssize(state.vms) >= *state.room) {
    state.refused.insert(wanted.name);
    return driver_failure(DriverCode::ResourceExhausted, fmt::format("quota of {} VMs reached", *state.room));
  }
  if (const auto limit = script_.quota.classes.find(wanted.vm_class); limit != script_.quota.classes.end()) {
    if (state.of_class[wanted.vm_class] >= limit->second)
      return driver_failure(DriverCode::ResourceExhausted,
                            fmt::format("no more than {} VMs of class {}", limit->second, wanted.vm_class));
  }
  if (is_dead(state, wanted.failure_domain, now))
    return driver_failure(DriverCode::Unavailable,
                          fmt::format("failure domain {} is down", wanted.failure_domain));
  const std::uint64_t generation = ++state.generations[wanted.instance_key];
  const std::uint64_t number = ++state.created;
  SimVm made;
  made.instance_key = wanted.instance_key;
  made.account = account;
  made.cluster = {.namespace_ = tag_of(wanted.tags, tag::kNamespace),
                  .name = tag_of(wanted.tags, tag::kCluster)};
  made.vm_class = wanted.vm_class;
  made.kubernetes_version = wanted.kubernetes_version;
  made.created = now;
  made.registers_after = state.boot + jitter(state.boot, script_.boot_jitter_percent, wanted.instance_key);
  if (never_joins(state, wanted.name, now)) made.registers_after = kInFiftyYears;
  made.vm.provider_id =
      fmt::format("sim:///i-{:016x}",
                  hash_combine(hash_combine(script_.seed, hash_bytes(wanted.instance_key)), generation));
  made.vm.name = wanted.name;
  made.vm.tags = wanted.tags;
  made.vm.tags[std::string(tag::kInstanceKey)] = wanted.instance_key;
  made.vm.failure_domain = wanted.failure_domain;
  made.vm.interruptible = flag(options_in(wanted.provider_spec), "interruptible");
  made.vm.addresses = {{.type = "InternalIP"_text, .address = Text(address(number))},
                       {.type = "Hostname"_text, .address = Text(wanted.name)}};
  if (auto taken = take_disks(state, wanted, made)) return std::unexpected(*taken);
  made.vanishes = vanishing_time(state, wanted.name, now);
  state.ids[{account, wanted.instance_key}] = made.vm.provider_id;
  ++state.of_class[wanted.vm_class];
  if (made.vanishes) state.vanishing.emplace(*made.vanishes, made.vm.provider_id);
  state.vms[made.vm.provider_id] = made;
  return std::pair(made, true);
}

// {"disks": [{"name": "data", "persistent": true}]}: a persistent disk is found again by the next VM of its
// cluster that names it, and has one VM at a time.
std::optional<DriverError> SimCloud::take_disks(State& state, const CreateVm& wanted, SimVm& vm) const {
  const json::object options = options_in(wanted.provider_spec);
  const json::value* disks = options.if_contains("disks");
  if (disks == nullptr || !disks->is_array()) return std::nullopt;
  std::vector<std::string> persistent;
  for (const json::value& disk : disks->as_array()) {
    const auto* entry = disk.if_object();
    const json::value* name = entry == nullptr ? nullptr : entry->if_contains("name");
    if (name == nullptr || !name->is_string()) continue;
    if (!flag(*entry, "persistent")) {
      vm.local_disks.emplace_back(name->as_string());
      continue;
    }
    persistent.push_back(fmt::format("{}/{}", vm.cluster.describe(), std::string_view(name->as_string())));
    const auto known = state.disks.find(persistent.back());
    if (known != state.disks.end() && !known->second.attached_to.empty())
      return DriverError{
          .code = DriverCode::FailedPrecondition,
          .message = fmt::format("disk {} is attached to {}", known->second.id, known->second.attached_to)};
  }
  for (const std::string& key : persistent) {
    state.disks[key] = {.id = fmt::format("disk-{:012x}", hash_bytes(key) >> 16U),
                        .attached_to = wanted.name};
  }
  return std::nullopt;
}

// --- what goes wrong ---

void SimCloud::begin(State& state, const FaultRule& rule, SteadyTime now) {
  const SteadyTime begins = now + rule.after;
  state.faults.push_back({.rule = rule,
                          .begins = begins,
                          .ends = rule.lasts ? std::optional(begins + *rule.lasts) : std::nullopt});
}

std::optional<SteadyTime> SimCloud::vanishing_time(State& state, const std::string& name,
                                                   SteadyTime now) const {
  std::optional<SteadyTime> earliest;
  for (std::size_t i = 0; i < state.faults.size(); ++i) {
    Fault& fault = state.faults[i];
    const FaultRule& rule = fault.rule;
    if (!rule.vanish || !fault.in_force(now) || !matches_glob(rule.vms, name)) continue;
    if (!chance(i, rule.percent, name, 0)) continue;
    if (rule.total && std::cmp_greater_equal(fault.hits, *rule.total)) continue;
    ++fault.hits;
    const SteadyTime at = now + *rule.vanish;
    earliest = earliest ? std::min(*earliest, at) : at;
  }
  return earliest;
}

std::optional<FaultRule> SimCloud::draw(SimVerb verb, const std::string& name) {
  const SteadyTime now = deps_.clock.steady_now();
  return state_.with([&](State& state) -> std::optional<FaultRule> {
    for (std::size_t i = 0; i < state.faults.size(); ++i) {
      Fault& fault = state.faults[i];
      const FaultRule& rule = fault.rule;
      if (rule.verb != verb || !fault.in_force(now) || !matches_glob(rule.vms, name)) continue;
      const std::pair key(i, name);
      const std::int64_t attempt = state.attempts[key]++;
      if (attempt < rule.skip || !chance(i, rule.percent, name, attempt)) continue;
      if (rule.times && state.hits_per_vm[key] >= *rule.times) continue;
      if (rule.total && std::cmp_greater_equal(fault.hits, *rule.total)) continue;
      ++state.hits_per_vm[key];
      ++fault.hits;
      return rule;
    }
    return std::nullopt;
  });
}

// Where these credentials lead.
std::string SimCloud::account_of(const Credentials& credentials) {
  const SteadyTime now = deps_.clock.steady_now();
  return state_.with([&](State& state) {
    for (Fault& fault : state.faults) {
      if (fault.rule.account.empty() || !fault.in_force(now)) continue;
      ++fault.hits;
      std::string account = fault.rule.account;
      if (const auto at = account.find('#'); at != std::string::npos)
        account.replace(at, 1, std::to_string(fault.hits));
      return account;
    }
    return account_in(credentials);
  });
}

bool SimCloud::never_joins(State& state, const std::string& name, SteadyTime now) const {
  for (std::size_t i = 0; i < state.faults.size(); ++i) {
    Fault& fault = state.faults[i];
    const FaultRule& rule = fault.rule;
    if (!rule.never_joins || !fault.in_force(now) || !matches_glob(rule.vms, name)) continue;
    if (!chance(i, rule.percent, name, 0)) continue;
    if (rule.total && std::cmp_greater_equal(fault.hits, *rule.total)) continue;
    ++fault.hits;
    return true;
  }
  return false;
}

bool SimCloud::is_dead(const State& state, const std::string& domain, SteadyTime now) {
  return !domain.empty() && std::ranges::any_of(state.faults, [&](const Fault& fault) {
    return fault.rule.domain == domain && fault.in_force(now);
  });
}

// Failure domains that die now, and those whose VMs are back.
void SimCloud::turn_domains(State& state, SteadyTime now, Passed& passed) const {
  for (Fault& fault : state.faults) {
    const FaultRule& rule = fault.rule;
    if (rule.domain.empty()) continue;
    const bool strikes = !fault.struck && fault.in_force(now);
    const bool gives_back = rule.returns && fault.struck && !fault.returned && !fault.in_force(now);
    if (!strikes && !gives_back) continue;
    (strikes ? fault.struck : fault.returned) = true;
    std::vector<std::string> ids;
    for (const auto& [id, vm] : state.vms)
      if (vm.vm.failure_domain == rule.domain) ids.push_back(id);
    if (strikes) fault.hits += ids.size();
    for (const std::string& id : ids) {
      if (gives_back) passed.back.push_back(state.vms.at(id));
      if (strikes) passed.gone.push_back(id);
      if (strikes && !rule.returns) bury(state, id, now);
    }
  }
}

// When VMs vanish next, and failure domains die or are back.
std::optional<SteadyTime> SimCloud::next_turn(const State& state, SteadyTime now) {
  SteadyTime next = SteadyTime::max();
  if (!state.vanishing.empty()) next = state.vanishing.begin()->first;
  for (const Fault& fault : state.faults) {
    if (fault.rule.domain.empty()) continue;
    if (!fault.struck && fault.begins > now) next = std::min(next, fault.begins);
    if (fault.rule.returns && fault.struck && !fault.returned && fault.ends)
      next = std::min(next, *fault.ends);
  }
  return next == SteadyTime::max() ? std::nullopt : std::optional(next);
}

bool SimCloud::chance(std::size_t rule, std::int32_t percent, const std::string& name,
                      std::int64_t attempt) const {
  const std::uint64_t drawn = hash_combine(hash_combine(script_.seed, hash_bytes(name)),
                                           hash_combine(rule, static_cast<std::uint64_t>(attempt)));
  return std::cmp_less(drawn % 100, percent);
}

Nanoseconds SimCloud::jitter(Nanoseconds span, std::int32_t percent, const std::string& name) const {
  const std::uint64_t drawn = hash_combine(script_.seed, hash_bytes(name)) % 1000;
  return span * percent * static_cast<std::int64_t>(drawn) / 100'000;
}

std::optional<DriverError> SimCloud::half(Nanoseconds latency, const std::string& name,
                                          const Deadline& deadline) {
  return wait(latency / 2, name, deadline);
}

std::optional<DriverError> SimCloud::wait(Nanoseconds span, const std::string& name,
                                          const Deadline& deadline) {
  if (span <= Nanoseconds(0)) return std::nullopt;
  span += jitter(span, script_.latency.jitter_percent, name);
  const SteadyTime until = deps_.clock.steady_now() + span;
  const Woken woken = deps_.threads.pause(deadline.no_later_than(until));
  if (woken == Woken::Stopped) return DriverError{.code = DriverCode::Canceled, .message = "told to stop"};
  if (deps_.clock.steady_now() < until)
    return DriverError{.code = DriverCode::DeadlineExceeded, .message = "the cloud is slow"};
  return std::nullopt;
}

// The provider ID of the living VM of that identity; empty when the account has none.
std::string SimCloud::id_of(const State& state, const VmId& id, const std::string& account) {
  if (id.provider_id.empty()) {
    const auto known = state.ids.find({account, id.instance_key});
    return known == state.ids.end() ? std::string() : known->second;
  }
  const auto found = state.vms.find(id.provider_id);
  return found != state.vms.end() && found->second.account == account ? id.provider_id : std::string();
}

bool SimCloud::is_ambiguous(const State& state, const VmId& id, const std::string& account) {
  if (state.duplicates == 0 || !id.provider_id.empty()) return false;
  const auto has_key = [&](const auto& each) {
    return each.second.account == account && each.second.instance_key == id.instance_key;
  };
  return std::ranges::count_if(state.vms, has_key) > 1;
}

std::string SimCloud::name_of(const VmId& id, const std::string& account) const {
  return state_.with([&](const State& state) {
    const std::string found = id_of(state, id, account);
    return found.empty() ? std::string() : state.vms.at(found).vm.name;
  });
}

Vm SimCloud::as_seen(const SimVm& vm, SteadyTime now) const {
  Vm seen = vm.vm;
  if (seen.state == VmState::Pending && now - vm.created >= vm.registers_after) seen.state = VmState::Running;
  return seen;
}

void SimCloud::bury(State& state, const std::string& provider_id, SteadyTime now) const {
  const auto found = state.vms.find(provider_id);
  if (found == state.vms.end()) return;
  std::erase_if(state.gone, [&](const Gone& gone) { return gone.at + script_.list_lag < now; });
  if (script_.list_lag > Nanoseconds(0))
    state.gone.push_back({.vm = found->second.vm, .account = found->second.account, .at = now});
  const auto known = state.ids.find({found->second.account, found->second.instance_key});
  if (known != state.ids.end() && known->second == provider_id) state.ids.erase(known);
  --state.of_class[found->second.vm_class];
  if (found->second.vanishes) state.vanishing.erase({*found->second.vanishes, provider_id});
  for (auto& [key, disk] : state.disks) {
    if (disk.attached_to == found->second.vm.name) disk.attached_to.clear();
  }
  state.vms.erase(found);
}

void SimCloud::report_gone(VmListener* listener, const std::string& provider_id, Farewell farewell) const {
  if (listener != nullptr) listener->vm_gone(provider_id, farewell);
}

// --- for the world around it ---

void SimCloud::make_room(std::optional<std::int64_t> vms) {
  state_.with([&](State& state) { state.room = vms ? vms : script_.quota.vms; });
}

void SimCloud::boot_for(std::optional<Nanoseconds> span) {
  state_.with([&](State& state) { state.boot = span.value_or(script_.register_after); });
}

std::optional<SteadyTime> SimCloud::expire() {
  const SteadyTime now = deps_.clock.steady_now();
  Passed passed;
  std::optional<SteadyTime> next;
  VmListener* listener = nullptr;
  state_.with([&](State& state) {
    listener = state.listener;
    while (!state.vanishing.empty() && state.vanishing.begin()->first <= now) {
      passed.gone.push_back(state.vanishing.begin()->second);
      bury(state, passed.gone.back(), now);
    }
    turn_domains(state, now, passed);
    next = next_turn(state, now);
  });
  for (const std::string& id : passed.gone) {
    deps_.log.info("vm vanished", {{"providerID", id}});
    report_gone(listener, id, Farewell::Vanished);
  }
  if (listener == nullptr) return next;
  for (const SimVm& vm : passed.back) listener->vm_started(vm);
  return next;
}

std::size_t SimCloud::vanish(std::string_view glob) {
  const SteadyTime now = deps_.clock.steady_now();
  VmListener* listener = nullptr;
  std::vector<std::string> victims;
  state_.with([&](State& state) {
    listener = state.listener;
    for (const auto& [id, vm] : state.vms) {
      if (matches_glob(glob, vm.vm.name)) victims.push_back(id);
    }
    for (const std::string& id : victims) bury(state, id, now);
  });
  for (const std::string& id : victims) report_gone(listener, id, Farewell::Vanished);
  return victims.size();
}

std::size_t SimCloud::duplicate(std::string_view glob) {
  return state_.with([&](State& state) {
    std::vector<SimVm> seconds;
    for (const auto& [id, vm] : state.vms) {
      if (matches_glob(glob, vm.vm.name)) seconds.push_back(vm);
    }
    for (SimVm& vm : seconds) {
      vm.vm.provider_id += fmt::format("-{}", ++state.duplicates);
      ++state.of_class[vm.vm_class];
      state.vms[vm.vm.provider_id] = vm;
    }
    return seconds.size();
  });
}

std::size_t SimCloud::stop(std::string_view glob) {
  VmListener* listener = nullptr;
  std::vector<std::string> stopped;
  state_.with([&](State& state) {
    listener = state.listener;
    for (auto& [id, vm] : state.vms) {
      if (!matches_glob(glob, vm.vm.name)) continue;
      vm.vm.state = VmState::Stopped;
      stopped.push_back(id);
    }
  });
  for (const std::string& id : stopped) report_gone(listener, id, Farewell::Vanished);
  return stopped.size();
}

std::vector<Vm> SimCloud::vms() const {
  const SteadyTime now = deps_.clock.steady_now();
  std::vector<Vm> all = state_.with([&](const State& state) {
    std::vector<Vm> copies;
    for (const auto& [id, vm] : state.vms) copies.push_back(as_seen(vm, now));
    return copies;
  });
  std::ranges::sort(all, {}, &Vm::name);
  return all;
}

std::map<std::string, Disk> SimCloud::disks() const {
  return state_.with([](const State& state) { return state.disks; });
}

std::uint64_t SimCloud::created() const {
  return state_.with([](const State& state) { return state.created; });
}

std::set<std::string> SimCloud::refused() const {
  return state_.with([](const State& state) { return state.refused; });
}

bool SimCloud::api_is_away(std::string_view cluster) const {
  const SteadyTime now = deps_.clock.steady_now();
  return state_.with([&](const State& state) {
    return std::ranges::any_of(state.faults, [&](const Fault& fault) {
      return !fault.rule.api.empty() && fault.in_force(now) && matches_glob(fault.rule.api, cluster);
    });
  });
}

std::vector<std::uint64_t> SimCloud::hits() const {
  return state_.with([](const State& state) {
    std::vector<std::uint64_t> hits;
    for (const Fault& fault : state.faults) hits.push_back(fault.hits);
    return hits;
  });
}

void SimCloud::add_fault(const FaultRule& rule) {
  const SteadyTime now = deps_.clock.steady_now();
  state_.with([&](State& state) { begin(state, rule, now); });
  expire();
}

void SimCloud::follow_faults(const std::vector<FaultRule>& rules) {
  const SteadyTime now = deps_.clock.steady_now();
  state_.with([&](State& state) {
    std::vector<FaultRule> added = rules;
    for (Fault& fault : state.faults) {
      if (fault.withdrawn) continue;
      const auto kept = std::ranges::find(added, fault.rule);
      if (kept != added.end()) {
        added.erase(kept);
        continue;
      }
      fault.withdrawn = true;
      fault.ends = fault.ends ? std::min(*fault.ends, now) : now;
    }
    for (const FaultRule& rule : added) begin(state, rule, now);
  });
  expire();
}

}  // namespace capstan::infrastructure::sim
