// Figures that need an API server in another process: the embedded one, and the real one to compare with.
#include <boost/json.hpp>

#include <malloc.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <stdexcept>
#include <vector>

#include "api/v1beta2/machine.h"
#include "kube/remote_client.h"
#include "kube/resources.h"
#include "net/file_limit.h"
#include "net/io_pool.h"
#include "runtime/informer.h"
#include "test/bench/figure.h"
#include "test/bench/memory.h"
#include "test/bench/reference_machine.h"
#include "test/conformance/embedded.h"
#include "test/envtest/child_process.h"
#include "test/envtest/real_servers.h"

namespace capstan::bench {
namespace {

namespace json = boost::json;
using api::Machine;

template <typename T>
T need(Result<T>&& result) {
  if (!result) throw std::runtime_error(result.error().describe());
  if constexpr (!std::is_void_v<T>) return std::move(*result);
}

std::string text_of(const std::string& path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

// This process's side: io threads and a client with no limit of its own.
struct Side {
  SystemClock clock;
  SystemThreads threads;
  net::IoPool io;
  std::unique_ptr<kube::RemoteClient> client;

  explicit Side(kube::Connection connection, std::size_t connections = 64) {
    const auto files = net::raise_file_limit(65536);
    if (!files) throw std::runtime_error(files.error().describe());
    client = need(kube::RemoteClient::make({io, threads, clock}, std::move(connection),
                                           {.rate_limit = {.qps = 0}, .max_connections = connections}));
  }
  Deadline soon() const { return Deadline::in(clock, std::chrono::seconds(60)); }
};

kube::Connection connection_to(const conformance::Server& server) {
  return {.server = "https://127.0.0.1:" + std::to_string(server.port),
          .ca_pem = text_of(server.ca_path),
          .token = Secret<std::string>(server.token)};
}

std::unique_ptr<conformance::Embedded> embedded(const Place& place) {
  auto started = conformance::Embedded::start({.program = place.programs + "/capstan-dev"});
  conformance::install_kinds(started->server(), place.crds);
  return started;
}

const kube::Resource kNamespaces{
    .version = "v1", .plural = "namespaces", .kind = "Namespace", .namespaced = false};
const kube::Resource kMachines{
    .group = "cluster.x-k8s.io", .version = "v1beta2", .plural = "machines", .kind = "Machine"};

void make_namespace(Side& side, const std::string& name) {
  need(side.client->create(
      kNamespaces, {.name = name},
      json::object{{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", json::object{{"name", name}}}},
      {}, side.soon()));
}

// A machine as it is created, without what the server gives it; owners that do not exist would get it
// collected.
json::value fresh(json::value machine) {
  auto& metadata = machine.as_object()["metadata"].as_object();
  for (const char* given :
       {"resourceVersion", "uid", "generation", "creationTimestamp", "managedFields", "ownerReferences"})
    metadata.erase(given);
  return machine;
}

json::value status_patch(const json::value& machine) {
  return json::object{{"status", machine.at("status")}};
}

void write_one(kube::Client& client, const Deadline& deadline, const std::string& ns, int number) {
  json::value machine = fresh(json::parse(reference_machine(number)));
  machine.as_object()["metadata"].as_object()["namespace"] = ns;
  machine.as_object()["metadata"].as_object()["finalizers"] = json::array{};
  const kube::ObjectKey key{.namespace_ = ns,
                            .name = std::string(machine.at("metadata").at("name").as_string())};
  need(client.create(kMachines, key, machine, {.field_manager = "bench"}, deadline));
  need(client.patch(kMachines, key, status_patch(machine),
                    {.type = kube::PatchType::Merge, .subresource = "status", .field_manager = "bench"},
                    deadline));
}

// `count` machines by eight workers; the seconds it took.
double write_many(Side& side, const std::string& ns, int first, int count) {
  constexpr int kWriters = 8;
  const SteadyTime begun = side.clock.steady_now();
  std::atomic<bool> failed = false;
  std::vector<std::unique_ptr<Thread>> writers;
  for (int writer = 0; writer < kWriters; ++writer) {
    writers.push_back(side.threads.spawn("writer", [&, writer](const std::stop_token&) {
      try {
        for (int i = writer; i < count; i += kWriters) write_one(*side.client, side.soon(), ns, first + i);
      } catch (const std::exception&) {
        failed = true;
      }
    }));
  }
  for (auto& writer : writers) writer->join();
  if (failed) throw std::runtime_error("a write was refused");
  return std::chrono::duration<double>(side.clock.steady_now() - begun).count();
}

// Keeps the best of a few rounds: writes a second.
double best_rate(Side& side, const std::string& ns, int rounds, int count) {
  make_namespace(side, ns);
  double best = 0;
  for (int round = 0; round < rounds; ++round)
    best = std::max(best, 2 * count / write_many(side, ns, round * count, count));
  return best;
}

// Does the work in a child of this process, whose memory is its own.
void apart(const std::function<void()>& work) {
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("can't fork");
  if (child == 0) {
    try {
      work();
      _exit(0);
    } catch (const std::exception& error) {
      std::fputs((std::string(error.what()) + "\n").c_str(), stderr);
      _exit(1);
    }
  }
  int status = 0;
  if (waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 0)
    throw std::runtime_error("the child that writes failed");
}

// Looks at the heap every millisecond until it is stopped.
class HeapPeak {
 public:
  HeapPeak(Threads& threads, const Clock& clock)
      : sampler_(threads.spawn("heap", [this, &threads, &clock](const std::stop_token& stop) {
          do {
            peak_ = std::max(peak_.load(), heap_bytes());
          } while (threads.pause(Deadline::in(clock, std::chrono::milliseconds(1), stop)) != Woken::Stopped);
        })) {}
  std::size_t stop() {
    sampler_.reset();
    return peak_;
  }

 private:
  std::atomic<std::size_t> peak_ = 0;
  std::unique_ptr<Thread> sampler_;
};

class CountingSink final : public kube::StreamSink {
 public:
  explicit CountingSink(Signal& changed) : changed_(changed) {}
  void on_bytes(std::string_view) override {
    if (!heard_.exchange(true)) changed_.notify();
  }
  void on_end(Result<void>) override {
    ended_ = true;
    changed_.notify();
  }
  bool heard() const { return heard_; }
  bool ended() const { return ended_; }

 private:
  Signal& changed_;
  std::atomic<bool> heard_ = false;
  std::atomic<bool> ended_ = false;
};

}  // namespace

// The most there was above what is left in the end: resident, as the kernel saw it, and on the heap, as seen
// every millisecond, whichever is more. The fleet is written by another process: memory it gave
// back to this one's allocator would hide what a list needs.
double cache_list_peak_mb(const Place& place) {
  constexpr int kListed = 10000;
  const auto server = embedded(place);
  apart([&] {
    Side writer(connection_to(server->server()));
    make_namespace(writer, "fleet");
    write_many(writer, "fleet", 0, kListed);
  });
  Side side(connection_to(server->server()));
  malloc_trim(0);
  forget_peak();
  HeapPeak heap(side.threads, side.clock);
  kube::WatchLoop loop(side.threads, side.clock);
  runtime::Store<Machine> store("Machine");
  runtime::Informer<Machine> informer({.loop = loop, .client = *side.client}, {.resource = kMachines}, store);
  informer.start();
  const SteadyTime until = side.clock.steady_now() + std::chrono::seconds(60);
  Signal never;
  while (!store.synced() && side.clock.steady_now() < until)
    side.threads.wait(never, never.count(), Deadline::in(side.clock, std::chrono::milliseconds(5)));
  const std::size_t heap_peak = heap.stop();
  const std::size_t resident_peak = peak_resident_bytes();
  if (store.size() != kListed)
    throw std::runtime_error("listed " + std::to_string(store.size()) + " machines");
  const double heap_above = static_cast<double>(heap_peak) - static_cast<double>(heap_bytes());
  malloc_trim(0);
  const double resident_above = static_cast<double>(resident_peak) - static_cast<double>(resident_bytes());
  informer.stop();
  return std::max(heap_above, resident_above) / 1e6;
}

double watch_idle_kb(const Place& place) {
  constexpr std::size_t kWatches = 1000;
  const auto server = embedded(place);
  Side side(connection_to(server->server()), kWatches + 10);
  make_namespace(side, "fleet");
  Signal changed;
  std::vector<std::unique_ptr<CountingSink>> sinks;
  std::vector<std::unique_ptr<kube::Stream>> streams;
  const auto open = [&](std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      sinks.push_back(std::make_unique<CountingSink>(changed));
      streams.push_back(side.client->watch(kNamespaces, {.timeout_seconds = 300}, *sinks.back()));
    }
    side.threads.wait_until(changed, side.soon(), [&] {
      return std::ranges::all_of(sinks, [](const auto& sink) { return sink->heard(); });
    });
  };
  open(50);  // what is paid once: libraries, buffers of the io threads
  const std::size_t before = resident_bytes();
  open(kWatches);
  const auto living =
      std::ranges::count_if(sinks, [](const auto& sink) { return sink->heard() && !sink->ended(); });
  if (living != static_cast<std::ptrdiff_t>(sinks.size()))
    throw std::runtime_error(std::to_string(living) + " watches are open");
  return static_cast<double>(resident_bytes() - before) / 1024 / kWatches;
}

double manager_cold_start_ms(const Place& place) {
  const auto server = embedded(place);
  double best = 1e9;
  for (int round = 0; round < 3; ++round) {
    SystemClock clock;
    const SteadyTime begun = clock.steady_now();
    auto run = need(envtest::run(
        {.argv = {place.programs + "/capstan", "--kubeconfig", server->server().kubeconfig_path,
                  "--webhook-port=0", "--diagnostics-address=0", "--health-addr=0", "--exit-when-ready"}},
        std::chrono::seconds(30)));
    if (run.exit_code != 0)
      throw std::runtime_error("capstan exits " + std::to_string(run.exit_code) + ": " + run.err);
    best = std::min(best, std::chrono::duration<double, std::milli>(clock.steady_now() - begun).count());
  }
  return best;
}

double manager_binary_mb(const Place& place) {
  return static_cast<double>(std::filesystem::file_size(place.programs + "/capstan")) / 1e6;
}

double apiserver_writes_ratio(const Place& place) {
  constexpr int kRounds = 3;
  constexpr int kObjects = 300;
  auto real = need(envtest::RealServers::start());
  const conformance::Server named{.name = "real",
                                  .port = std::stoi(real->url().substr(real->url().rfind(':') + 1)),
                                  .ca_path = {},
                                  .token = real->admin_token()};
  const auto ca = std::filesystem::temp_directory_path() / ("capstan-bench-ca-" + std::to_string(getpid()));
  std::ofstream(ca) << real->ca_pem();
  conformance::Server reachable = named;
  reachable.ca_path = ca.string();
  conformance::install_kinds(reachable, place.crds);
  const auto ours = embedded(place);
  Side to_real(connection_to(reachable));
  Side to_ours(connection_to(ours->server()));
  const double real_rate = best_rate(to_real, "bench", kRounds, kObjects);
  const double our_rate = best_rate(to_ours, "bench", kRounds, kObjects);
  std::filesystem::remove(ca);
  return our_rate / real_rate;
}

}  // namespace capstan::bench
