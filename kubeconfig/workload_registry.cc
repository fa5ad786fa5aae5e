#include "kubeconfig/workload_registry.h"

#include <fmt/format.h>

#include <boost/json.hpp>
#include <map>
#include <utility>
#include <vector>

#include "base/try.h"
#include "kubeconfig/either_stop.h"
#include "kubeconfig/follow_clock.h"
#include "kubeconfig/secret.h"
#include "kubeconfig/session.h"

namespace capstan::kubeconfig {

using runtime::Context;
using runtime::Outcome;

namespace {

constexpr std::string_view kNotWanted =
    "no connection is made before its infrastructure is provisioned, nor to a cluster that is gone";
constexpr std::string_view kWhereServersMayBe =
    "; name another address of the API server, with https:// in front: neither a link-local one nor one in "
    "--workload-denied-cidrs";
constexpr std::string_view kNotYet = "the first attempt to connect is under way";

// The probe, our own pod, the probe again; the secret, and all of that with what it holds: each has a shorter
// time of its own.
constexpr auto kTurnTimeout = std::chrono::seconds(50);

// Upstream's, by cluster: gone with the entry that holds them.
struct Series {
  Gauge up = {};
  Gauge healthy = {};
  Counter successes = {};
  Counter errors = {};

  void lost() const {
    up.set(0);
    healthy.set(0);
  }
  void probed(bool well) const {
    healthy.set(well ? 1 : 0);
    (well ? successes : errors).add();
  }
};

struct Families {
  GaugeFamily up = {};
  GaugeFamily healthy = {};
  CounterFamily probes = {};
  Gauge connected = {};

  explicit Families(Metrics* metrics) : counted_(metrics != nullptr) {
    if (!counted_) return;
    up = metrics->gauges("capi_cluster_cache_connection_up", "1 while connected to the workload cluster",
                         {"cluster_name", "cluster_namespace"});
    healthy = metrics->gauges("capi_cluster_cache_healthcheck", "1 while its API server answers probes",
                              {"cluster_name", "cluster_namespace"});
    probes = metrics->counters("capi_cluster_cache_healthchecks_total", "probes of its API server",
                               {"cluster_name", "cluster_namespace", "status"});
    connected = metrics->gauges("capstan_connected_clusters", "workload clusters connected").with({});
  }
  Series of(const ObjectKey& cluster) const {
    if (!counted_) return {};
    Series series{.up = up.with({cluster.name, cluster.namespace_}),
                  .healthy = healthy.with({cluster.name, cluster.namespace_}),
                  .successes = probes.with({cluster.name, cluster.namespace_, "success"}),
                  .errors = probes.with({cluster.name, cluster.namespace_, "error"})};
    return series;
  }

 private:
  bool counted_;
};

std::string described(const Reach& reach) {
  if (!reach.first_failure.is_set()) return reach.problem;
  return fmt::format("{} (out of reach since {})", reach.problem, reach.first_failure.to_string());
}

// The kubeconfig Secret that was read last, and whether a connection came of it.
struct KnownSecret {
  std::string version = {};
  bool worked = false;
  std::optional<kube::Connection> access = {};  // kept while a server is silent that it has led to
  SteadyTime read = {};

  void doubt() {
    worked = false;
    access.reset();
  }
};

// The server may well be as it was: nothing says that it, or what is shown to it, is another one now.
bool is_silence(const Error& error) { return error.code == Code::Unavailable || error.code == Code::Timeout; }

// What is known of one cluster.
struct Entry {
  bool wanted = true;
  std::uint64_t generation = 0;  // of the wish: a cluster made anew under its name is another one
  std::stop_source ending = {};  // of what is done for this wish
  Reach reach = {.problem = std::string(kNotYet)};
  SteadyTime answered = {};       // last_success of `reach`, once it was connected
  Nanoseconds clock_offset = {};  // by which the times in `reach` are
  std::uint32_t failures = 0;     // attempts to connect in a row
  std::shared_ptr<ConnectedCluster> connected = {};
  std::unique_ptr<Session> session = {};  // used by the cluster's own turns only
  KnownSecret secret = {};
  Series series = {};
};

}  // namespace

class WorkloadRegistry::Parts final : public runtime::Reconciler {
 public:
  Parts(const RegistrySeams& seams, Dial dial, RegistryOptions options)
      : seams_(seams),
        dial_(std::move(dial)),
        options_(std::move(options)),
        log_(seams.log.component("clustercache")),
        families_(seams.metrics),
        controller_({.clock = seams.clock,
                     .threads = seams.threads,
                     .client = seams.management,
                     .randomness = seams.randomness,
                     .log = seams.log,
                     .metrics = seams.metrics},
                    {.name = "clustercache",
                     .kind = "Cluster",
                     .concurrency = options_.concurrency,
                     .turn_timeout = kTurnTimeout,
                     .queue = {}},
                    *this) {}

