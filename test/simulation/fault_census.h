// Counts where faults hit: between which two writes of which controller. A write is named by what is done to
// which kind ("patch Machine/status"); the write before it is the last one of the same thread. Used from
// simulated threads, one at a time, and merged over seeds by the program.
#pragma once

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

class FaultCensus {
 public:
  void count(const Gap& gap, fakes::Fault fault) { ++counts_[gap][fault]; }
  void count_stream(std::string_view kind, fakes::Fault fault) { ++streams_[std::string(kind)][fault]; }
  void add(const FaultCensus& other);

  // A table: one row per gap, one column per fault that can hit a write; rows that occurred fewer than
  // `at_least` times are summed up in one. Below, the same for streams by kind.
  std::string table(std::uint64_t at_least) const;
  // Sorts of faults that never hit a gap which occurred that often.
  std::vector<std::string> zeros(std::uint64_t at_least) const;

 private:
  using Counts = std::map<fakes::Fault, std::uint64_t>;
  std::map<Gap, Counts> counts_;
  std::map<std::string, Counts> streams_;
};

}  // namespace capstan::simulation
