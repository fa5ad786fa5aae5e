#include "test/simulation/fault_census.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/json.hpp>

#include "base/hash.h"
#include "test/simulation/fleet_clumsy.h"
#include "test/simulation/known_writes.h"

namespace capstan::simulation {
namespace {

namespace json = boost::json;
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

// --- what is due ---

Fault fault_due(const Gap& gap, std::uint64_t seed) {
  // Another order in every round: else a fault that is due at one gap may keep a sort from the next for ever.
  const std::string round = fmt::format("{}, round {}", name_of(gap), seed / kSeedsPerRound);
  const std::uint64_t turn = (hash_bytes(round) + seed) % kSeedsPerRound;
  return turn < kOfWrites.size() ? kOfWrites[turn] : Fault::None;
}

// --- counting ---

void FaultCensus::count(const Gap& gap, Fault fault) { ++gaps_[gap].counts[fault]; }

void FaultCensus::add(const FaultCensus& other) {
  for (const auto& [gap, hits] : other.gaps_) {
    auto [mine, is_new] = gaps_.try_emplace(gap, Hits{.seeds = 0});
    mine->second.seeds += hits.seeds;
    for (const auto& [fault, times] : hits.counts) mine->second.counts[fault] += times;
  }
  for (const auto& [kind, counts] : other.streams_) {
    for (const auto& [fault, times] : counts) streams_[kind][fault] += times;
  }
}

// --- telling ---

std::string FaultCensus::table(std::uint64_t at_least) const {
  std::string text = head("faults between two writes of a controller", kOfWrites);
  Counts rare;
  std::size_t rows = 0;
  for (const auto& [gap, hits] : gaps_) {
    if (total(hits.counts) >= at_least) {
      text += row(name_of(gap), hits.counts, kOfWrites);
      continue;
    }
    ++rows;
    for (const auto& [fault, times] : hits.counts) rare[fault] += times;
  }
  if (rows > 0) text += row(fmt::format("{} rarer ones", rows), rare, kOfWrites);
  text += head("pieces of streams", kOfPieces);
  for (const auto& [kind, counts] : streams_) text += row(kind, counts, kOfPieces);
  return text;
}

std::vector<std::string> FaultCensus::lacks(std::uint64_t in_seeds) const {
  std::vector<std::string> lacking;
  lacks_of_gaps(in_seeds, lacking);
  lacks_of_writes(lacking);
  lacks_of_streams(lacking);
  return lacking;
}

void FaultCensus::lacks_of_gaps(std::uint64_t in_seeds, std::vector<std::string>& lacking) const {
  for (const auto& [gap, hits] : gaps_) {
    if (hits.seeds < in_seeds) continue;
    for (const Fault fault : kOfWrites) {
      if (of(hits.counts, fault) == 0)
        lacking.push_back(fmt::format("{}: never hit by {} in {} seeds that came to it", name_of(gap),
                                      to_string(fault), hits.seeds));
    }
  }
}

void FaultCensus::lacks_of_writes(std::vector<std::string>& lacking) const {
  std::map<std::pair<std::string_view, std::string_view>, Counts> writes;
  for (const auto& [gap, hits] : gaps_) {
    for (const auto& [fault, times] : hits.counts) writes[{gap.controller, gap.to}][fault] += times;
  }
  for (const auto& [controller, write] : kKnownWrites) {
    const auto found = writes.find({controller, write});
    if (found == writes.end()) {
      lacking.push_back(fmt::format("{}: never came to {}", controller, write));
      continue;
    }
    for (const Fault fault : kOfWrites) {
      if (of(found->second, fault) == 0)
        lacking.push_back(fmt::format("{}: {} was never hit by {}", controller, write, to_string(fault)));
    }
  }
  for (const auto& [controller, write, reason] : kImpossibleWrites) {
    if (writes.contains({controller, write}))
      lacking.push_back(
          fmt::format("{}: {} happened, which is listed as impossible: {}", controller, write, reason));
  }
}

void FaultCensus::lacks_of_streams(std::vector<std::string>& lacking) const {
  for (const std::string_view kind : kWatchedKinds) {
    const auto found = streams_.find(std::string(kind));
    for (const Fault fault : kOfPieces) {
      if (found == streams_.end() || of(found->second, fault) == 0)
        lacking.push_back(fmt::format("a stream of {} was never hit by {}", kind, to_string(fault)));
    }
  }
}

std::vector<std::string> acts_that_lack(const std::map<std::string, std::uint64_t>& acts) {
  std::vector<std::string> lacking;
  for (const std::string_view act : kKnownActs) {
    if (!acts.contains(std::string(act))) lacking.push_back(fmt::format("nobody ever came to: {}", act));
  }
  for (const ClumsyAct act : kClumsyActs) {
    if (!acts.contains(std::string(to_string(act))))
      lacking.push_back(fmt::format("nobody ever came to: {}", to_string(act)));
  }
  return lacking;
}

// --- from one process to another ---

namespace {

json::array to_array(const std::map<Fault, std::uint64_t>& counts) {
  json::array list;
  for (const auto& [fault, times] : counts) list.push_back({static_cast<int>(fault), times});
  return list;
}

std::map<Fault, std::uint64_t> counts_from(const json::value& list) {
  std::map<Fault, std::uint64_t> counts;
  for (const auto& each : list.as_array())
    counts[static_cast<Fault>(each.at(0).to_number<int>())] = each.at(1).to_number<std::uint64_t>();
  return counts;
}

}  // namespace

json::value FaultCensus::to_json() const {
  json::array gaps;
  for (const auto& [gap, hits] : gaps_)
    gaps.push_back({gap.controller, gap.from, gap.to, hits.seeds, to_array(hits.counts)});
  json::object streams;
  for (const auto& [kind, counts] : streams_) streams[kind] = to_array(counts);
  return {{"gaps", std::move(gaps)}, {"streams", std::move(streams)}};
}

FaultCensus FaultCensus::from_json(const json::value& value) {
  FaultCensus census;
  const auto text = [](const json::value& field) { return std::string(field.as_string()); };
  for (const auto& row : value.at("gaps").as_array()) {
    census.gaps_[{.controller = text(row.at(0)), .from = text(row.at(1)), .to = text(row.at(2))}] = {
        .counts = counts_from(row.at(4)), .seeds = row.at(3).to_number<std::uint64_t>()};
  }
  for (const auto& [kind, counts] : value.at("streams").as_object())
    census.streams_[std::string(kind)] = counts_from(counts);
  return census;
}

}  // namespace capstan::simulation