  Result<Outcome> reconcile(const Context& context, const ObjectKey& key) override;

  void want(const ObjectKey& cluster);
  void hurry(const ObjectKey& cluster);
  void forget(const ObjectKey& cluster);
  void stop();
  Result<std::shared_ptr<WorkloadCluster>> get(const ObjectKey& cluster) const;
  Reach reach(const ObjectKey& cluster) const;

  runtime::Controller& controller() { return controller_; }
  void on_reach_change(ClusterHandler handler) {
    handlers_.with([&](Handlers& all) { all.reach.push_back(std::move(handler)); });
  }
  void on_node_change(NodeHandler handler) {
    handlers_.with([&](Handlers& all) { all.nodes.push_back(std::move(handler)); });
  }

 private:
  struct Handlers {
    std::vector<ClusterHandler> reach = {};
    std::vector<NodeHandler> nodes = {};
  };
  using Entries = std::map<ObjectKey, Entry>;
  // One turn of one cluster.
  struct Turn {
    const ObjectKey& key;
    std::uint64_t generation = 0;
    Log log = {};
    Deadline deadline = {};  // stops when the cluster is forgotten, too
  };
  struct Order {
    bool wanted = false;
    std::uint64_t generation = 0;
    std::stop_token ending = {};
    Session* session = nullptr;
  };

  std::optional<Order> order(const ObjectKey& key) const;

  Outcome connect(const Turn& turn);
  Result<std::unique_ptr<Session>> open(const Turn& turn);
  Result<std::unique_ptr<Session>> open_with(const Turn& turn, kube::Connection access);
  std::optional<kube::Connection> known_access(const Turn& turn);
  Result<kube::Connection> fresh_access(const Turn& turn);
  void doubt_access(const Turn& turn);
  Result<std::unique_ptr<kube::Client>> dial(const Turn& turn, const kube::Connection& access);
  Outcome await_nodes(const Turn& turn, Session& session);
  Outcome connected(const Turn& turn, Session& session);
  Outcome look(const Turn& turn, Session& session);
  Outcome after_probe(const Turn& turn, Session& session);
  Outcome failed(const Turn& turn, const Error& error);
  void publish(const Turn& turn, Session& session);
  void drop(const ObjectKey& key, const std::string& why);
  void erase(const ObjectKey& key);

  // Runs the action on the entry, as long as it still is the one the turn is about.
  template <typename Fn>
  bool with_entry(const Turn& turn, const Fn& fn) {
    return entries_.with([&](Entries& entries) {
      const auto at = entries.find(turn.key);
      if (at == entries.end() || at->second.generation != turn.generation || !at->second.wanted) return false;
      follow_clock(at->second.reach, offset_of(now()) - at->second.clock_offset);
      at->second.clock_offset = offset_of(now());
      fn(at->second);
      return true;
    });
  }

  Result<void> ask(const Turn& turn, kube::Client& wire, const std::string& server);
  static Error explained(const Turn& turn, Error error);
  Moment now() const { return {.steady = seams_.clock.steady_now(), .wall = seams_.clock.now()}; }
  Moment at(SteadyTime steady) const;
  double chance() const { return unit_interval(seams_.randomness.next()); }
  void call_reach_handlers(const ObjectKey& cluster) const;
  void call_node_handlers(const ObjectKey& cluster, const runtime::Change<api::Node>& change) const;

