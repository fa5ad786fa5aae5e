#include "controllers/shared/contests.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <ranges>

#include "api/conditions/conditions.h"
#include "api/names.h"
#include "base/safeguards.h"
#include "controllers/shared/recheck.h"

namespace capstan::controllers {
namespace {

namespace json = boost::json;

constexpr std::string_view kOwnerReferences = "metadata.ownerReferences";
constexpr std::size_t kMostLines = 10;

void add_map_differences(std::string_view path, const api::TextMap& before, const api::TextMap& wanted,
                         DisputedFields& into) {
  for (const auto& [key, value] : wanted) {
    const Text* present = before.find(key);
    if (present == nullptr || *present != value) into[disputed_key(path, key)] = "=" + value.str();
  }
  for (const auto& [key, value] : before) {
    if (!wanted.contains(key)) into[disputed_key(path, key)] = {};
  }
}

std::string owners_text(const api::OwnerReferences& owners) {
  std::string text;
  for (const auto& owner : *owners)
    text += fmt::format("{}/{}/{} ", owner.kind.view(), owner.uid.str(), owner.controller.value_or(false));
  return text;
}

// "metadata.labels[a/b]" as managedFields spell it: f:metadata, f:labels, f:a/b.
std::vector<std::string> steps_of(std::string_view field) {
  std::vector<std::string> steps;
  const std::size_t bracket = field.find('[');
  std::string_view plain = field.substr(0, bracket);
  while (!plain.empty()) {
    const std::size_t dot = std::min(plain.find('.'), plain.size());
    steps.push_back("f:" + std::string(plain.substr(0, dot)));
    plain.remove_prefix(std::min(dot + 1, plain.size()));
  }
  const bool is_map = field.starts_with("metadata.labels[") || field.starts_with("metadata.annotations[");
  if (is_map) steps.push_back("f:" + std::string(field.substr(bracket + 1, field.size() - bracket - 2)));
  return steps;
}

bool holds(const json::object& entry, const std::vector<std::string>& steps) {
  const json::value* place = entry.if_contains("fieldsV1");
  for (const std::string& step : steps) {
    const json::object* members = place == nullptr ? nullptr : place->if_object();
    if (members == nullptr) return false;
    place = members->if_contains(step);
  }
  return place != nullptr;
}

// Whether the live object has what we want already: then a cache is behind, and nothing is contested. Of
// lists only the server could tell.
bool has_wanted_value(const json::value& live, std::string_view field, std::string_view wanted) {
  const bool is_label = field.starts_with("metadata.labels[");
  if (!is_label && !field.starts_with("metadata.annotations[")) return false;
  const std::size_t bracket = field.find('[');
  const std::string_view key = field.substr(bracket + 1, field.size() - bracket - 2);
  const json::value* place = live.is_object() ? live.get_object().if_contains("metadata") : nullptr;
  for (const std::string_view step : {is_label ? std::string_view("labels") : "annotations", key}) {
    place = place != nullptr && place->is_object() ? place->get_object().if_contains(step) : nullptr;
  }
  if (place == nullptr || !place->is_string()) return wanted.empty();
  return !wanted.empty() && wanted.substr(1) == std::string_view(place->get_string());
}

std::string_view text_of(const json::object& entry, std::string_view member) {
  const json::value* found = entry.if_contains(member);
  return found != nullptr && found->is_string() ? std::string_view(found->get_string()) : std::string_view();
}

}  // namespace

std::string disputed_key(std::string_view map, std::string_view key) {
  return fmt::format("{}[{}]", map, key);
}

DisputedFields disputed_fields(const api::ObjectMeta& before, const api::ObjectMeta& wanted) {
  DisputedFields fields;
  add_map_differences("metadata.labels", before.labels, wanted.labels, fields);
  add_map_differences("metadata.annotations", before.annotations, wanted.annotations, fields);
  if (before.owner_references != wanted.owner_references)
    fields[std::string(kOwnerReferences)] = owners_text(wanted.owner_references);
  return fields;
}

DisputedFields disputed_by_intent(const api::ObjectMeta& before, const json::value& intent) {
  DisputedFields fields;
  const json::object& metadata = intent.at("metadata").as_object();
  const auto add = [&](std::string_view member, const api::TextMap& present) {
    const json::value* wanted = metadata.if_contains(member);
    if (wanted == nullptr || !wanted->is_object()) return;
    for (const auto& [key, value] : wanted->get_object()) {
      const Text* now = present.find(key);
      const std::string_view text =
          value.is_string() ? std::string_view(value.get_string()) : std::string_view();
      if (now == nullptr || *now != text)
        fields[disputed_key("metadata." + std::string(member), key)] = "=" + std::string(text);
    }
  };
  add("labels", before.labels);
  add("annotations", before.annotations);
  return fields;
}

std::string describe(const std::vector<Contest>& contests) {
  std::string text;
  for (const Contest& contest : contests | std::views::take(kMostLines)) {
    text +=
        fmt::format("{}* {} of {} is set to another value again and again by {} since {}",
                    text.empty() ? "" : "\n", contest.field, contest.object,
                    contest.manager.empty() ? "another writer" : contest.manager, contest.since.to_string());
  }
  if (contests.size() > kMostLines) text += fmt::format("\n* and {} more", contests.size() - kMostLines);
  if (!text.empty())
    text += "\nCapstan writes these once a minute until one of the two writers leaves the field to the other";
  return text;
}

std::string field_manager_of(const json::value& object, std::string_view field) {
  const json::value* list = nullptr;
  if (const json::object* members = object.if_object()) {
    const json::value* metadata = members->if_contains("metadata");
    if (metadata != nullptr && metadata->is_object())
      list = metadata->as_object().if_contains("managedFields");
  }
  if (list == nullptr || !list->is_array()) return {};
  const auto steps = steps_of(field);
  std::string_view holder;
  std::string_view holds_since;
  std::string_view last;
  std::string_view last_time;
  for (const json::value& each : list->get_array()) {
    const json::object* entry = each.if_object();
    if (entry == nullptr || !text_of(*entry, "subresource").empty()) continue;
    const std::string_view time =
        text_of(*entry, "time");  // RFC 3339 in UTC: the order of the text is that of time
    if (holds(*entry, steps) && (holder.empty() || time >= holds_since)) {
      holder = text_of(*entry, "manager");
      holds_since = time;
    }
    if (last.empty() || time >= last_time) {
      last = text_of(*entry, "manager");
      last_time = time;
    }
  }
  return std::string(holder.empty() ? last : holder);
}

Contests::Contests() : Contests(Limits{}) {}

Contests::Contests(const Limits& limits) : limits_(limits) {}

bool Contests::may_write(const kube::ObjectKey& writer, const Target& target, const DisputedFields& fields,
                         const Clock& clock, const Deadline& deadline) {
  if (is_off(Safeguard::Contests)) return true;
  const SteadyTime now = clock.steady_now();
  const std::string object = target.resource.kind + " " + target.key.describe();
  std::vector<std::string> unnamed;
  const bool free = histories_.with([&](Histories& histories) {
    bool all_free = true;
    for (const auto& [path, value] : fields) {
      const auto found = histories.find({writer, object, path});
      if (found == histories.end()) continue;
      History& history = found->second;
      // Another intent, or a contest that is over: its writes are counted from the first again.
      if (history.value != value || is_over(history, now)) {
        histories.erase(found);
        continue;
      }
      history.wanted = now;
      if (is_free(history, now)) continue;
      all_free = false;
      if (!history.contested) unnamed.push_back(path);
      history.contested = true;
    }
    return all_free;
  });
  if (unnamed.empty()) return free;
  const auto live = target.client.get(target.resource, target.key, deadline);
  if (!live) return free;
  histories_.with([&](Histories& histories) {
    for (const std::string& path : unnamed) {
      const auto found = histories.find({writer, object, path});
      if (found == histories.end()) continue;
      if (has_wanted_value(*live, path, found->second.value)) {
        histories.erase(found);
      } else {
        found->second.manager = field_manager_of(*live, path);
      }
    }
  });
  return free;
}

void Contests::wrote(const kube::ObjectKey& writer, const Target& target, const DisputedFields& fields,
                     const Clock& clock) {
  const SteadyTime now = clock.steady_now();
  const std::string object = target.resource.kind + " " + target.key.describe();
  histories_.with([&](Histories& histories) {
    for (const auto& [path, value] : fields) {
      History& history = histories[{writer, object, path}];
      if (history.value != value || history.writes.empty())
        history = {.value = value, .first = Time::from(clock.now())};
      history.wanted = now;
      history.writes.push_back(now);
      if (history.writes.size() > limits_.free_writes) history.writes.erase(history.writes.begin());
    }
    make_room(histories, now);
  });
}

std::vector<Contest> Contests::of(const kube::ObjectKey& writer, const Clock& clock) const {
  const SteadyTime now = clock.steady_now();
  return histories_.with([&](const Histories& histories) {
    std::vector<Contest> contests;
    for (auto at = histories.lower_bound({.writer = writer}); at != histories.end(); ++at) {
      const auto& [field, history] = *at;
      if (field.writer != writer) break;
      if (!history.contested || is_over(history, now)) continue;
      contests.push_back({field.object, field.path, history.manager, history.first});
    }
    return contests;
  });
}

std::optional<Nanoseconds> Contests::next(const kube::ObjectKey& writer, const Clock& clock) const {
  const SteadyTime now = clock.steady_now();
  return histories_.with([&](const Histories& histories) {
    std::optional<Nanoseconds> soonest;
    for (auto at = histories.lower_bound({.writer = writer}); at != histories.end(); ++at) {
      const auto& [field, history] = *at;
      if (field.writer != writer) break;
      if (!history.contested) continue;
      const SteadyTime over = history.wanted + 2 * limits_.span;
      if (now > over) continue;
      const SteadyTime write = history.writes.back() + limits_.span;
      recheck_within(soonest, (write > now ? write : over) - now + std::chrono::milliseconds(1));
    }
    return soonest;
  });
}

bool Contests::has_news(const kube::ObjectKey& writer) {
  return histories_.with([&](Histories& histories) {
    bool news = false;
    for (auto at = histories.lower_bound({.writer = writer}); at != histories.end(); ++at) {
      auto& [field, history] = *at;
      if (field.writer != writer) break;
      news = news || (history.contested && !history.reported);
      if (history.contested) history.reported = true;
    }
    return news;
  });
}

void Contests::forget(const kube::ObjectKey& writer) {
  histories_.with([&](Histories& histories) {
    std::erase_if(histories, [&](const auto& each) { return each.first.writer == writer; });
  });
}

std::size_t Contests::size() const {
  return histories_.with([](const Histories& histories) { return histories.size(); });
}

bool Contests::is_over(const History& history, SteadyTime now) const {
  return now - history.wanted > 2 * limits_.span;
}

bool Contests::is_free(const History& history, SteadyTime now) const {
  if (history.contested) return now - history.writes.back() >= limits_.span;
  return history.writes.size() < limits_.free_writes || now - history.writes.front() >= limits_.span;
}

// A batch at a time: a fleet that is being made writes each field once, and is not to pay for a search each
// time.
void Contests::make_room(Histories& histories, SteadyTime now) const {
  if (histories.size() <= limits_.most_fields) return;
  std::erase_if(histories, [&](const auto& each) { return is_over(each.second, now); });
  if (histories.size() <= limits_.most_fields / 2) return;
  std::vector<SteadyTime> used;
  for (const auto& [field, history] : histories) used.push_back(history.wanted);
  const auto middle = used.begin() + static_cast<std::ptrdiff_t>(used.size() / 2);
  std::ranges::nth_element(used, middle);
  std::erase_if(histories, [&](const auto& each) { return each.second.wanted <= *middle; });
}

void show_contests(api::Conditions& conditions, const std::vector<Contest>& contests, std::int64_t generation,
                   Time now) {
  if (contests.empty()) {
    api::conditions::remove(conditions, api::condition::kContested);
    return;
  }
  api::conditions::set(conditions,
                       api::conditions::make(api::condition::kContested, api::status::kTrue,
                                             api::reason::kOverwrittenByAnother, describe(contests)),
                       generation, now);
}

}  // namespace capstan::controllers
