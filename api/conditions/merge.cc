#include "api/conditions/merge.h"

#include <fmt/core.h>

#include <algorithm>
#include <cassert>
#include <map>
#include <set>
#include <tuple>

#include "api/conditions/conditions.h"
#include "api/conditions/message.h"
#include "api/contract/plural.h"
#include "api/names.h"
#include "base/try.h"

namespace capstan::api::conditions {
namespace {

constexpr std::size_t kMessagesShown = 3;
constexpr std::size_t kNamesShown = 3;

bool contains(std::span<const std::string_view> list, std::string_view value) {
  return std::ranges::find(list, value) != list.end();
}

Priority by_polarity(const ConditionView& condition, bool negative) {
  if (condition.status == status::kTrue) return negative ? Priority::Issue : Priority::Info;
  if (condition.status == status::kFalse) return negative ? Priority::Info : Priority::Issue;
  return Priority::Unknown;
}

Priority priority_of(const ConditionView& condition, bool negative, Reprioritize reprioritize) {
  const Priority plain = by_polarity(condition, negative);
  return reprioritize == nullptr ? plain : reprioritize(condition, plain);
}

std::string_view merged_status(Priority worst, bool negative_target) {
  switch (worst) {
    case Priority::Issue: return negative_target ? status::kTrue : status::kFalse;
    case Priority::Unknown: return status::kUnknown;
    case Priority::Info: return negative_target ? status::kFalse : status::kTrue;
  }
  return status::kUnknown;
}

std::string_view merged_reason(Priority worst, const Reasons& reasons) {
  switch (worst) {
    case Priority::Issue: return reasons.issue;
    case Priority::Unknown: return reasons.unknown;
    case Priority::Info: return reasons.info;
  }
  return reasons.unknown;
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const auto& line : lines) {
    if (&line != &lines.front()) text += '\n';
    text += line;
  }
  return text;
}

// ---- summary

Result<void> check(const Conditions& source, std::string_view target, const SummaryRules& rules) {
  if (rules.types.empty()) return fail(Code::Invalid, "a summary needs condition types to sum up");
  if (contains(rules.types, target)) {
    return fail(Code::Invalid, fmt::format("the summary {} can't be one of its own sources", target));
  }
  for (const auto& override_with : rules.overrides) {
    const auto same_type = [&](const ConditionView& other) { return other.type == override_with.type; };
    if (std::ranges::count_if(rules.overrides, same_type) > 1) {
      return fail(Code::Invalid, fmt::format("condition {} is overridden twice", override_with.type.view()));
    }
    if (find(source, override_with.type) == nullptr) {
      return fail(Code::Invalid,
                  fmt::format("condition {} is overridden but does not exist", override_with.type.view()));
    }
  }
  return {};
}

// The conditions to sum up, in the order of the rules.
std::vector<Condition> in_scope(const Conditions& source, const SummaryRules& rules) {
  std::vector<Condition> scope;
  for (auto type = rules.types.begin(); type != rules.types.end(); ++type) {
    if (std::find(type + 1, rules.types.end(), *type) != rules.types.end()) continue;
    if (const auto override_with = find(rules.overrides, *type)) {
      scope.push_back(*override_with);
    } else if (const auto found = find(source, *type)) {
      scope.push_back(*found);
    } else if (!contains(rules.ignore_if_missing, *type)) {
      scope.push_back(make(*type, status::kUnknown, reason::kNotYetReported, "Condition not yet reported"));
    }
  }
  return scope;
}

std::string summary_line(const ConditionView& condition) {
  if (condition.message.empty())
    return fmt::format("* {}: {}", condition.type.view(), condition.reason.view());
  return fmt::format("* {}:{}", condition.type.view(), nested(condition.message));
}

// ---- aggregate

struct Group {
  std::string message = {};
  std::vector<std::string> names = {};  // in the order of the transition times
};

// What is known about one message over all kinds.
struct MessageFacts {
  Priority priority = Priority::Info;
  bool of_control_plane = false;
};

// Of an aggregate, what is worth a word.
struct Part {
  const Contribution* from = nullptr;
  std::string_view message = {};
  Time since = {};
  Priority priority = Priority::Info;
};

// A message that several objects share has the worst priority any of them gives it.
struct Digest {
  std::map<std::string, std::vector<Group>> by_kind = {};
  std::map<std::string, MessageFacts> facts = {};
  std::set<std::string> control_plane_machines = {};
};

Condition missing(std::string_view type) {
  return make(type, status::kUnknown, reason::kNotYetReported,
              fmt::format("Condition {} not yet reported", type));
}

struct Weighed {
  Priority worst = Priority::Info;
  std::vector<Part> shown = {};
};

// Of many objects nearly all are well and have nothing to say: only the others are kept. Issues first, then
// unknowns, then infos; the longest lasting first among equals. `none` speaks for those that do not have the
// type.
Weighed weighed(std::span<const Contribution> parts, const Condition& none, const AggregateRules& rules) {
  Weighed result;
  for (const auto& part : parts) {
    const ConditionView condition = part.condition == nullptr ? ConditionView(none) : *part.condition;
    const Priority priority = priority_of(condition, rules.negative_source, rules.reprioritize);
    result.worst = std::min(result.worst, priority);
    if (priority == Priority::Info && (result.worst != Priority::Info || condition.message.empty())) continue;
    result.shown.push_back({.from = &part,
                            .message = condition.message.view(),
                            .since = condition.last_transition_time,
                            .priority = priority});
  }
  if (result.worst != Priority::Info)
    std::erase_if(result.shown, [](const Part& part) { return part.priority == Priority::Info; });
  std::ranges::stable_sort(result.shown, {},
                           [](const Part& part) { return std::tuple{part.priority, part.since}; });
  return result;
}

void add(Digest& digest, const Part& part) {
  const std::string message(part.message);
  auto& groups = digest.by_kind[std::string(part.from->kind)];
  auto group = std::ranges::find(groups, message, &Group::message);
  if (group == groups.end()) group = groups.insert(groups.end(), {.message = message});
  group->names.emplace_back(part.from->name);
  auto& facts = digest.facts[message];
  facts.priority = std::min(facts.priority, part.priority);
  if (part.from->control_plane_machine) {
    facts.of_control_plane = true;
    digest.control_plane_machines.emplace(part.from->name);
  }
}

Digest digested(std::span<const Part> parts) {
  Digest digest;
  for (const auto& part : parts) add(digest, part);
  return digest;
}

std::string comma_separated(const std::vector<std::string>& names) {
  std::string text;
  for (const auto& name : names) text += (text.empty() ? "" : ",") + name;
  return text;
}

void sort_groups(std::vector<Group>& groups, const Digest& digest) {
  std::ranges::stable_sort(groups, {}, [&](const Group& group) {
    const auto& facts = digest.facts.at(group.message);
    return std::tuple{!facts.of_control_plane, facts.priority, -static_cast<std::int64_t>(group.names.size()),
                      comma_separated(group.names)};
  });
}

std::string group_line(const std::string& kind, Group group, const Digest& digest) {
  std::ranges::sort(group.names, {}, [&](const std::string& name) {
    return std::tuple{!digest.control_plane_machines.contains(name), name};
  });
  return fmt::format("* {} {}:{}", group.names.size() == 1 ? kind : contract::plural(kind),
                     name_list(group.names, kNamesShown), nested(group.message));
}

std::string_view overflow_words(Priority priority) {
  switch (priority) {
    case Priority::Issue: return "with other issues";
    case Priority::Unknown: return "with status unknown";
    case Priority::Info: return "with additional info";
  }
  return {};
}

void add_overflow(std::vector<std::string>& lines, const std::string& kind,
                  const std::map<Priority, std::size_t>& others) {
  for (const auto& [priority, count] : others) {
    lines.push_back(fmt::format("And {} {} {}", count, count == 1 ? kind : contract::plural(kind),
                                overflow_words(priority)));
  }
}

std::string aggregate_message(Digest digest) {
  std::vector<std::string> lines;
  std::size_t left = kMessagesShown;
  for (auto& [kind, groups] : digest.by_kind) {
    sort_groups(groups, digest);
    std::map<Priority, std::size_t> others;
    for (const auto& group : groups) {
      if (left == 0) {
        others[digest.facts.at(group.message).priority] += group.names.size();
        continue;
      }
      lines.push_back(group_line(kind, group, digest));
      --left;
    }
    add_overflow(lines, kind, others);
  }
  return joined(lines);
}

}  // namespace

