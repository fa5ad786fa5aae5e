#include "infrastructure/sim/kubelet.h"

#include <algorithm>
#include <boost/json.hpp>

#include "base/backoff.h"
#include "base/hash.h"
#include "base/try.h"
#include "infrastructure/sim/node.h"
#include "kube/resources.h"

namespace capstan::infrastructure::sim {
namespace {

namespace json = boost::json;
using namespace std::chrono_literals;

constexpr Nanoseconds kRequestTimeout = 10s;
constexpr Nanoseconds kNoControlPlane = 1s;
constexpr Nanoseconds kNever = Nanoseconds::max();  // nothing to do until the VM goes
constexpr Backoff kRetry = {.initial = 500ms, .cap = 10s};

// Where Leases are not renewed, the status alone is reported.
Nanoseconds beats_every(const Script& script) {
  return script.lease_every > 0s ? script.lease_every : script.status_every;
}

// Kubelets that started together must not beat together.
Nanoseconds first_in_period(Nanoseconds period, const SimVm& vm) {
  const std::uint64_t drawn = hash_bytes(vm.vm.provider_id) % 1000;
  return period * static_cast<std::int64_t>(drawn) / 1000;
}

std::string provider_id_of(const json::value& node) {
  boost::system::error_code absent;
  const json::value* id = node.find_pointer("/spec/providerID", absent);
  return id != nullptr && id->is_string() ? std::string(id->as_string()) : std::string();
}

}  // namespace

Kubelets::Kubelets(const KubeletDeps& deps, std::size_t workers) : deps_(deps), workers_(workers) {
  deps_.cloud.listen(*this);
}

Kubelets::~Kubelets() { stop(); }

void Kubelets::start() {
  for (std::size_t i = 0; i < workers_; ++i) {
    threads_.push_back(deps_.threads.spawn("kubelets", [this](const std::stop_token& token) { run(token); }));
  }
}

void Kubelets::stop() {
  for (const auto& thread : threads_) thread->request_stop();
  threads_.clear();
}

std::size_t Kubelets::count() const {
  return agenda_.with([](const Agenda& agenda) { return agenda.kubelets.size(); });
}

// --- events of the cloud ---

void Kubelets::vm_started(const SimVm& vm) {
  const SteadyTime at = vm.created + vm.registers_after;
  agenda_.with([&](Agenda& agenda) {
    const auto silent = agenda.kubelets.find(vm.vm.provider_id);
    if (silent != agenda.kubelets.end()) agenda.due.erase({silent->second.due, vm.vm.provider_id});
    agenda.kubelets[vm.vm.provider_id] = {.vm = vm, .due = at};
    agenda.due.emplace(at, vm.vm.provider_id);
  });
  changed_.notify();
}

void Kubelets::vm_gone(const std::string& provider_id, Farewell farewell) {
  const SteadyTime given_up = deps_.clock.steady_now() + deps_.cloud.script().silence_grace;
  agenda_.with([&](Agenda& agenda) {
    const auto found = agenda.kubelets.find(provider_id);
    if (found == agenda.kubelets.end()) return;
    Kubelet& kubelet = found->second;
    agenda.due.erase({kubelet.due, provider_id});
    const bool may_have_node = kubelet.phase != Phase::Booting || kubelet.at_work;
    if (farewell == Farewell::Vanished && may_have_node) {
      kubelet.phase = Phase::Abandoned;
      kubelet.due = given_up;
      agenda.due.emplace(given_up, provider_id);
    } else if (kubelet.at_work) {
      kubelet.gone = true;
    } else {
      agenda.kubelets.erase(found);
    }
  });
  changed_.notify();
}

// --- the loop ---

void Kubelets::run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    const std::uint64_t seen = changed_.count();
    if (work_on_one_due(stop)) continue;
    deps_.threads.wait(changed_, seen, Deadline{.at = next_due(), .stop = stop});
  }
}

