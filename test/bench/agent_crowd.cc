#include "test/bench/agent_crowd.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "agent/joined_fixture.h"
#include "agent/loop.h"
#include "api/bootstrap/node_config_release.h"
#include "test/bench/bench_fleet.h"
#include "test/fakes/relay_client.h"

namespace capstan::bench {
namespace {

namespace json = boost::json;

constexpr std::string_view kFacts = "/etc/capstan/agent.json";

std::string facts_of(const std::string& machine, const net::KeyAndCertificate& ca) {
  return json::serialize(
      json::value{{"server", "https://10.0.0.1:6443"},
                  {"certificateAuthority", ca.certificate_pem},
                  {"namespace", "default"},
                  {"machine", machine},
                  {"version", "v1.35.0"},
                  {"nodeConfig", "workers"},
                  {"secret", api::bootstrap::node_config_secret_name("default", "workers")}});
}

net::Subject agent_of(const std::string& machine) {
  return {.common_name = "capstan.dev:agent:default:" + machine,
          .organizations = {"capstan.dev:node-config:default:workers"}};
}

Result<void> fetch_nothing(const std::string& url, agent::PendingFile&, const Deadline&) {
  return fail(Code::NotFound, url);
}

}  // namespace

struct AgentCrowd::Member {
  Member(fakes::Baton& baton, agent::Dial dial, std::size_t index)
      : randomness(index),
        root(must(agent::Root::open(machine.folder(), baton))),
        deps{.tools = {.root = root,
                       .systemctl = systemctl,
                       .fetch = fetch,
                       .clock = baton,
                       .threads = baton,
                       .own = agent::own_mark()},
             .randomness = randomness,
             .dial = std::move(dial),
             .changed = changed},
        program(deps, {.facts_path = std::string(kFacts)}),
        rounds(program, deps) {}

  // When its loop runs the next round, as it looks now.
  SteadyTime due() const { return changed.count() == rest.seen ? rest.latest : rest.earliest; }

  agent::ScratchRoot machine{agent::folder_in_memory()};
  SeededRandomness randomness;
  Signal changed{"changed"};
  std::set<Listening*> streams = {};  // outlive none of the agent's
  agent::Root root;
  agent::FakeSystemctl systemctl = {};
  agent::Fetch fetch = fetch_nothing;
  agent::AgentDeps deps;
  agent::Agent program;
  agent::Rounds rounds;
  agent::Rest rest = {};
  SteadyTime planned = {};  // its entry in the agenda
};

// A watch of one agent, read when the crowd says so.
class AgentCrowd::Listening final : public kube::Stream {
 public:
  Listening(AgentCrowd& crowd, std::size_t index, const apiserver::Request& asked, kube::StreamSink& sink)
      : member_(*crowd.members_.at(index)), sink_(sink) {
    auto opened = crowd.api_.watch(asked);
    if (!opened) throw std::runtime_error("an agent's watch was refused: " + opened.error().text());
    watch_ = std::move(*opened);
    member_.streams.insert(this);
    watch_->on_ready([&crowd, index] {
      crowd.heard_.push_back(index);
      crowd.news_.notify();
    });
  }
  ~Listening() override { member_.streams.erase(this); }

  void pump(SteadyTime now) {
    if (over_) return;
    for (auto events = watch_->take(now); !events.empty(); events = watch_->take(now))
      for (const auto& event : events) sink_.on_bytes(event.line());
    if (!watch_->ended()) return;
    over_ = true;
    sink_.on_end({});
  }
  SteadyTime ends_at() const { return over_ ? SteadyTime::max() : watch_->wake_at(); }

 private:
  Member& member_;
  kube::StreamSink& sink_;
  std::unique_ptr<apiserver::Watch> watch_;
  bool over_ = false;
};

// A connection of one agent.
class AgentCrowd::Line final : public fakes::RelayClient {
 public:
  Line(AgentCrowd& crowd, std::size_t index) : RelayClient(crowd.client_), crowd_(crowd), index_(index) {}

