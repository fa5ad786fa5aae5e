#include "test/simulation/toy_world.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <vector>

#include "apiserver/api.h"
#include "kube/resources.h"
#include "test/fakes/memory_client.h"
#include "test/simulation/toy_manager.h"

namespace capstan::simulation {
namespace {

namespace json = boost::json;
using namespace std::chrono_literals;
using fakes::Baton;
using fakes::Call;
using fakes::Fault;
using fakes::FaultPoint;
using kube::ObjectKey;

constexpr std::string_view kNamespace = "default";
constexpr Nanoseconds kLongestDelay = 10s;  // of slow, stale and late
constexpr Nanoseconds kDeadFor = 12s;       // nothing of a dead manager is still under way after that
constexpr Nanoseconds kMemory = 3min;       // how old a wish of the user may be that is still acted upon
constexpr Nanoseconds kTimeToConverge = 5min;
constexpr Nanoseconds kTimeOfSilence = 11min;  // longer than any watch lives

json::value crd(const kube::Resource& resource, std::string_view schema) {
  return {{"apiVersion", "apiextensions.k8s.io/v1"},
          {"kind", "CustomResourceDefinition"},
          {"metadata", {{"name", resource.plural + "." + resource.group}}},
          {"spec",
           {{"group", resource.group},
            {"scope", "Namespaced"},
            {"names",
             {{"plural", resource.plural}, {"kind", resource.kind}, {"listKind", resource.kind + "List"}}},
            {"versions", json::array{{{"name", "v1"},
                                      {"served", true},
                                      {"storage", true},
                                      {"subresources", {{"status", json::object()}}},
                                      {"schema", {{"openAPIV3Schema", json::parse(schema)}}}}}}}}};
}

constexpr std::string_view kSetSchema = R"({"type":"object","properties":{
  "spec":{"type":"object","properties":{"replicas":{"type":"integer"}}},
  "status":{"type":"object","properties":{"replicas":{"type":"integer"},"ready":{"type":"integer"}}}}})";
constexpr std::string_view kToySchema = R"({"type":"object","properties":{
  "spec":{"type":"object"},"status":{"type":"object","properties":{"ready":{"type":"boolean"}}}}})";

// What exists, as the server knows it.
struct Census {
  int total = 0;
  int living = 0;
  int ready = 0;
};

class ToyWorld {
 public:
  ToyWorld(Baton& baton, const SimulationOptions& options, Verdict& verdict)
      : baton_(baton),
        options_(options),
        verdict_(verdict),
        api_({.clock = baton, .seed = options.seed}),
        user_(api_, baton, {.user = "user"}),
        wire_(api_, baton, {.user = "manager"}),
        network_(wire_, baton, baton, plan()) {}

  void live() {
    install();
    const auto provider = baton_.spawn("provider", [this](const std::stop_token& stop) { provide(stop); });
    const auto garbage =
        baton_.spawn("garbage collector", [this](const std::stop_token& stop) { collect(stop); });
    const auto supervisor =
        baton_.spawn("supervisor", [this](const std::stop_token& stop) { supervise(stop); });
    use();
    calm_down();
    expect_convergence();
    expect_silence();
    expect_clean_end();
    verdict_.fired = network_.fired();
  }

 private:
  // --- faults ---
  fakes::FaultPlan plan() {
    calls_hit_ = baton_.draw(80);
    pieces_hit_ = baton_.draw(40);
    return {.choose = [this](const FaultPoint& point) { return choose(point); },
            .span =
                [this] {
                  return Nanoseconds(1ms) * static_cast<std::int64_t>(1 + baton_.draw(kLongestDelay / 1ms));
                },
            .crash = [this] { baton_.crash("manager"); },
            .crashing = [this] { return baton_.crashing(); },
            .spawn_outside =
                [this](Threads::Body body) { return baton_.spawn_process("network", std::move(body)); },
            .on_effect = [this](const FaultPoint& point) { on_effect(point); }};
  }