SteadyTime Kubelets::next_due() {
  const auto vanishing = deps_.cloud.expire();
  const SteadyTime next = agenda_.with([](const Agenda& agenda) {
    return agenda.due.empty() ? SteadyTime::max() : agenda.due.begin()->first;
  });
  return vanishing ? std::min(next, *vanishing) : next;
}

bool Kubelets::work_on_one_due(const std::stop_token& stop) {
  deps_.cloud.expire();
  const SteadyTime now = deps_.clock.steady_now();
  auto taken = agenda_.with([&](Agenda& agenda) -> std::optional<Kubelet> {
    if (agenda.due.empty() || agenda.due.begin()->first > now) return std::nullopt;
    const std::string provider_id = agenda.due.begin()->second;
    agenda.due.erase(agenda.due.begin());
    Kubelet& kubelet = agenda.kubelets.at(provider_id);
    kubelet.at_work = true;
    return kubelet;
  });
  if (!taken) return false;
  const Later later = step(*taken, stop);
  put_back(taken->vm.vm.provider_id, *taken, later);
  return true;
}

void Kubelets::put_back(const std::string& provider_id, const Kubelet& done, Later later) {
  const SteadyTime now = deps_.clock.steady_now();
  agenda_.with([&](Agenda& agenda) {
    const auto found = agenda.kubelets.find(provider_id);
    if (found == agenda.kubelets.end()) return;
    Kubelet& kubelet = found->second;
    kubelet.at_work = false;
    const bool given_up_meanwhile = kubelet.phase == Phase::Abandoned && done.phase != Phase::Abandoned;
    const bool back_meanwhile = kubelet.phase != Phase::Abandoned && done.phase == Phase::Abandoned;
    if (given_up_meanwhile || back_meanwhile) return;  // its own entry is on the agenda
    if (kubelet.gone || !later) {
      agenda.kubelets.erase(found);
      return;
    }
    kubelet = done;
    kubelet.at_work = false;
    if (*later == kNever) return;
    kubelet.due = now + *later;
    agenda.due.emplace(kubelet.due, provider_id);
  });
  changed_.notify();
}

Kubelets::Later Kubelets::step(Kubelet& kubelet, const std::stop_token& stop) {
  const auto client = deps_.control_planes.client(kubelet.vm.cluster);
  if (client == nullptr) return kubelet.phase == Phase::Abandoned ? Later() : Later(kNoControlPlane);
  const Deadline deadline = Deadline::in(deps_.clock, kRequestTimeout, stop);
  switch (kubelet.phase) {
    case Phase::Booting: return register_node(kubelet, *client, deadline);
    case Phase::Starting: return report_ready(kubelet, *client, deadline);
    case Phase::Running: return beat(kubelet, *client, deadline);
    case Phase::Abandoned: return declare_lost(kubelet, *client, deadline);
  }
  return std::nullopt;
}

// --- the steps ---

Kubelets::Later Kubelets::register_node(Kubelet& kubelet, kube::Client& client, const Deadline& deadline) {
  const Nanoseconds ready_after = deps_.cloud.script().ready_after;
  const bool ready = ready_after <= 0s;
  const json::value node = node_object(kubelet.vm, ready, Time::from(deps_.clock.now()));
  const kube::ObjectKey key{.name = kubelet.vm.vm.name};
  auto created = client.create(kube::resources::nodes(), key, node, {}, deadline);
  const bool was_there = !created && created.error().code == Code::AlreadyExists;
  if (was_there) {  // an answer was lost, or the VM was silent for a while
    created = client.get(kube::resources::nodes(), key, deadline);
    if (created && provider_id_of(*created) != kubelet.vm.vm.provider_id)
      return retry(kubelet, "a Node of that name belongs to another VM", Error{.code = Code::AlreadyExists});
  }
  if (!created) return retry(kubelet, "node not registered", created.error());
  deps_.log.debug("node registered", {{"node", key.name}, {"providerID", kubelet.vm.vm.provider_id}});
  kubelet.failures = 0;
  kubelet.status_due =
      deps_.clock.steady_now() + first_in_period(deps_.cloud.script().status_every, kubelet.vm);
  kubelet.phase = ready && !was_there ? Phase::Running : Phase::Starting;
  return kubelet.phase == Phase::Running ? first_beat(kubelet) : Later(ready_after);
}

