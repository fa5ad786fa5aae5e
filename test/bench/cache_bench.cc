// What a cached Machine costs, and how fast it gets there.
#include <benchmark/benchmark.h>
#include <boost/json.hpp>

#include <algorithm>
#include <map>
#include <stdexcept>

#include "api/schema/decode.h"
#include "api/v1beta2/machine.h"
#include "runtime/store.h"
#include "test/bench/figure.h"
#include "test/bench/memory.h"
#include "test/bench/reference_machine.h"

namespace capstan::bench {
namespace {

namespace json = boost::json;
using api::Machine;

constexpr int kFleet = 100000;
constexpr int kPage = 500;

void stage_page(runtime::Store<Machine>& store, int first) {
  const std::string page = reference_list(first, kPage);
  api::ListDecoder<Machine> decoder(
      [&](Machine&& machine) { store.stage(std::move(machine)); },
      [](api::Quarantined&& bad) { throw std::runtime_error(bad.error.describe()); });
  if (const auto fed = decoder.feed(page); !fed) throw std::runtime_error(fed.error().describe());
  if (const auto ended = decoder.finish(); !ended) throw std::runtime_error(ended.error().describe());
}

// The alternative: a document in an arena, then the fields.
Machine by_document(const std::string& text, json::monotonic_resource& arena) {
  json::value document = json::parse(text, &arena);
  auto machine = api::from_json<Machine>(document);
  if (!machine) throw std::runtime_error(machine.error().describe());
  return std::move(*machine);
}

void typed_decode(benchmark::State& state) {
  const std::string text = reference_machine(1);
  for (auto _ : state) {
    auto machine = api::decode<Machine>(text);
    benchmark::DoNotOptimize(machine);
  }
}

void document_decode(benchmark::State& state) {
  const std::string text = reference_machine(1);
  static unsigned char buffer[64 << 10];
  for (auto _ : state) {
    json::monotonic_resource arena(buffer, sizeof buffer);
    auto machine = by_document(text, arena);
    benchmark::DoNotOptimize(machine);
  }
}

// Collects CPU time per iteration, by name.
class Times final : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& run : runs)
      times[run.benchmark_name()] = std::min(time(run.benchmark_name()), run.GetAdjustedCPUTime());
  }
  double time(const std::string& name) const { return times.contains(name) ? times.at(name) : 1e18; }
  std::map<std::string, double> times = {};
};

}  // namespace

double cache_bytes_per_machine(const Place&) {
  runtime::Store<Machine> store("Machine");
  const std::size_t before = heap_bytes();
  store.begin_list();
  for (int first = 0; first < kFleet; first += kPage) stage_page(store, first);
  store.finish_list({});
  if (store.size() != kFleet) throw std::runtime_error("the store does not hold the fleet");
  return static_cast<double>(heap_bytes() - before) / kFleet;
}

// The best of several interleaved runs each, so that a busy machine slows both alike.
double decode_ratio(const Place&) {
  auto* typed = benchmark::RegisterBenchmark("typed", typed_decode);
  auto* document = benchmark::RegisterBenchmark("document", document_decode);
  for (auto* one : {typed, document}) one->MinTime(0.2)->Unit(benchmark::kNanosecond);
  Times times;
  for (int round = 0; round < 5; ++round) benchmark::RunSpecifiedBenchmarks(&times);
  return times.time("document/min_time:0.200") / times.time("typed/min_time:0.200");
}

}  // namespace capstan::bench
