#include "infrastructure/sim/script.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <set>
#include <utility>

#include "api/schema/yaml.h"
#include "base/duration.h"
#include "base/try.h"

namespace capstan::infrastructure::sim {
namespace {

namespace json = boost::json;

constexpr std::array<std::pair<SimVerb, std::string_view>, 8> kVerbs = {{
    {SimVerb::Create, "create"},
    {SimVerb::Initialize, "initialize"},
    {SimVerb::Remove, "remove"},
    {SimVerb::Status, "status"},
    {SimVerb::List, "list"},
    {SimVerb::Tag, "tag"},
    {SimVerb::VolumeIds, "volumeIds"},
    {SimVerb::Identity, "identity"},
}};

// One object of the file: takes its fields one by one, remembers the first mistake, and in the end complains
// about fields that were not taken.
class Fields {
 public:
  Fields(const json::value& value, std::string path) : path_(std::move(path)) {
    object_ = value.if_object();
    if (object_ == nullptr) blame("", "must be an object");
  }

  const json::value* take(std::string_view name) {
    taken_.emplace(name);
    const json::value* value = object_ == nullptr ? nullptr : object_->if_contains(name);
    return value == nullptr || value->is_null() ? nullptr : value;
  }
  void span(std::string_view name, Nanoseconds& into) {
    const json::value* value = take(name);
    if (value == nullptr) return;
    const auto* text = value->if_string();
    const auto parsed = text == nullptr ? Result<Nanoseconds>(fail(Code::Invalid, ""))
                                        : parse_duration(std::string_view(*text));
    if (!parsed || *parsed < Nanoseconds(0)) return blame(name, "must be a span of time such as 2s or 1m30s");
    into = *parsed;
  }
  void number(std::string_view name, std::int64_t least, std::int64_t most, std::int64_t& into) {
    const json::value* value = take(name);
    if (value == nullptr) return;
    const auto* found = value->if_int64();
    if (found == nullptr || *found < least || *found > most)
      return blame(name, fmt::format("must be a whole number from {} to {}", least, most));
    into = *found;
  }
  void number(std::string_view name, std::optional<std::int64_t>& into) {
    std::int64_t found = -1;
    number(name, 0, 1'000'000'000, found);
    if (found >= 0) into = found;
  }
  void text(std::string_view name, std::string& into) {
    const json::value* value = take(name);
    if (value == nullptr) return;
    const auto* found = value->if_string();
    if (found == nullptr) return blame(name, "must be a string");
    into = std::string(*found);
  }

  void flag(std::string_view name, bool& into) {
    const json::value* value = take(name);
    if (value == nullptr) return;
    if (!value->is_bool()) return blame(name, "must be true or false");
    into = value->as_bool();
  }

  std::string path_of(std::string_view name) const {
    if (path_.empty()) return std::string(name);
    return name.empty() ? path_ : path_ + "." + std::string(name);
  }
  void blame(std::string_view name, std::string_view why) {
    if (!mistake_) mistake_ = fmt::format("{}: {}", path_of(name), why);
  }
  // The first mistake, unknown fields included.
  Result<void> finish() {
    if (object_ != nullptr) {
      for (const auto& member : *object_) {
        if (!taken_.contains(std::string_view(member.key()))) blame(member.key(), "no field is called that");
      }
    }
    if (mistake_) return fail(Code::Invalid, *mistake_);
    return {};
  }

 private:
  const json::object* object_ = nullptr;
  std::string path_;
  std::set<std::string, std::less<>> taken_;
  std::optional<std::string> mistake_;
};

void read_jitter(Fields& fields, std::int32_t& into) {
  std::int64_t percent = into;
  fields.number("jitterPercent", 0, 1000, percent);
  into = static_cast<std::int32_t>(percent);
}

Result<void> read_latency(const json::value& value, Latency& latency) {
  Fields fields(value, "latency");
  fields.span("create", latency.create);
  fields.span("remove", latency.remove);
  fields.span("status", latency.status);
  fields.span("list", latency.list);
  read_jitter(fields, latency.jitter_percent);
  return fields.finish();
}

Result<void> read_quota(const json::value& value, Quota& quota) {
  Fields fields(value, "quota");
  fields.number("vms", quota.vms);
  if (const json::value* classes = fields.take("classes")) {
    const auto* list = classes->if_object();
    if (list == nullptr) fields.blame("classes", "must be an object of class names and numbers");
    for (const auto& member : list == nullptr ? json::object() : *list) {
      const auto* number = member.value().if_int64();
      if (number == nullptr || *number < 0)
        fields.blame(fmt::format("classes.{}", std::string_view(member.key())), "must be a whole number");
      else
        quota.classes[std::string(member.key())] = *number;
    }
  }
  return fields.finish();
}

Result<void> read_boot(const json::value& value, Script& script) {
  Fields fields(value, "boot");
  fields.span("register", script.register_after);
  read_jitter(fields, script.boot_jitter_percent);
  fields.span("ready", script.ready_after);
  return fields.finish();
}

Result<void> read_heartbeat(const json::value& value, Script& script) {
  Fields fields(value, "heartbeat");
  fields.span("lease", script.lease_every);
  fields.span("status", script.status_every);
  fields.span("grace", script.silence_grace);
  return fields.finish();
}

template <typename Range>
std::string choices(const Range& names) {
  std::string text;
  for (const auto& [value, name] : names) text += (text.empty() ? "" : ", ") + std::string(name);
  return text;
}

void read_verb(Fields& fields, FaultRule& rule) {
  std::string verb;
  fields.text("verb", verb);
  if (verb.empty()) return;
  const auto* const known = std::ranges::find(kVerbs, verb, &std::pair<SimVerb, std::string_view>::second);
  if (known == kVerbs.end())
    return fields.blame("verb", fmt::format("no verb is called {} (one of {})", verb, choices(kVerbs)));
  rule.verb = known->first;
}

void read_code(Fields& fields, FaultRule& rule) {
  std::string code;
  fields.text("code", code);
  if (code.empty()) return;
  const auto known = parse_driver_code(code);
  if (!known) return fields.blame("code", fmt::format("no code is called {}", code));
  rule.code = *known;
}

void read_effect(Fields& fields, FaultRule& rule) {
  std::string effect = "None";
  fields.text("effect", effect);
  if (effect != "None" && effect != "Happened") fields.blame("effect", "must be None or Happened");
  rule.happened = effect == "Happened";
}

void read_join(Fields& fields, FaultRule& rule) {
  std::string join;
  fields.text("join", join);
  if (!join.empty() && join != "Never") fields.blame("join", "must be Never");
  rule.never_joins = join == "Never";
}

void read_percent(Fields& fields, std::string_view name, std::int32_t& into) {
  std::int64_t percent = into;
  fields.number(name, 0, 100, percent);
  into = static_cast<std::int32_t>(percent);
}

void read_list_faults(Fields& fields, FaultRule& rule) {
  read_percent(fields, "missing", rule.missing_percent);
  fields.span("late", rule.late);
  if ((rule.missing_percent > 0 || rule.late > Nanoseconds(0)) && rule.verb != SimVerb::List)
    fields.blame("", "missing and late are about verb list");
}

void read_time(Fields& fields, FaultRule& rule) {
  fields.span("after", rule.after);
  Nanoseconds lasts{-1};
  fields.span("for", lasts);
  if (lasts >= Nanoseconds(0)) rule.lasts = lasts;
}

void read_domain(Fields& fields, FaultRule& rule) {
  fields.text("domain", rule.domain);
  fields.flag("returns", rule.returns);
  if (rule.returns && rule.domain.empty()) fields.blame("returns", "is about a failure domain");
}

int kinds_in(const FaultRule& rule) {
  return int{rule.verb.has_value()} + int{rule.vanish.has_value()} + int{!rule.account.empty()} +
         int{!rule.domain.empty()} + int{rule.never_joins} + int{!rule.api.empty()};
}

Result<FaultRule> read_rule(const json::value& value, const std::string& path) {
  Fields fields(value, path);
  FaultRule rule;
  read_verb(fields, rule);
  Nanoseconds vanish{-1};
  fields.span("vanish", vanish);
  if (vanish >= Nanoseconds(0)) rule.vanish = vanish;
  fields.text("account", rule.account);
  read_domain(fields, rule);
  read_join(fields, rule);
  fields.text("api", rule.api);
  if (kinds_in(rule) != 1)
    fields.blame(
        "", "needs either verb (a call that fails), vanish (VMs that go away), account, domain, join or api");
  read_list_faults(fields, rule);
  read_time(fields, rule);
  read_code(fields, rule);
  fields.text("message", rule.message);
  fields.text("vms", rule.vms);
  read_percent(fields, "percent", rule.percent);
  fields.number("skip", 0, 1'000'000'000, rule.skip);
  fields.number("times", rule.times);
  fields.number("total", rule.total);
  read_effect(fields, rule);
  fields.number("again", 0, 1'000'000'000, rule.again);
  if (auto good = fields.finish(); !good) return fail(good.error());
  return rule;
}

Result<void> read_faults(const json::value& value, Script& script) {
  const auto* list = value.if_array();
  if (list == nullptr) return fail(Code::Invalid, "faults: must be a list");
  for (std::size_t i = 0; i < list->size(); ++i)
    script.faults.push_back(TRY(read_rule(list->at(i), fmt::format("faults[{}]", i))));
  return {};
}

Result<Script> read(const json::value& document) {
  Script script;
  Fields fields(document, "");
  std::int64_t seed = 1;
  fields.number("seed", 0, std::numeric_limits<std::int64_t>::max(), seed);
  script.seed = static_cast<std::uint64_t>(seed);
  fields.span("listLag", script.list_lag);
  if (const auto* latency = fields.take("latency")) TRY(read_latency(*latency, script.latency));
  if (const auto* quota = fields.take("quota")) TRY(read_quota(*quota, script.quota));
  if (const auto* boot = fields.take("boot")) TRY(read_boot(*boot, script));
  if (const auto* heartbeat = fields.take("heartbeat")) TRY(read_heartbeat(*heartbeat, script));
  if (const auto* faults = fields.take("faults")) TRY(read_faults(*faults, script));
  TRY(fields.finish());
  return script;
}

}  // namespace

Result<Script> parse_script(std::string_view text) {
  const auto documents = TRY(api::parse_yaml_documents(text));
  if (documents.empty()) return Script();
  if (documents.size() > 1) return fail(Code::Invalid, "one document is expected, not several");
  return read(documents.front());
}

bool matches_glob(std::string_view pattern, std::string_view name) {
  std::size_t at = 0;
  std::size_t in = 0;
  std::size_t star = std::string_view::npos;
  std::size_t retry = 0;
  while (in < name.size()) {
    if (at < pattern.size() && pattern[at] == '*') {
      star = at++;
      retry = in;
    } else if (at < pattern.size() && (pattern[at] == '?' || pattern[at] == name[in])) {
      ++at;
      ++in;
    } else if (star != std::string_view::npos) {
      at = star + 1;  // let the star take one more
      in = ++retry;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', at) == std::string_view::npos;
}

}  // namespace capstan::infrastructure::sim