Kubelets::Later Kubelets::report_ready(Kubelet& kubelet, kube::Client& client, const Deadline& deadline) {
  const auto patched = client.patch(kube::resources::nodes(), {.name = kubelet.vm.vm.name},
                                    ready_patch(Time::from(deps_.clock.now())),
                                    {.type = kube::PatchType::Strategic, .subresource = "status"}, deadline);
  if (!patched) return retry(kubelet, "node not made ready", patched.error());
  kubelet.failures = 0;
  kubelet.phase = Phase::Running;
  return first_beat(kubelet);
}

Kubelets::Later Kubelets::first_beat(Kubelet& kubelet) const {
  const Nanoseconds every = beats_every(deps_.cloud.script());
  return every <= 0s ? kNever : first_in_period(every, kubelet.vm);
}

Kubelets::Later Kubelets::beat(Kubelet& kubelet, kube::Client& client, const Deadline& deadline) {
  const Script& script = deps_.cloud.script();
  const Nanoseconds every = beats_every(script);
  if (every <= 0s) return kNever;
  if (script.lease_every > 0s) {
    const auto renewed = renew_lease(kubelet, client, deadline);
    if (!renewed) return retry(kubelet, "lease not renewed", renewed.error());
  }
  kubelet.failures = 0;
  const SteadyTime now = deps_.clock.steady_now();
  if (script.status_every > 0s && now >= kubelet.status_due) {
    kubelet.status_due = now + script.status_every;
    // A lost heartbeat is no trouble: the next one comes in time.
    (void)client.patch(kube::resources::nodes(), {.name = kubelet.vm.vm.name},
                       heartbeat_patch(Time::from(deps_.clock.now())),
                       {.type = kube::PatchType::Strategic, .subresource = "status"}, deadline);
  }
  return every;
}

Result<void> Kubelets::renew_lease(Kubelet& kubelet, kube::Client& client, const Deadline& deadline) {
  const kube::ObjectKey key{.namespace_ = "kube-node-lease", .name = kubelet.vm.vm.name};
  const MicroTime now = MicroTime::from(deps_.clock.now());
  if (kubelet.has_lease) {
    const auto patched = client.patch(kube::resources::leases(), key, lease_patch(now), {}, deadline);
    if (patched) return {};
    if (patched.error().code != Code::NotFound) return fail(patched.error());
  }
  const auto created =
      client.create(kube::resources::leases(), key, lease_object(kubelet.vm, now), {}, deadline);
  if (!created && created.error().code != Code::AlreadyExists) return fail(created.error());
  kubelet.has_lease = true;
  return {};
}

// Meanwhile another VM may have taken the name, and its Node is not the one that fell silent.
Kubelets::Later Kubelets::declare_lost(Kubelet& kubelet, kube::Client& client, const Deadline& deadline) {
  const auto node = client.get(kube::resources::nodes(), {.name = kubelet.vm.vm.name}, deadline);
  if (!node && is_transient(node.error().code)) return retry(kubelet, "node not looked at", node.error());
  if (!node || provider_id_of(*node) != kubelet.vm.vm.provider_id) return std::nullopt;
  const auto patched = client.patch(kube::resources::nodes(), {.name = kubelet.vm.vm.name},
                                    lost_patch(Time::from(deps_.clock.now())),
                                    {.type = kube::PatchType::Strategic, .subresource = "status"}, deadline);
  if (!patched && is_transient(patched.error().code))
    return retry(kubelet, "node not given up", patched.error());
  return std::nullopt;
}

Kubelets::Later Kubelets::retry(Kubelet& kubelet, std::string_view what, const Error& error) const {
  deps_.log.debug("kubelet tries again",
                  {{"what", what}, {"node", kubelet.vm.vm.name}, {"error", error.message}});
  return kRetry.delay(kubelet.failures++);
}

}  // namespace capstan::infrastructure::sim