  std::unique_ptr<kube::Stream> watch(const kube::Resource& resource, const kube::WatchOptions& options,
                                      kube::StreamSink& sink) override {
    ++crowd_.this_second().watches;
    return std::make_unique<Listening>(
        crowd_, index_,
        apiserver::Request{.verb = apiserver::Verb::Watch,
                           .group = resource.group,
                           .version = resource.version,
                           .resource = resource.plural,
                           .namespace_ = options.namespace_,
                           .query = {.field_selector = options.field_selector,
                                     .resource_version = options.resource_version,
                                     .timeout_seconds = options.timeout_seconds}},
        sink);
  }

 private:
  std::optional<Error> sending(const fakes::Asked& asked) override {
    Load& load = crowd_.this_second();
    ++load.requests;
    ++load.kinds[fmt::format("{} {}", fakes::to_string(asked.call), asked.resource->kind)];
    return {};
  }

  AgentCrowd& crowd_;
  std::size_t index_;
};

AgentCrowd::AgentCrowd(fakes::Baton& baton, apiserver::Api& api, kube::Client& client)
    : baton_(baton),
      api_(api),
      client_(client),
      ca_(must(net::new_ca("test", baton.now(), baton.now() + std::chrono::days(365)))) {}

AgentCrowd::~AgentCrowd() = default;

void AgentCrowd::add(const std::string& machine, const std::string& node, SteadyTime start) {
  const std::size_t index = members_.size();
  members_.push_back(std::make_unique<Member>(
      baton_,
      [this, index](const kube::Connection&) -> Result<std::unique_ptr<kube::Client>> {
        return std::make_unique<Line>(*this, index);
      },
      index));
  Member& member = *members_.back();
  member.machine.put(kFacts, facts_of(machine, ca_));
  member.machine.put(agent::kCertificateFile, agent::credentials_of(ca_, agent_of(machine), baton_.now()));
  agent::put_kubelet_access(member.machine, ca_, node, baton_.now());
  member.rest.latest = start;
  schedule(index);
}

void AgentCrowd::live(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    const std::uint64_t seen = news_.count();
    pump_streams();
    run_due(stop);
    baton_.wait(news_, seen, {.at = next(), .stop = stop});
  }
}

void AgentCrowd::pump_streams() {
  std::vector<std::size_t> heard = std::exchange(heard_, {});
  std::ranges::sort(heard);
  const auto repeated = std::ranges::unique(heard);
  heard.erase(repeated.begin(), repeated.end());
  for (const std::size_t index : heard) {
    for (Listening* stream : members_[index]->streams) stream->pump(baton_.steady_now());
    schedule(index);
  }
}

void AgentCrowd::run_due(const std::stop_token& stop) {
  while (!stop.stop_requested() && !agenda_.empty() && agenda_.begin()->first <= baton_.steady_now()) {
    const std::size_t index = agenda_.begin()->second;
    Member& member = *members_[index];
    for (Listening* stream : member.streams) stream->pump(baton_.steady_now());
    if (member.due() <= baton_.steady_now()) member.rest = member.rounds.next(stop);
    schedule(index);
  }
}

void AgentCrowd::schedule(std::size_t index) {
  Member& member = *members_[index];
  SteadyTime at = member.due();
  for (const Listening* stream : member.streams) at = std::min(at, stream->ends_at());
  if (at == member.planned) return;
  agenda_.erase({member.planned, index});
  member.planned = at;
  agenda_.emplace(at, index);
}

SteadyTime AgentCrowd::next() const { return agenda_.empty() ? SteadyTime::max() : agenda_.begin()->first; }

Load& AgentCrowd::this_second() {
  return load_[std::chrono::floor<std::chrono::seconds>(baton_.steady_now()).time_since_epoch().count()];
}

std::map<std::int64_t, Load> AgentCrowd::take_load() { return std::exchange(load_, {}); }

}  // namespace capstan::bench