  const RegistrySeams seams_;
  const Dial dial_;
  const RegistryOptions options_;
  const Log log_;
  const Families families_;
  Guarded<std::uint64_t> wishes_;
  Guarded<Handlers> handlers_;
  Guarded<Entries> entries_;
  runtime::Controller controller_;  // last: no turn is running once it is gone
};

// --- what the caller says ---

void WorkloadRegistry::Parts::want(const ObjectKey& cluster) {
  const std::uint64_t number = wishes_.with([](std::uint64_t& count) { return ++count; });
  Series series = families_.of(cluster);
  const bool fresh = entries_.with([&](Entries& entries) {
    const auto [entry, added] = entries.try_emplace(cluster);
    if (!added && entry->second.wanted) return false;
    Entry& again = entry->second;
    again.wanted = true;
    again.generation = number;
    again.ending = std::stop_source();
    again.reach = Entry().reach;
    again.failures = 0;
    again.secret.doubt();
    if (added) again.series = std::move(series);
    again.series.lost();
    return true;
  });
  if (fresh) controller_.queue().add(cluster);
}

void WorkloadRegistry::Parts::hurry(const ObjectKey& cluster) {
  const bool waits = entries_.with([&](Entries& entries) {
    const auto entry = entries.find(cluster);
    if (entry == entries.end() || !entry->second.wanted || entry->second.connected) return false;
    entry->second.secret.doubt();
    return !entry->second.session;
  });
  if (waits) controller_.queue().add(cluster);
}

void WorkloadRegistry::Parts::forget(const ObjectKey& cluster) {
  std::optional<std::stop_source> ending;
  std::shared_ptr<ConnectedCluster> lost;
  entries_.with([&](Entries& entries) {
    const auto entry = entries.find(cluster);
    if (entry == entries.end() || !entry->second.wanted) return;
    entry->second.wanted = false;
    entry->second.secret.doubt();
    entry->second.reach = {.problem = std::string(kNotWanted)};
    ending = entry->second.ending;
    lost = entry->second.connected;
  });
  if (!ending) return;
  ending->request_stop();
  if (lost) lost->gate().shut(std::string(kNotWanted));
  controller_.queue().add(cluster);
}

// --- what controllers ask ---

Result<std::shared_ptr<WorkloadCluster>> WorkloadRegistry::Parts::get(const ObjectKey& cluster) const {
  std::string why(kNotWanted);
  auto found = entries_.with([&](const Entries& entries) -> std::shared_ptr<WorkloadCluster> {
    const auto entry = entries.find(cluster);
    if (entry == entries.end()) return nullptr;
    if (entry->second.reach.connected) return entry->second.connected;
    why = described(entry->second.reach);
    return nullptr;
  });
  if (found) return found;
  return fail(Code::NotConnected, fmt::format("workload cluster {}: {}", cluster.describe(), why));
}

Reach WorkloadRegistry::Parts::reach(const ObjectKey& cluster) const {
  return entries_.with([&](const Entries& entries) {
    const auto entry = entries.find(cluster);
    if (entry == entries.end()) return Reach{.problem = std::string(kNotWanted)};
    Reach reach = entry->second.reach;
    follow_clock(reach, offset_of(now()) - entry->second.clock_offset);
    return reach;
  });
}

// --- a turn ---

Result<Outcome> WorkloadRegistry::Parts::reconcile(const Context& context, const ObjectKey& key) {
  auto wish = order(key);
  if (!wish) return Outcome::done();
  if (wish->session != nullptr && (!wish->wanted || wish->session->generation != wish->generation)) {
    drop(key, std::string(kNotWanted));
    wish->session = nullptr;
  }
  if (!wish->wanted) {
    erase(key);
    return Outcome::done();
  }
  const EitherStop stop(context.deadline.stop, wish->ending);
  const Turn turn{.key = key,
                  .generation = wish->generation,
                  .log = context.log,
                  .deadline = {.at = context.deadline.at, .stop = stop.token()}};
  if (wish->session == nullptr) return connect(turn);
  if (!wish->session->probe) return await_nodes(turn, *wish->session);
  return look(turn, *wish->session);
}

std::optional<WorkloadRegistry::Parts::Order> WorkloadRegistry::Parts::order(const ObjectKey& key) const {
  return entries_.with([&](const Entries& entries) -> std::optional<Order> {
    const auto found = entries.find(key);
    if (found == entries.end()) return {};
    const Entry& entry = found->second;
    return Order{.wanted = entry.wanted,
                 .generation = entry.generation,
                 .ending = entry.ending.get_token(),
                 .session = entry.session.get()};
  });
}

// A stopped turn has no say: the wish is withdrawn and a turn for that is queued, or everything ends.
Outcome WorkloadRegistry::Parts::connect(const Turn& turn) {
  auto opened = open(turn);
  if (turn.deadline.stopped()) return Outcome::done();
  if (!opened) return failed(turn, opened.error());
  Session& session = **opened;
  session.generation = turn.generation;
  session.opened = now().steady;
  if (!with_entry(turn, [&](Entry& entry) { entry.session = std::move(*opened); })) return Outcome::done();
  session.start();
  return Outcome::after(options_.list_timeout);
}

// A server that is silent for hours costs the management cluster next to nothing: what worked is tried again
// and again.
Result<std::unique_ptr<Session>> WorkloadRegistry::Parts::open(const Turn& turn) {
  if (auto known = known_access(turn)) {
    auto opened = open_with(turn, std::move(*known));
    if (opened || turn.deadline.stopped() || is_silence(opened.error())) return opened;
    doubt_access(turn);
  }
  return open_with(turn, TRY(fresh_access(turn)));
}

std::optional<kube::Connection> WorkloadRegistry::Parts::known_access(const Turn& turn) {
  std::optional<kube::Connection> known;
  with_entry(turn, [&](const Entry& entry) {
    if (now().steady - entry.secret.read < options_.secret_every) known = entry.secret.access;
  });
  return known;
}

Result<kube::Connection> WorkloadRegistry::Parts::fresh_access(const Turn& turn) {
  const SteadyTime begin = now().steady;
  const SteadyTime soon = begin + options_.secret_timeout;
  auto access = TRY(read_access(seams_.management, turn.key, turn.deadline.no_later_than(soon)));
  with_entry(turn, [&](Entry& entry) {
    const bool same = entry.secret.worked && entry.secret.version == access.version;
    entry.secret = {.version = access.version, .worked = same, .read = begin};
    if (same) entry.secret.access = access.connection;
  });
  return std::move(access.connection);
}

void WorkloadRegistry::Parts::doubt_access(const Turn& turn) {
  with_entry(turn, [](Entry& entry) { entry.secret.doubt(); });
}

Result<std::unique_ptr<Session>> WorkloadRegistry::Parts::open_with(const Turn& turn,
                                                                    kube::Connection access) {
  auto wire = TRY(dial(turn, access));
  if (options_.own_pod) {
    const SteadyTime until = now().steady + options_.probe.timeout;
    if (TRY(runs_in(*wire, *options_.own_pod, turn.deadline.no_later_than(until)))) {
      access = from_inside(std::move(access), options_.own_pod->server);
      wire = TRY(dial(turn, access));
    }
  }
  return std::make_unique<Session>(
      Session::Seams{.clock = seams_.clock,
                     .threads = seams_.threads,
                     .loop = seams_.loop,
                     .log = seams_.log.with({{"Cluster", turn.key}}),
                     .seed = seams_.randomness.next(),
                     .watches = options_.watches,
                     .gate = options_.gate},
      access.server, std::move(wire),
      Session::Hooks{
          .on_node = [this, key = turn.key](const auto& change) { call_node_handlers(key, change); },
          .on_news = [this, key = turn.key] { controller_.queue().add(key); }});
}

// A client of a server that has answered.
Result<std::unique_ptr<kube::Client>> WorkloadRegistry::Parts::dial(const Turn& turn,
                                                                    const kube::Connection& access) {
  with_entry(turn, [&](Entry& entry) { entry.reach.insecure = access.insecure_skip_tls_verify; });
  auto wire = dial_(access, options_.limits);
  if (!wire)
    return fail(wire.error().context(
        fmt::format("secret {}: kubeconfig of {}", secret_key_of(turn.key).describe(), access.server)));
  const auto answer = ask(turn, **wire, access.server);
  Series series;
  with_entry(turn, [&](const Entry& entry) { series = entry.series; });
  if (!turn.deadline.stopped()) series.probed(answer.has_value());
  if (!answer) return fail(answer.error());
  return wire;
}

// Whether the API server lives and knows us.
Result<void> WorkloadRegistry::Parts::ask(const Turn& turn, kube::Client& wire, const std::string& server) {
  const SteadyTime until = now().steady + options_.probe.timeout;
  const auto answer = wire.get_path(kProbePath, turn.deadline.no_later_than(until));
  if (answer || is_answer(answer.error())) return {};
  return fail(explained(turn, answer.error().context(fmt::format("GET {} of {}", kProbePath, server))));
}

// Where the Secret's server must not be, the error says what its owner can do.
Error WorkloadRegistry::Parts::explained(const Turn& turn, Error error) {
  if (error.reason != net::kAddressDenied) return error;
  error.message += kWhereServersMayBe;
  return error.context(
      fmt::format("secret {}: kubeconfig: server or proxy-url", secret_key_of(turn.key).describe()));
}

Outcome WorkloadRegistry::Parts::await_nodes(const Turn& turn, Session& session) {
  if (session.listed()) return connected(turn, session);
  std::optional<Error> trouble = session.trouble();
  const SteadyTime until = session.opened + options_.list_timeout;
  const SteadyTime here = now().steady;
  if (!trouble && here < until) return Outcome::after(until - here);
  if (!trouble) trouble = Error{.code = Code::Timeout, .message = "no complete answer in time"};
  const Error error = explained(turn, trouble->context("list nodes of " + session.server()));
  drop(turn.key, error.message);
  return failed(turn, error);
}

Outcome WorkloadRegistry::Parts::connected(const Turn& turn, Session& session) {
  session.probe.emplace(now());
  bool insecure = false;
  const bool still = with_entry(turn, [&](Entry& entry) {
    entry.connected = session.cluster();
    entry.failures = 0;
    entry.secret.worked = true;
    entry.secret.access.reset();
    entry.reach = {.connected = true,
                   .last_success = Time::from(session.probe->last_success()),
                   .insecure = entry.reach.insecure};
    entry.answered = session.probe->last_answer();
    entry.series.up.set(1);
    insecure = entry.reach.insecure;
  });
  if (!still) return Outcome::done();
  families_.connected.add(1);
  turn.log.info("workload cluster connected", {{"server", session.server()},
                                               {"nodes", session.cluster()->nodes().size()},
                                               {"certificateVerified", !insecure}});
  call_reach_handlers(turn.key);
  return Outcome::after(options_.probe.every);
}

// Listens first: a cluster that was heard of is not probed, unless it refused the credentials of a request.
Outcome WorkloadRegistry::Parts::look(const Turn& turn, Session& session) {
  Probe& probe = *session.probe;
  if (const auto heard = session.heard()) probe.heard(at(*heard));
  const bool refused = session.take_refused();
  if (!refused && now().steady < probe.due(options_.probe)) return after_probe(turn, session);

  const auto answer = ask(turn, session.wire(), session.server());
  if (turn.deadline.stopped()) return Outcome::done();
  with_entry(turn, [&](const Entry& entry) { entry.series.probed(answer.has_value()); });
  if (!answer && answer.error().code == Code::Unauthorized) {
    turn.log.info("credentials were refused, reading the kubeconfig again", {{"error", answer.error()}});
    drop(turn.key, answer.error().message);
    doubt_access(turn);
    return connect(turn);
  }
  if (answer) probe.answered(now());
  if (!answer) probe.failed(now(), answer.error().message);
  return after_probe(turn, session);
}

Outcome WorkloadRegistry::Parts::after_probe(const Turn& turn, Session& session) {
  const Probe& probe = *session.probe;
  if (probe.health(options_.probe) == Health::Down) {
    const Error lost{.code = Code::Unavailable,
                     .message = fmt::format("{} probes in a row failed: {}", probe.failures(), probe.why())};
    publish(turn, session);
    turn.log.error("workload cluster lost", {{"server", session.server()}, {"error", lost}});
    drop(turn.key, lost.message);
    return failed(turn, lost);
  }
  publish(turn, session);
  return Outcome::after(std::max(probe.due(options_.probe) - now().steady, Nanoseconds(1)));
}

// What the probe says now: the answer of reach() and, when it turned, a call of the handlers.
void WorkloadRegistry::Parts::publish(const Turn& turn, Session& session) {
  const Probe& probe = *session.probe;
  with_entry(turn, [&](Entry& entry) {
    // What has been said already may have followed a clock that was set.
    if (std::exchange(entry.answered, probe.last_answer()) != probe.last_answer())
      entry.reach.last_success = Time::from(probe.last_success());
    if (!probe.first_failure()) {
      entry.reach.first_failure = {};
    } else if (!entry.reach.first_failure.is_set()) {
      entry.reach.first_failure = Time::from(*probe.first_failure());
    }
    entry.reach.doubt = probe.why();
  });
  const Health health = probe.health(options_.probe);
  if (std::exchange(session.published, health) == health || health == Health::Down) return;
  if (health == Health::Suspect) session.gate().refuse(probe.why());
  if (health == Health::Connected) session.gate().open();
  turn.log.info("workload cluster answers differently", {{"health", health}, {"why", probe.why()}});
  call_reach_handlers(turn.key);
}

// No connection for now: why, and when to try again.
Outcome WorkloadRegistry::Parts::failed(const Turn& turn, const Error& error) {
  std::uint32_t failures = 0;
  bool news = false;
  with_entry(turn, [&](Entry& entry) {
    failures = ++entry.failures;
    if (!is_silence(error)) entry.secret.doubt();
    news = entry.reach.problem != error.message;
    entry.reach.connected = false;
    entry.reach.problem = error.message;
    entry.reach.doubt.clear();
    if (!entry.reach.first_failure.is_set()) entry.reach.first_failure = Time::from(seams_.clock.now());
  });
  if (news) {
    turn.log.info("workload cluster can't be reached, will be tried again", {{"error", error}});
    call_reach_handlers(turn.key);
  }
  const Nanoseconds pause = options_.backoff.delay(static_cast<int>(failures), chance());
  return Outcome::after(std::max<Nanoseconds>(pause, error.retry_after.value_or(Seconds(0))));
}

// The session ends; requests through its client answer NotConnected.
void WorkloadRegistry::Parts::drop(const ObjectKey& key, const std::string& why) {
  std::unique_ptr<Session> session;
  std::shared_ptr<ConnectedCluster> lost;
  entries_.with([&](Entries& entries) {
    Entry& entry = entries.at(key);
    session = std::move(entry.session);
    lost = std::move(entry.connected);
    if (lost && entry.generation == session->generation && entry.wanted) entry.reach.problem = why;
    entry.reach.connected = false;
    entry.reach.doubt.clear();
    entry.series.lost();
  });
  session->gate().shut(why);
  session->stop();
  session.reset();
  if (!lost) return;
  families_.connected.add(-1);
  call_reach_handlers(key);
}

void WorkloadRegistry::Parts::erase(const ObjectKey& key) {
  entries_.with([&](Entries& entries) {
    const auto entry = entries.find(key);
    if (entry != entries.end() && !entry->second.wanted) entries.erase(entry);
  });
}

void WorkloadRegistry::Parts::stop() {
  controller_.stop();
  Entries ended = entries_.with([](Entries& entries) { return std::exchange(entries, {}); });
  for (auto& [key, entry] : ended) {
    if (entry.session) entry.session->gate().shut("the manager stops");
    if (entry.connected) families_.connected.add(-1);
  }
}

// --- small things ---

Moment WorkloadRegistry::Parts::at(SteadyTime steady) const {
  const Moment here = now();
  return {.steady = steady, .wall = here.wall - (here.steady - steady)};
}

void WorkloadRegistry::Parts::call_reach_handlers(const ObjectKey& cluster) const {
  const auto handlers = handlers_.with([](const Handlers& all) { return all.reach; });
  for (const auto& handler : handlers) handler(cluster);
}

void WorkloadRegistry::Parts::call_node_handlers(const ObjectKey& cluster,
                                                 const runtime::Change<api::Node>& change) const {
  const auto handlers = handlers_.with([](const Handlers& all) { return all.nodes; });
  for (const auto& handler : handlers) handler(cluster, change);
}

// --- the public face ---

WorkloadRegistry::WorkloadRegistry(const RegistrySeams& seams, Dial dial, RegistryOptions options)
    : parts_(std::make_unique<Parts>(seams, std::move(dial), std::move(options))) {}

WorkloadRegistry::~WorkloadRegistry() { stop(); }

void WorkloadRegistry::start() { parts_->controller().start(); }
void WorkloadRegistry::stop() { parts_->stop(); }
void WorkloadRegistry::want(const ObjectKey& cluster) { parts_->want(cluster); }
void WorkloadRegistry::hurry(const ObjectKey& cluster) { parts_->hurry(cluster); }
void WorkloadRegistry::forget(const ObjectKey& cluster) { parts_->forget(cluster); }

Result<std::shared_ptr<WorkloadCluster>> WorkloadRegistry::get(const ObjectKey& cluster) {
  return parts_->get(cluster);
}

Reach WorkloadRegistry::reach(const ObjectKey& cluster) const { return parts_->reach(cluster); }

void WorkloadRegistry::on_reach_change(ClusterHandler handler) {
  parts_->on_reach_change(std::move(handler));
}

void WorkloadRegistry::on_node_change(NodeHandler handler) { parts_->on_node_change(std::move(handler)); }

const runtime::Controller& WorkloadRegistry::controller() const { return parts_->controller(); }
void WorkloadRegistry::refresh_metrics() { parts_->controller().refresh_metrics(); }

}  // namespace capstan::kubeconfig
