// Counts where faults hit: between which two writes of which controller. A write is named by what is done to
// which kind ("patch Machine/status"); the write before it is the last one of the same thread. Says also
// which fault is due where, so that rare writes are hit by every sort, and what was never hit although it
// should have been. Used from simulated threads, one at a time, and merged over seeds by the program.
#pragma once

#include <boost/json/fwd.hpp>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "test/fakes/faulty_client.h"

namespace capstan::simulation {

struct Gap {
  std::string controller = {};
  std::string from = {};  // the write before; "start" when it is a thread's first
  std::string to = {};
  auto operator<=>(const Gap&) const = default;
};

// The fault that befalls a gap the first time a seed comes to it: in every round of so many seeds each sort
// of fault once, and none in the others.
inline constexpr std::uint64_t kSeedsPerRound = 24;
fakes::Fault fault_due(const Gap& gap, std::uint64_t seed);

// What people and mishaps should have done to some fleet and never did, one sentence each.
std::vector<std::string> acts_that_lack(const std::map<std::string, std::uint64_t>& acts);

class FaultCensus {
 public:
  void count(const Gap& gap, fakes::Fault fault);
  void count_stream(std::string_view kind, fakes::Fault fault) { ++streams_[std::string(kind)][fault]; }
  bool knows(const Gap& gap) const { return gaps_.contains(gap); }
  void add(const FaultCensus& other);

  // A table: one row per gap, one column per fault that can hit a write; rows that occurred fewer than
  // `at_least` times are summed up in one. Below, the same for streams by kind.
  std::string table(std::uint64_t at_least) const;

  // What many seeds together have to have seen and have not, one sentence each: every sort of fault in every
  // gap that `in_seeds` seeds came to, at every write that a controller is known for, and in the stream of
  // every kind that is watched.
  std::vector<std::string> lacks(std::uint64_t in_seeds) const;

  boost::json::value to_json() const;
  static FaultCensus from_json(const boost::json::value& value);

 private:
  using Counts = std::map<fakes::Fault, std::uint64_t>;
  struct Hits {
    Counts counts = {};
    std::uint64_t seeds = 1;  // that came to it
  };
  void lacks_of_gaps(std::uint64_t in_seeds, std::vector<std::string>& lacking) const;
  void lacks_of_writes(std::vector<std::string>& lacking) const;
  void lacks_of_streams(std::vector<std::string>& lacking) const;

  std::map<Gap, Hits> gaps_;
  std::map<std::string, Counts> streams_;
};

}  // namespace capstan::simulation
