#include "runtime/consistency.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <span>

#include "base/duration.h"
#include "base/safeguards.h"
#include "kube/apply.h"
#include "kube/typed.h"

namespace capstan::runtime {
namespace {

namespace json = boost::json;

std::string_view text_at(const json::value& object, std::string_view field) {
  const auto* metadata = object.is_object() ? object.as_object().if_contains("metadata") : nullptr;
  const auto* value =
      metadata != nullptr && metadata->is_object() ? metadata->as_object().if_contains(field) : nullptr;
  return value != nullptr && value->is_string() ? std::string_view(value->get_string()) : std::string_view();
}

api::ResourceVersion version_of(const json::value& object) {
  return api::ResourceVersion::parse(text_at(object, "resourceVersion")).value_or(api::ResourceVersion());
}

bool owned_by(const json::value& object, const api::Uid& owner) {
  const auto* metadata = object.is_object() ? object.as_object().if_contains("metadata") : nullptr;
  const auto* owners = metadata != nullptr && metadata->is_object()
                           ? metadata->as_object().if_contains("ownerReferences")
                           : nullptr;
  if (owners == nullptr || !owners->is_array()) return false;
  return std::ranges::any_of(owners->as_array(), [&](const json::value& reference) {
    const auto* uid = reference.is_object() ? reference.as_object().if_contains("uid") : nullptr;
    return uid != nullptr && uid->is_string() && api::Uid(uid->get_string()) == owner;
  });
}

// Gone, replaced by another object, or being deleted; false also when the read failed.
bool is_going(const Result<json::value>& live, const api::Uid& uid) {
  if (!live) return live.error().code == Code::NotFound;
  return api::Uid(text_at(*live, "uid")) != uid || !text_at(*live, "deletionTimestamp").empty();
}

}  // namespace

Consistency::Consistency(const Clock& clock, ConsistencyOptions options) : clock_(clock), options_(options) {}

template <typename Send>
Result<api::Written> Consistency::create_with(kube::Client& client, const ObjectKey& key, const Child& child,
                                              const api::Uid& owner, const Deadline& deadline,
                                              const Send& send) {
  if (is_off(Safeguard::CreateExpectation)) return send();
  const Question question{.creation = true,
                          .cache = &child.cache,
                          .resource = child.resource,
                          .child = child.key,
                          .uid = owner,
                          .since = clock_.steady_now()};
  ask(key, question);
  Result<api::Written> created = send();
  if (!created && created.error().code == Code::AlreadyExists) {
    created = adopt_existing(client, child, owner, created.error(), deadline);
  }
  if (created) {
    settle(key, question, Answer::Done, created->metadata.resource_version);
  } else if (!created.error().outcome_unknown) {
    settle(key, question, Answer::Refused, {});
  }
  return created;
}

Result<api::Written> Consistency::create(kube::Client& client, const ObjectKey& key, const Child& child,
                                         const api::Uid& owner, const json::value& object,
                                         const kube::WriteOptions& options, const Deadline& deadline) {
  return create_with(client, key, child, owner, deadline, [&] {
    return kube::create_briefly(client, child.resource, child.key, object, options, deadline);
  });
}

Result<api::Written> Consistency::create_by_apply(kube::Client& client, const ObjectKey& key,
                                                  const Child& child, const api::Uid& owner,
                                                  const json::value& object, std::string_view field_manager,
                                                  const Deadline& deadline) {
  return create_with(client, key, child, owner, deadline, [&]() -> Result<api::Written> {
    auto applied = kube::patch_briefly(
        client, child.resource, child.key, kube::creation_intent(object),
        {.type = kube::PatchType::Apply, .field_manager = std::string(field_manager)}, deadline);
    if (applied || applied.error().code != Code::Conflict) return applied;
    Error taken = applied.error();  // the server speaks of the version, which no user has named
    taken.code = Code::AlreadyExists;
    taken.message = "the name is taken by another object";
    return fail(std::move(taken));
  });
}

// The name is taken: by an earlier try of ours, or by a stranger.
Result<api::Written> Consistency::adopt_existing(kube::Client& client, const Child& child,
                                                 const api::Uid& owner, const Error& refused,
                                                 const Deadline& deadline) {
  auto there = client.get(child.resource, child.key, deadline);
  if (!there) {
    Error error = there.error().context("read what is there already");
    error.outcome_unknown = error.code != Code::NotFound;
    return fail(std::move(error));
  }
  if (owned_by(*there, owner)) return api::from_json<api::Written>(*there);
  return fail(refused);
}

Result<void> Consistency::remove(kube::Client& client, const ObjectKey& key, const Child& child,
                                 const api::Uid& uid, kube::DeleteOptions options, const Deadline& deadline) {
  const Question question{.creation = false,
                          .cache = &child.cache,
                          .resource = child.resource,
                          .child = child.key,
                          .uid = uid,
                          .since = clock_.steady_now()};
  ask(key, question);
  options.uid = uid.str();
  const auto removed = client.remove(child.resource, child.key, options, deadline);
  if (removed || removed.error().code == Code::NotFound) {
    settle(key, question, Answer::Done, {});
    return {};
  }
  // Another object has the name by now, or another write came at the same moment: a live read shows it.
  if (removed.error().code == Code::Conflict &&
      is_going(client.get(child.resource, child.key, deadline), uid)) {
    settle(key, question, Answer::Done, {});
    return {};
  }
  if (!removed.error().outcome_unknown) settle(key, question, Answer::Refused, {});
  return fail(removed.error());
}

void Consistency::wrote(const ObjectKey& key, const Observed& cache, api::ResourceVersion version) {
  if (version.empty()) return;
  const Version debt{
      .cache = &cache, .epoch = cache.epoch(), .version = version, .since = clock_.steady_now()};
  keys_.with([&](auto& keys) {
    std::vector<Version>& versions = keys[key].versions;
    const auto known = std::ranges::find(versions, &cache, &Version::cache);
    if (known == versions.end()) {
      versions.push_back(debt);
    } else if (known->epoch != debt.epoch || known->version < version) {
      *known = debt;
    }
  });
}

void Consistency::went(const ObjectKey& key, const Observed& cache, const api::Uid& uid) {
  keys_.with([&](auto& keys) {
    keys[key].removals.push_back(
        {.cache = &cache, .child = key, .uid = uid, .since = clock_.steady_now(), .wholly = true});
  });
}

void Consistency::ask(const ObjectKey& key, Question question) {
  keys_.with([&](auto& keys) { keys[key].questions.push_back(std::move(question)); });
}

void Consistency::settle(const ObjectKey& key, const Question& question, Answer answer,
                         api::ResourceVersion version) {
  if (answer == Answer::Open) return;
  keys_.with([&](auto& keys) {
    const auto found = keys.find(key);
    if (found == keys.end()) return;
    Debts& debts = found->second;
    std::erase_if(debts.questions, [&](const Question& open) {
      return open.cache == question.cache && open.child == question.child &&
             open.creation == question.creation;
    });
    if (answer == Answer::Done && !question.creation) {
      debts.removals.push_back({.cache = question.cache,
                                .child = question.child,
                                .uid = question.uid,
                                .since = clock_.steady_now()});
    }
    if (debts.empty()) keys.erase(found);
  });
  if (answer == Answer::Done && question.creation) wrote(key, *question.cache, version);
}

Freshness Consistency::check(const ObjectKey& key) {
  const auto copy = keys_.with([&](const auto& keys) -> std::optional<Debts> {
    const auto found = keys.find(key);
    if (found == keys.end()) return std::nullopt;
    return found->second;
  });
  if (!copy) return {};
  Debts debts = *copy;
  if (is_off(Safeguard::ConsistencyGate)) return {};
  forget_paid(debts);  // outside of the lock: it asks the caches
  keys_.with([&](auto& keys) {
    if (debts.empty()) {
      keys.erase(key);
    } else {
      keys[key] = debts;
    }
  });
  return judge(debts, clock_.steady_now());
}

void Consistency::forget_paid(Debts& debts) {
  std::erase_if(debts.versions, [](const Version& debt) {
    return debt.cache->epoch() != debt.epoch || debt.cache->version() >= debt.version;
  });
  std::erase_if(debts.removals, [](const Removal& debt) {
    const auto seen = debt.cache->look(debt.child);
    return !seen || seen->uid != debt.uid || (seen->deleting && !debt.wholly);
  });
}

Freshness Consistency::judge(const Debts& debts, SteadyTime now) const {
  if (debts.empty()) return {};
  SteadyTime oldest = now;
  for (const Version& debt : debts.versions) oldest = std::min(oldest, debt.since);
  for (const Removal& debt : debts.removals) oldest = std::min(oldest, debt.since);
  for (const Question& debt : debts.questions) oldest = std::min(oldest, debt.since);
  const Observed* const cache = !debts.versions.empty()   ? debts.versions.front().cache
                                : !debts.removals.empty() ? debts.removals.front().cache
                                                          : debts.questions.front().cache;
  const Nanoseconds age = now - oldest;
  const bool overdue = age > options_.bound;
  const auto pause = [&](Nanoseconds shortest) {
    return std::clamp<Nanoseconds>(age / 4, shortest, options_.longest_recheck);
  };
  const Nanoseconds until_overdue = std::max(options_.bound - age, Nanoseconds()) + options_.recheck;
  const Nanoseconds in_time =
      debts.questions.empty() ? std::min(pause(options_.recheck), until_overdue) : options_.live_recheck;
  return {.state = overdue ? Freshness::State::Overdue : Freshness::State::Behind,
          .again_in = overdue ? pause(options_.overdue_recheck) : in_time,
          .ask_live = !debts.questions.empty(),
          .kind = cache->kind(),
          .waits_for = describe(debts)};
}

void Consistency::resolve(kube::Client& client, const ObjectKey& key, const Deadline& deadline) {
  const auto questions = keys_.with([&](const auto& keys) {
    const auto found = keys.find(key);
    return found == keys.end() ? std::vector<Question>() : found->second.questions;
  });
  for (const Question& question : questions) {
    const auto live = client.get(question.resource, question.child, deadline);
    if (!live && live.error().code != Code::NotFound) continue;
    const bool given_up = clock_.steady_now() - question.since >= options_.request_timeout;
    const Answer not_yet = given_up ? Answer::Refused : Answer::Open;
    if (question.creation) {
      const bool ours = live && owned_by(*live, question.uid);
      const bool stranger = live && !ours;
      settle(key, question,
             ours       ? Answer::Done
             : stranger ? Answer::Refused
                        : not_yet,
             live ? version_of(*live) : api::ResourceVersion());
    } else {
      settle(key, question, is_going(live, question.uid) ? Answer::Done : not_yet, {});
    }
  }
}

std::vector<Consistency::Debt> Consistency::debts(std::size_t limit) const {
  auto copies = keys_.with(
      [](const auto& keys) { return std::vector<std::pair<ObjectKey, Debts>>(keys.begin(), keys.end()); });
  std::ranges::sort(copies, {}, [](const auto& entry) -> const ObjectKey& { return entry.first; });
  std::vector<Debt> all;
  for (auto& [key, debts] : copies) {
    forget_paid(debts);
    if (debts.empty() || all.size() >= limit) continue;
    all.push_back({.key = key, .waits_for = describe(debts, clock_.steady_now())});
  }
  return all;
}

// Without `now` nothing in it moves: it goes into conditions, and one that changed with every look would
// bring about the next look by being written.
std::string Consistency::describe(const Debts& debts, std::optional<SteadyTime> now) {
  std::string text;
  const auto add = [&](const Observed& cache, const std::string& what, SteadyTime since) {
    if (!text.empty()) text += "; ";
    text += fmt::format("{}: {}", cache.kind(), what);
    if (!now) return;
    text += fmt::format(", for {} (cache at {})", format_duration(*now - since),
                        cache.version().empty() ? "none" : cache.version().str());
  };
  for (const Version& debt : debts.versions) {
    const std::string what = now ? "version " + debt.version.str() : "our last write";
    add(*debt.cache, what + " is not in the cache yet", debt.since);
  }
  for (const Removal& debt : debts.removals) {
    add(*debt.cache, fmt::format("the deletion of {} is not in the cache yet", debt.child.describe()),
        debt.since);
  }
  for (const Question& debt : debts.questions) {
    add(*debt.cache,
        fmt::format("no answer yet to the {} of {}", debt.creation ? "creation" : "deletion",
                    debt.child.describe()),
        debt.since);
  }
  return text;
}

}  // namespace capstan::runtime