Result<Condition> summary(const Conditions& source, std::string_view target, const SummaryRules& rules) {
  TRY(check(source, target, rules));
  const auto scope = in_scope(source, rules);
  if (scope.empty()) return fail(Code::Invalid, fmt::format("there is nothing to sum up into {}", target));

  const auto priority = [&](const ConditionView& condition) {
    return priority_of(condition, contains(rules.negative, condition.type), rules.reprioritize);
  };
  Priority worst = Priority::Info;
  for (const auto& condition : scope) worst = std::min(worst, priority(condition));
  std::vector<std::string> lines;
  for (const auto& condition : scope) {
    const bool quiet =
        priority(condition) == Priority::Info && (worst != Priority::Info || condition.message.empty());
    if (!quiet) lines.push_back(summary_line(condition));
  }
  if (rules.edit_lines != nullptr) rules.edit_lines(lines);
  return make(target, merged_status(worst, false), merged_reason(worst, rules.reasons), joined(lines));
}

Condition aggregate(std::span<const Contribution> parts, const AggregateRules& rules) {
  assert(!parts.empty() && "an aggregate needs at least one object");
  const Condition none = missing(rules.source_type);
  const auto [worst, shown] = weighed(parts, none, rules);
  return make(rules.target_type.empty() ? rules.source_type : rules.target_type,
              merged_status(worst, rules.negative_target), merged_reason(worst, rules.reasons),
              aggregate_message(digested(shown)));
}

}  // namespace capstan::api::conditions