  Fault choose(const FaultPoint& point) {
    const bool piece = point.call == Call::Piece;
    if (!raging_ || baton_.draw(1000) >= (piece ? pieces_hit_ : calls_hit_)) return Fault::None;
    static constexpr std::array kOfPieces = {Fault::Stale, Fault::Stale, Fault::Cut, Fault::Expired};
    static constexpr std::array kOfCalls = {Fault::Unavailable, Fault::RateLimited, Fault::Slow,
                                            Fault::CrashBefore, Fault::CrashAfter,  Fault::Conflict,
                                            Fault::Timeout,     Fault::LostReply,   Fault::LostReply,
                                            Fault::Late,        Fault::Late};
    const Fault fault =
        piece ? kOfPieces[baton_.draw(kOfPieces.size())] : kOfCalls[baton_.draw(kOfCalls.size())];
    tell(fmt::format("fault: {} hits {} {}", to_string(fault), to_string(point.call), point.kind));
    return fault;
  }

  void calm_down() {
    raging_ = false;
    tell("the faults stop");
  }

  // --- people and programs around the manager ---
  void install() {
    const auto& crds = kube::resources::custom_resource_definitions();
    must(user_.create(crds, {}, crd(kToySets, kSetSchema), {}, Deadline::never()), "install ToySet");
    must(user_.create(crds, {}, crd(kToys, kToySchema), {}, Deadline::never()), "install Toy");
  }

