#include "test/simulation/fault_census.h"

#include <fmt/format.h>

#include <array>

namespace capstan::simulation {
namespace {

using fakes::Fault;

constexpr std::array kOfWrites = {Fault::CrashBefore, Fault::CrashAfter,  Fault::LostReply,
                                  Fault::Late,        Fault::Timeout,     Fault::Conflict,
                                  Fault::Unavailable, Fault::RateLimited, Fault::Slow};
constexpr std::array kOfPieces = {Fault::Stale, Fault::Cut, Fault::Expired};

std::uint64_t of(const std::map<Fault, std::uint64_t>& counts, Fault fault) {
  const auto found = counts.find(fault);
  return found == counts.end() ? 0 : found->second;
}

std::uint64_t total(const std::map<Fault, std::uint64_t>& counts) {
  std::uint64_t sum = 0;
  for (const auto& [fault, times] : counts) sum += times;
  return sum;
}

template <typename Faults>
std::string head(std::string_view first, const Faults& faults) {
  std::string line = fmt::format("{:<92}{:>9}", first, "times");
  for (const Fault fault : faults) line += fmt::format("{:>13}", to_string(fault));
  return line + "\n";
}

template <typename Faults>
std::string row(std::string_view first, const std::map<Fault, std::uint64_t>& counts, const Faults& faults) {
  std::string line = fmt::format("{:<92}{:>9}", first, total(counts));
  for (const Fault fault : faults) line += fmt::format("{:>13}", of(counts, fault));
  return line + "\n";
}

std::string name_of(const Gap& gap) { return fmt::format("{}: {} -> {}", gap.controller, gap.from, gap.to); }

}  // namespace

void FaultCensus::add(const FaultCensus& other) {
  for (const auto& [gap, counts] : other.counts_) {
    for (const auto& [fault, times] : counts) counts_[gap][fault] += times;
  }
  for (const auto& [kind, counts] : other.streams_) {
    for (const auto& [fault, times] : counts) streams_[kind][fault] += times;
  }
}

std::string FaultCensus::table(std::uint64_t at_least) const {
  std::string text = head("faults between two writes of a controller", kOfWrites);
  Counts rare;
  std::size_t rows = 0;
  for (const auto& [gap, counts] : counts_) {
    if (total(counts) >= at_least) {
      text += row(name_of(gap), counts, kOfWrites);
      continue;
    }
    ++rows;
    for (const auto& [fault, times] : counts) rare[fault] += times;
  }
  if (rows > 0) text += row(fmt::format("{} rarer ones", rows), rare, kOfWrites);
  text += head("pieces of streams", kOfPieces);
  for (const auto& [kind, counts] : streams_) text += row(kind, counts, kOfPieces);
  return text;
}

std::vector<std::string> FaultCensus::zeros(std::uint64_t at_least) const {
  std::vector<std::string> missing;
  for (const auto& [gap, counts] : counts_) {
    if (total(counts) < at_least) continue;
    for (const Fault fault : kOfWrites) {
      if (of(counts, fault) == 0) missing.push_back(fmt::format("{}: {}", name_of(gap), to_string(fault)));
    }
  }
  return missing;
}

}  // namespace capstan::simulation
