#include "controllers/lifecycle/victims.h"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>

#include "api/policy/names.h"
#include "base/duration.h"
#include "controllers/lifecycle/aliases.h"
#include "controllers/lifecycle/phase.h"
#include "controllers/lifecycle/preservation.h"
#include "controllers/shared/recheck.h"

namespace capstan::controllers::lifecycle {
namespace {

constexpr char kMark = '~';
constexpr std::string_view kGoes = "the Machine is being deleted";

std::string_view trimmed(std::string_view text) {
  const auto begin = text.find_first_not_of(' ');
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(' ') - begin + 1);
}

class Reader {
 public:
  explicit Reader(const VictimRules& rules) : rules_(rules) {}

  Victims read(std::string_view annotation) {
    for (const auto& word : std::views::split(annotation, ',')) {
      const std::string_view entry = trimmed(std::string_view(word.begin(), word.end()));
      if (!entry.empty()) take(entry);
    }
    return std::move(found_);
  }

 private:
  void take(std::string_view entry) {
    const auto mark = entry.find(kMark);
    const std::string name(trimmed(entry.substr(0, mark)));
    if (found_.names(name)) return;
    const auto named = mark == std::string_view::npos ? Result<Time>(rules_.now)
                                                      : Time::parse(trimmed(entry.substr(mark + 1)));
    if (!named || !named->is_set()) return drop(entry, "behind ~ stands no time like 2026-01-01T12:00:00Z");
    const Seconds left = rules_.expiry - (rules_.now - *named);
    if (left <= Seconds(0))
      return drop(entry, fmt::format("named more than {} ago", format_duration(rules_.expiry)));
    if (const std::string why = rules_.objection(name); !why.empty()) return drop(entry, why);
    found_.valid.push_back({.name = name, .named = *named});
    recheck_within(found_.recheck, left);
  }

  void drop(std::string_view entry, std::string why) {
    found_.dropped.push_back({.entry = std::string(entry), .why = std::move(why)});
  }

  const VictimRules& rules_;
  Victims found_ = {};
};

}  // namespace

bool Victims::names(std::string_view machine) const {
  return std::ranges::any_of(valid, [&](const Victim& victim) { return victim.name == machine; });
}

std::string Victims::value() const {
  std::string text;
  for (const Victim& victim : valid) {
    text += fmt::format("{}{}{}{}", text.empty() ? "" : ",", victim.name, kMark, victim.named.to_string());
  }
  return text;
}

std::string victims_said(const api::Labels& annotations) {
  const auto named = said(annotations, api::policy::annotation::kVictims);
  return named ? named->value : std::string();
}

void rewrite_victims(api::Labels& annotations, std::string_view to) {
  const auto named = said(annotations, api::policy::annotation::kVictims);
  if (!named) return;
  to.empty() ? annotations.erase(named->key) : annotations.set(named->key, to);
}

Victims victims_in(std::string_view annotation, const VictimRules& rules) {
  return Reader(rules).read(annotation);
}

std::string objection_to(const api::Machine* machine) {
  if (machine == nullptr) return "no Machine of that name belongs to it";
  if (machine->metadata.deleting()) return std::string(kGoes);
  const bool is_replaced = is_in(*machine, Phase::Failed) && !preserved_until(*machine);
  return is_replaced ? "the Machine has failed, and is replaced" : "";
}

std::vector<std::string> reasons(const Victims& victims) {
  std::vector<std::string> lines;
  for (const auto& [entry, why] : victims.dropped)
    if (why != kGoes) lines.push_back(fmt::format("{}: {}", entry, why));
  return lines;
}

}  // namespace capstan::controllers::lifecycle
