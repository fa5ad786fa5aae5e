#include "infrastructure/controller/orphans/search.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "api/policy/fleet_policy.h"
#include "api/policy/freeze.h"
#include "infrastructure/controller/account.h"
#include "infrastructure/controller/orphans/owners.h"
#include "infrastructure/controller/secrets.h"
#include "kube/typed.h"

namespace capstan::infrastructure {
namespace {

constexpr Nanoseconds kTimeout = std::chrono::minutes(5);  // of one account, and of the FleetPolicy

// One on its way out counts as none, as in the core.
OrphanSettings settings_in(const api::FleetPolicy& policy) {
  OrphanSettings settings;
  if (policy.metadata.deleting()) return settings;
  settings.frozen = api::policy::freeze_said_on(policy.metadata).has_value();
  settings.has_limits = !policy.spec.limits.empty() || !policy.spec.windows.empty();
  for (const api::FleetGrant& grant : policy.status.grants) {
    const bool is_open = grant.reason == api::policy::deletion::kOrphans && !grant.begun_at.is_set();
    if (is_open) settings.granted.push_back(grant.uid);
  }
  if (!policy.spec.orphans) return settings;
  const api::FleetOrphans& orphans = *policy.spec.orphans;
  settings.action = orphans.deletes() ? OrphanAction::Delete : OrphanAction::Report;
  settings.period = Seconds(orphans.period_seconds.value_or(api::FleetOrphans::kPeriodSeconds));
  return settings;
}

// What was marked first goes first.
auto place_in_line(const Finding& finding) {
  return std::tuple(!finding.since, finding.since.value_or(Time()), finding.provider_id);
}

}  // namespace

void OrphanSearch::start() {
  memory_ = {};
  found_.with([](auto& found) { found.reset(); });
  thread_ = deps_.threads.spawn("orphans", [this](const std::stop_token& stop) {
    refresh_settings(Deadline::in(deps_.clock, kTimeout, stop));
    while (deps_.threads.pause(Deadline::in(deps_.clock, settings().period, stop)) != Woken::Stopped) {
      refresh_settings(Deadline::in(deps_.clock, kTimeout, stop));
      look(Deadline::never(stop));
    }
  });
}

void OrphanSearch::stop() {
  if (thread_) thread_->request_stop();
  thread_.reset();
}

// Once per period; while the FleetPolicy can't be read they are what they were.
void OrphanSearch::refresh_settings(const Deadline& deadline) {
  if (deps_.settings) return;
  const auto now = live_settings(deadline);
  if (!now) return deps_.log.info("FleetPolicy not read", {{"error", now.error().describe()}});
  read_.with([&](OrphanSettings& settings) { settings = *now; });
}

Result<OrphanSettings> OrphanSearch::live_settings(const Deadline& deadline) const {
  if (deps_.settings) return deps_.settings();
  const ObjectKey fleet{.namespace_ = {}, .name = std::string(api::policy::kFleetPolicyName)};
  const auto policy = kube::get<api::FleetPolicy>(deps_.client, fleet, deadline);
  if (policy) return settings_in(*policy);
  if (policy.error().code == Code::NotFound) return OrphanSettings();
  return fail(policy.error());
}

void OrphanSearch::look(const Deadline& deadline) {
  const std::set<Source> all = sources();
  std::set<AccountId> listed;
  // Each gets the whole time: a driver that hangs is not to keep the others' VMs out of sight.
  for (const Source& source : all)
    look_at(source, listed, deadline.no_later_than(deps_.clock.steady_now() + kTimeout));
  forget_others(all);
  publish(by_cluster(listed));
}

OrphanSearch::Source OrphanSearch::source_of(const api::ObjectMeta& object, std::string_view driver,
                                             const std::optional<api::CredentialsRef>& ref) {
  if (!ref) return {.driver = std::string(driver)};
  return {.driver = std::string(driver), .namespace_ = object.namespace_.str(), .secret = ref->name.str()};
}

// Of objects that have VMs, and of those that will.
std::set<OrphanSearch::Source> OrphanSearch::sources() const {
  std::set<Source> found;
  const auto add = [&found](const auto& object) {
    found.insert(source_of(object->metadata, object->spec.driver, object->spec.credentials_ref));
  };
  std::ranges::for_each(deps_.caches.driver_machines.all(), add);
  std::ranges::for_each(deps_.caches.driver_machine_pools.all(), add);
  for (const auto& object : deps_.caches.driver_machine_templates.all()) {
    const auto& spec = object->spec.template_.spec;
    found.insert(source_of(object->metadata, spec.driver, spec.credentials_ref));
  }
  add_sources_of_clusters(found);
  return found;
}

// A DriverCluster names no driver, which matters only where no other object has its Secret.
void OrphanSearch::add_sources_of_clusters(std::set<Source>& found) const {
  for (const auto& object : deps_.caches.driver_clusters.all()) {
    const Source source = source_of(object->metadata, {}, object->spec.credentials_ref);
    const bool is_known = std::ranges::any_of(found, [&](const Source& each) {
      return each.namespace_ == source.namespace_ && each.secret == source.secret;
    });
    if (!is_known) found.insert(source);
  }
}

void OrphanSearch::look_at(const Source& source, std::set<AccountId>& listed, const Deadline& deadline) {
  std::optional<api::CredentialsRef> ref;
  if (!source.secret.empty()) ref = api::CredentialsRef{.name = Text(source.secret)};
  const auto credentials = read_credentials(deps_.client, source.namespace_, ref, deadline);
  if (!credentials) return;  // the objects' own turns say so
  const auto account = identify(source, *credentials, deadline);
  if (!account || listed.contains(*account)) return;
  Driver& driver = deps_.drivers.of(source.driver);
  const auto vms = driver.list({}, *credentials, deadline);
  if (!vms) return deps_.log.info("cloud not listed", {{"error", vms.error().describe()}});
  if (ask_account(driver, *credentials, deadline) != account->name) return;
  take_over(memory_.accounts[*account], account->name, source, *vms);
  listed.insert(*account);
}

// Nothing: it can't be said whose VMs a list would show. With another answer than at the last look the
// account's orphans are suspected anew.
std::optional<OrphanSearch::AccountId> OrphanSearch::identify(const Source& source,
                                                              const Credentials& credentials,
                                                              const Deadline& deadline) {
  Driver& driver = deps_.drivers.of(source.driver);
  const auto answer = ask_account(driver, credentials, deadline);
  if (!answer)
    deps_.log.info("cloud not listed", {{"namespace", source.namespace_},
                                        {"credentials", source.secret},
                                        {"error", answer.error().describe()}});
  if (!answer || answer->empty()) return std::nullopt;
  AccountId now{.driver = &driver, .name = *answer};
  const AccountId before = std::exchange(memory_.identities[source], now);
  if (!before.name.empty() && before != now) memory_.accounts.erase(now);
  return now;
}

// Objects are looked at after the list, for each is there before its VM.
void OrphanSearch::take_over(Account& account, const std::string& name, const Source& source,
                             const std::vector<Vm>& vms) {
  Owners owners = owners_in(deps_.caches);
  add_members(vms, owners);
  const ProviderIds marks = std::exchange(account.marks, {});
  account.findings.clear();
  for (const Vm& vm : vms) {
    auto finding = classify(vm, owners, marks);
    if (!finding) continue;
    finding->driver = source.driver;
    finding->account = name;
    finding->credentials = source.secret;
    finding->credentials_namespace = source.namespace_;
    if (is_suspect(finding->standing)) account.marks.insert(vm.provider_id);
    account.findings.push_back(std::move(*finding));
  }
}

// An account that no object leads to any more has nothing to tell.
void OrphanSearch::forget_others(const std::set<Source>& sources) {
  std::erase_if(memory_.identities, [&](const auto& each) { return !sources.contains(each.first); });
  std::set<AccountId> used;
  for (const auto& [source, account] : memory_.identities) used.insert(account);
  std::erase_if(memory_.accounts, [&](const auto& each) { return !used.contains(each.first); });
}

// What an earlier list showed stays in the status, and counts as confirmed no more, while the account can't
// be listed.
OrphanSearch::ByCluster OrphanSearch::by_cluster(const std::set<AccountId>& listed) const {
  ByCluster found;
  for (const auto& [id, account] : memory_.accounts) {
    for (Finding finding : account.findings) {
      finding.confirmed = finding.confirmed && listed.contains(id);
      found[finding.cluster].findings.push_back(std::move(finding));
    }
  }
  for (auto& [cluster, orphans] : found) std::ranges::sort(orphans.findings, {}, place_in_line);
  return found;
}

void OrphanSearch::publish(ByCluster now) {
  std::set<ObjectKey> news;
  for (const auto& [cluster, orphans] : now) news.insert(cluster);
  for (const auto& cluster : deps_.caches.driver_clusters.all()) {
    if (!cluster->status.orphans.empty()) news.insert(runtime::key_of(*cluster));
  }
  found_.with([&](auto& found) { found = std::move(now); });
  for (const ObjectKey& cluster : news) {
    if (wake_) wake_(cluster);
  }
}

std::optional<FoundOrphans> OrphanSearch::found(const ObjectKey& driver_cluster) const {
  return found_.with([&](const auto& found) -> std::optional<FoundOrphans> {
    if (!found) return std::nullopt;
    const auto at = found->find(driver_cluster);
    return at == found->end() ? FoundOrphans() : at->second;
  });
}

void OrphanSearch::set_mark(const ObjectKey& driver_cluster, const std::string& provider_id, Time since) {
  change(driver_cluster, provider_id, [&](Finding& vm) { vm.since = since; });
}

void OrphanSearch::keep(const ObjectKey& driver_cluster, const std::string& provider_id,
                        const std::string& why) {
  change(driver_cluster, provider_id, [&](Finding& vm) { vm.kept = why; });
}

void OrphanSearch::change(const ObjectKey& driver_cluster, const std::string& provider_id,
                          const std::function<void(Finding&)>& how) {
  found_.with([&](auto& found) {
    if (!found || !found->contains(driver_cluster)) return;
    for (Finding& each : found->at(driver_cluster).findings) {
      if (each.provider_id == provider_id) how(each);
    }
  });
}

void OrphanSearch::settle(const ObjectKey& driver_cluster, const std::string& provider_id) {
  found_.with([&](auto& found) {
    if (!found || !found->contains(driver_cluster)) return;
    std::erase_if(found->at(driver_cluster).findings,
                  [&](const Finding& each) { return each.provider_id == provider_id; });
  });
}

void OrphanSearch::count_deletion(const ObjectKey& driver_cluster) {
  found_.with([&](auto& found) {
    if (found) ++(*found)[driver_cluster].deleted;
  });
}

}  // namespace capstan::infrastructure