  void use() {
    raging_ = options_.faults;
    wish(1 + static_cast<int>(baton_.draw(4)));
    const json::value set = {{"apiVersion", kToySets.api_version()},
                             {"kind", kToySets.kind},
                             {"metadata", {{"name", "set"}, {"namespace", kNamespace}}},
                             {"spec", {{"replicas", wished_.back().second}}}};
    must(user_.create(kToySets, kSet, set, {}, Deadline::never()), "create the set");
    const std::uint64_t acts = 3 + baton_.draw(5);
    for (std::uint64_t i = 0; i < acts; ++i) {
      rest(Nanoseconds(1ms) * static_cast<std::int64_t>(baton_.draw(90'000)));
      switch (baton_.draw(4)) {
        case 0: delete_some_toy(); break;
        case 1: kill_manager(); break;
        default: scale(static_cast<int>(baton_.draw(6))); break;
      }
    }
  }

  void scale(int replicas) {
    wish(replicas);
    const json::value patch = {{"spec", {{"replicas", replicas}}}};
    must(user_.patch(kToySets, kSet, patch, {}, Deadline::never()), "scale");
  }

  void wish(int replicas) {
    tell(fmt::format("user: wants {}", replicas));
    wished_.emplace_back(baton_.steady_now(), replicas);
  }

  void delete_some_toy() {
    for (const auto& toy : toys()) {
      if (is_going(toy)) continue;
      const std::string name(toy.at("metadata").at("name").as_string());
      tell("user: deletes " + name);
      taken_.push_back(baton_.steady_now());
      (void)user_.remove(kToys, {std::string(kNamespace), name}, {}, Deadline::never());
      return;
    }
  }

  void kill_manager() {
    tell("the manager is killed");
    baton_.crash("manager");
  }

  void supervise(const std::stop_token& stop) {
    for (std::uint64_t starts = 0; !stop.stop_requested(); ++starts) {
      if (starts > 0)
        rest(kDeadFor + Nanoseconds(1ms) * static_cast<std::int64_t>(baton_.draw(10'000)), stop);
      if (stop.stop_requested()) return;
      tell("the manager starts");
      const auto manager = baton_.spawn_process("manager", [this, starts](const std::stop_token& until) {
        ToyManager process({.clock = baton_,
                            .threads = baton_,
                            .client = network_,
                            .seed = options_.seed * 1000 + starts,
                            .mutant = options_.mutant});
        process.run(until);
      });
      const std::stop_callback pass_on(stop, [&] { manager->request_stop(); });
      manager->join();
      if (!stop.stop_requested()) ++verdict_.crashes;
    }
  }

  // Makes toys ready and lets the deleted ones go, each in its own time.
  void provide(const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      for (const auto& toy : toys()) {
        const ObjectKey key{std::string(kNamespace), std::string(toy.at("metadata").at("name").as_string())};
        if (is_going(toy) && baton_.draw(3) == 0) {
          (void)user_.patch(kToys, key, {{"metadata", {{"finalizers", nullptr}}}}, {}, Deadline::never());
        } else if (!is_ready(toy) && !is_going(toy) && baton_.draw(2) == 0) {
          (void)user_.patch(kToys, key, {{"status", {{"ready", true}}}}, {.subresource = "status"},
                            Deadline::never());
        }
      }
      rest(2s + Nanoseconds(1ms) * static_cast<std::int64_t>(baton_.draw(4000)), stop);
    }
  }

  void collect(const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      api_.run_controllers();
      rest(5s, stop);
    }
  }

  // --- promises ---
  void on_effect(const FaultPoint& point) {
    if (point.kind != kToys.kind) return;
    const Census now = census();
    tell(fmt::format("manager: {} leaves {} toys, {} of them living", to_string(point.call), now.total,
                     now.living));
    if (point.call == Call::Create && now.total > wanted_by_newest()) {
      broke(fmt::format("{} toys exist, and the last was made for {}", now.total, wanted_by_newest()));
    }
    if (point.call == Call::Remove && now.living < fewest_wished()) {
      broke(fmt::format("only {} toys are left of at least {}", now.living, fewest_wished()));
    }
  }

  void expect_convergence() {
    rest(kLongestDelay);  // what is still under way
    const SteadyTime until = baton_.steady_now() + kTimeToConverge;
    while (!converged() && baton_.steady_now() < until) rest(1s);
    if (converged()) return;
    const Census now = census();
    broke(fmt::format("no convergence: {} wanted, {} exist, {} living, {} ready, status {}",
                      wished_.back().second, now.total, now.living, now.ready, json::serialize(status())));
  }

  bool converged() const {
    const int wanted = wished_.back().second;
    const Census now = census();
    return now.total == wanted && now.ready == wanted && status_of("replicas") == wanted &&
           status_of("ready") == wanted;
  }

  // Nothing happens, nothing is asked: only watches are renewed.
  void expect_silence() {
    rest(10s);
    const std::uint64_t before = requests();
    rest(kTimeOfSilence);
    if (requests() != before) broke(fmt::format("{} requests while nothing happened", requests() - before));
  }

  void expect_clean_end() {
    wish(0);
    must(user_.remove(kToySets, kSet, {}, Deadline::never()), "delete the set");
    const auto gone = [&] {
      return census().total == 0 && api_.stored(kGroup, kToySets.plural, kNamespace, "set") == nullptr;
    };
    const SteadyTime until = baton_.steady_now() + kTimeToConverge;
    while (!gone() && baton_.steady_now() < until) rest(1s);
    if (!gone()) broke(fmt::format("the set was deleted, and {} toys are left", census().total));
  }

  // --- looking ---
  std::vector<json::object> toys() const {
    std::vector<json::object> all;
    for (const auto& toy : api_.stored_all(kGroup, kToys.plural)) all.push_back(*toy);
    return all;
  }
  static bool is_going(const json::object& toy) {
    return toy.at("metadata").as_object().contains("deletionTimestamp");
  }
  static bool is_ready(const json::object& toy) {
    const auto* status = toy.if_contains("status");
    const auto* ready = status != nullptr ? status->as_object().if_contains("ready") : nullptr;
    return ready != nullptr && ready->as_bool();
  }

  Census census() const {
    Census count;
    for (const auto& toy : toys()) {
      ++count.total;
      count.living += is_going(toy) ? 0 : 1;
      count.ready += is_ready(toy) && !is_going(toy) ? 1 : 0;
    }
    return count;
  }

  json::value status() const {
    const auto set = api_.stored(kGroup, kToySets.plural, kNamespace, "set");
    const auto* status = set != nullptr ? set->if_contains("status") : nullptr;
    return status != nullptr ? *status : json::value(json::object());
  }
  std::int64_t status_of(std::string_view field) const {
    const json::value now = status();
    const auto* value = now.as_object().if_contains(field);
    return value != nullptr ? value->as_int64() : 0;
  }

  // What the manager believed was wanted when it made the newest toy; it wrote that down.
  int wanted_by_newest() const {
    std::uint64_t newest = 0;
    int wanted = 0;
    for (const auto& toy : toys()) {
      const auto& metadata = toy.at("metadata").as_object();
      const std::uint64_t version = std::stoull(std::string(metadata.at("resourceVersion").as_string()));
      if (version <= newest) continue;
      newest = version;
      wanted = std::stoi(std::string(metadata.at("annotations").at(kWantedAnnotation).as_string()));
    }
    return wanted;
  }

  // The least that was wished for as long as the manager may not have heard, less what the user took himself.
  int fewest_wished() const {
    const SteadyTime since = baton_.steady_now() - kMemory;
    int fewest = wished_.back().second;
    for (std::size_t i = 0; i + 1 < wished_.size(); ++i) {
      if (wished_[i + 1].first >= since) fewest = std::min(fewest, wished_[i].second);
    }
    return fewest -
           static_cast<int>(std::ranges::count_if(taken_, [&](SteadyTime at) { return at >= since; }));
  }

  std::uint64_t requests() const {
    std::uint64_t count = 0;
    for (const auto& [what, times] : network_.fired()) {
      const bool streamed =
          what.first == Call::ListStream || what.first == Call::Watch || what.first == Call::Piece;
      count += streamed ? 0 : times;
    }
    return count;
  }

  // --- small things ---
  void rest(Nanoseconds span, std::stop_token stop = {}) {
    baton_.pause(Deadline::in(baton_, span, std::move(stop)));
  }

  template <typename Answer>
  void must(const Result<Answer>& answer, std::string_view what) {
    if (!answer) broke(fmt::format("{}: {}", what, answer.error().describe()));
  }

  void broke(std::string what) {
    tell("BROKEN: " + what);
    if (verdict_.broken.empty()) verdict_.broken = std::move(what);
  }

  void tell(std::string_view line) const {
    if (!options_.story) return;
    const Nanoseconds at = baton_.steady_now().time_since_epoch() - 1h;
    options_.story(fmt::format("{:>9.3f}  {}", std::chrono::duration<double>(at).count(), line));
  }

  static inline const ObjectKey kSet{.namespace_ = std::string(kNamespace), .name = "set"};

  Baton& baton_;
  const SimulationOptions& options_;
  Verdict& verdict_;
  bool raging_ = false;
  std::uint64_t calls_hit_ = 0;   // of a thousand
  std::uint64_t pieces_hit_ = 0;  // of a thousand
  std::vector<std::pair<SteadyTime, int>> wished_;
  std::vector<SteadyTime> taken_;
  apiserver::Api api_;
  fakes::MemoryClient user_;
  fakes::MemoryClient wire_;
  fakes::FaultyClient network_;
};

}  // namespace

Verdict simulate(const SimulationOptions& options) {
  Verdict verdict;
  Baton baton({.seed = options.seed, .slips_per_thousand = 2, .story = options.switches});
  verdict.run = baton.run([&] {
    ToyWorld world(baton, options, verdict);
    world.live();
  });
  if (!verdict.run.finished() && verdict.broken.empty()) verdict.broken = verdict.run.why;
  return verdict;
}

}  // namespace capstan::simulation
