#include "test/simulation/seed_runner.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <boost/json.hpp>
#include <csignal>
#include <cstdio>
#include <stdexcept>
#include <vector>

namespace capstan::simulation {
namespace {

namespace json = boost::json;

constexpr int kMostJobs = 64;

// Seen by all processes.
struct Board {
  std::atomic<std::int64_t> next = 0;
  std::atomic<bool> one_failed = false;
  std::array<std::atomic<std::uint64_t>, kMostJobs> running = {};  // by process
};

class SharedBoard {
 public:
  SharedBoard()
      : memory_(::mmap(nullptr, sizeof(Board), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)) {
    if (memory_ == MAP_FAILED) throw std::runtime_error("no shared memory for the processes of a simulation");
    std::construct_at(static_cast<Board*>(memory_));
  }
  ~SharedBoard() { ::munmap(memory_, sizeof(Board)); }
  SharedBoard(const SharedBoard&) = delete;
  SharedBoard& operator=(const SharedBoard&) = delete;
  Board& operator*() const { return *static_cast<Board*>(memory_); }

 private:
  void* memory_;
};

json::value to_json(const Sum& sum) {
  json::array excused;
  for (const auto& [legal, times] : sum.excused) excused.push_back({static_cast<int>(legal), times});
  json::object acts;
  for (const auto& [act, times] : sum.acts) acts[act] = times;
  json::value value = {{"faults", sum.faults.to_json()},
                       {"excused", std::move(excused)},
                       {"acts", std::move(acts)},
                       {"failed", sum.failed},
                       {"crashes", sum.crashes}};
  if (sum.first_failed) value.as_object()["firstFailed"] = *sum.first_failed;
  return value;
}

Sum sum_from(const json::value& value) {
  Sum sum{.faults = FaultCensus::from_json(value.at("faults")),
          .failed = value.at("failed").to_number<std::int64_t>(),
          .crashes = value.at("crashes").to_number<std::uint64_t>()};
  for (const auto& each : value.at("excused").as_array())
    sum.excused[static_cast<LegalCase>(each.at(0).to_number<int>())] = each.at(1).to_number<std::uint64_t>();
  for (const auto& [act, times] : value.at("acts").as_object())
    sum.acts[std::string(act)] = times.to_number<std::uint64_t>();
  if (const auto* first = value.as_object().if_contains("firstFailed"))
    sum.first_failed = first->to_number<std::uint64_t>();
  return sum;
}

using RunOne = std::function<void(std::uint64_t seed, Sum&)>;

Sum work(const SeedRange& range, const RunOne& run_one, Board& board, std::size_t job) {
  Sum sum;
  for (std::int64_t i = board.next++; i < range.count; i = board.next++) {
    if (range.until_one_fails && board.one_failed) break;
    const std::uint64_t seed = range.first + static_cast<std::uint64_t>(i);
    board.running.at(job) = seed;
    run_one(seed, sum);
    if (sum.first_failed) board.one_failed = true;
  }
  return sum;
}

struct Child {
  pid_t process = 0;
  int answers = 0;  // end of a pipe
};

Child start(const SeedRange& range, const RunOne& run_one, Board& board, std::size_t job) {
  std::array<int, 2> ends = {};
  if (::pipe(ends.data()) != 0) throw std::runtime_error("no pipe to a process of a simulation");
  const pid_t process = ::fork();
  if (process < 0) throw std::runtime_error("no process for a simulation");
  if (process > 0) {
    ::close(ends[1]);
    return {.process = process, .answers = ends[0]};
  }
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  const std::string answer = json::serialize(to_json(work(range, run_one, board, job)));
  std::fflush(stdout);
  for (std::size_t at = 0; at < answer.size();) {
    const auto written = ::write(ends[1], answer.data() + at, answer.size() - at);
    if (written <= 0) ::_exit(1);
    at += static_cast<std::size_t>(written);
  }
  ::_exit(0);
}

std::optional<Sum> answer_of(const Child& child) {
  std::string text;
  std::array<char, 65536> piece = {};
  for (ssize_t got = 0; (got = ::read(child.answers, piece.data(), piece.size())) > 0;)
    text.append(piece.data(), static_cast<std::size_t>(got));
  ::close(child.answers);
  int status = 0;
  ::waitpid(child.process, &status, 0);
  if (status != 0) return {};
  return sum_from(json::parse(text));
}

}  // namespace

void Sum::add(const Sum& other) {
  faults.add(other.faults);
  for (const auto& [legal, times] : other.excused) excused[legal] += times;
  for (const auto& [act, times] : other.acts) acts[act] += times;
  failed += other.failed;
  crashes += other.crashes;
  if (other.first_failed)
    first_failed = std::min(*other.first_failed, first_failed.value_or(*other.first_failed));
}

Sum run_seeds(const SeedRange& range, const RunOne& run_one) {
  const SharedBoard board;
  const auto jobs =
      static_cast<std::size_t>(std::min<std::int64_t>({range.jobs, range.count, std::int64_t{kMostJobs}}));
  if (jobs <= 1) return work(range, run_one, *board, 0);
  std::fflush(stdout);
  std::vector<Child> children;
  for (std::size_t job = 0; job < jobs; ++job) children.push_back(start(range, run_one, *board, job));
  Sum sum;
  for (std::size_t job = 0; job < jobs; ++job) {
    if (const auto part = answer_of(children[job])) {
      sum.add(*part);
      continue;
    }
    const std::uint64_t seed = (*board).running.at(job);
    fmt::print("seed {} failed: its process died\n", seed);
    sum.add({.failed = 1});  // no promise noticed anything
  }
  return sum;
}

}  // namespace capstan::simulation
