#include "runtime/election_scope.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>

#include "api/names.h"
#include "api/v1beta2/syntax.h"
#include "base/hash.h"

namespace capstan::runtime {
namespace {

namespace json = boost::json;

constexpr std::string_view kHolder = "holder";
constexpr std::string_view kNamespace = "namespace";
constexpr std::string_view kWatchFilter = "watchFilter";
constexpr std::string_view kVersion = "version";
constexpr std::size_t kLongestStem = 200;  // of 253 characters; a hash follows

bool disjoint(std::string_view a, std::string_view b) { return !a.empty() && !b.empty() && a != b; }

char in_a_name(char c) {
  if (c >= 'A' && c <= 'Z') return static_cast<char>(c - 'A' + 'a');
  const bool fits = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
  return fits ? c : '-';
}

std::string text_at(const json::object& note, std::string_view key) {
  const auto* value = note.if_contains(key);
  return value != nullptr && value->is_string() ? std::string(value->as_string()) : std::string();
}

// Of the present holder.
std::optional<json::object> note_on(const api::Lease& lease) {
  boost::system::error_code broken;
  const auto note =
      json::parse(lease.metadata.annotations.value_or_empty(api::annotation::kElectionScope), broken);
  if (broken || !note.is_object()) return {};
  if (text_at(note.as_object(), kHolder) != lease.spec.holder_identity.view()) return {};
  return note.as_object();
}

std::string subject(const api::Lease& lease) {
  return fmt::format("Lease {}/{} is held by {}", lease.metadata.namespace_.view(),
                     lease.metadata.name.view(), lease.spec.holder_identity.view());
}

}  // namespace

std::string describe(const ElectionScope& scope) {
  if (scope == ElectionScope{}) return "all objects";
  if (scope.watch_filter.empty()) return fmt::format("namespace {}", scope.namespace_);
  if (scope.namespace_.empty()) return fmt::format("watch filter {}", scope.watch_filter);
  return fmt::format("namespace {}, watch filter {}", scope.namespace_, scope.watch_filter);
}

bool overlap(const ElectionScope& a, const ElectionScope& b) {
  return !disjoint(a.namespace_, b.namespace_) && !disjoint(a.watch_filter, b.watch_filter);
}

std::string lease_name(std::string_view base, std::string_view watch_filter) {
  if (watch_filter.empty()) return std::string(base);
  std::string name = fmt::format("{}-{}", base, watch_filter);
  if (api::dns_subdomain_faults(name).empty()) return name;
  std::string stem(watch_filter.substr(0, kLongestStem));
  std::ranges::transform(stem, stem.begin(), in_a_name);
  return fmt::format("{}-{}-{:08x}", base, stem, fnv1a_32(watch_filter));
}

std::string scope_note(const ElectionScope& scope, std::string_view holder, std::string_view version) {
  return json::serialize(json::object{{kHolder, holder},
                                      {kNamespace, scope.namespace_},
                                      {kWatchFilter, scope.watch_filter},
                                      {kVersion, version}});
}

std::optional<ElectionScope> noted_scope(const api::Lease& lease) {
  const auto note = note_on(lease);
  if (!note) return {};
  return ElectionScope{.namespace_ = text_at(*note, kNamespace),
                       .watch_filter = text_at(*note, kWatchFilter)};
}

std::string noted_version(const api::Lease& lease) {
  const auto note = note_on(lease);
  return note ? text_at(*note, kVersion) : std::string();
}

std::string_view why_waiting(const api::Lease& lease, std::string_view ours) {
  const std::string theirs = noted_version(lease);
  if (theirs.empty())
    return "waiting for the lease, whose holder noted no version: upstream's core, or a Capstan older than "
           "this one";
  return theirs == ours ? "waiting for the lease" : "waiting for the lease, which another version holds";
}

Result<void> may_act_beside(const NeighbourRules& rules, const api::Lease& lease) {
  if (lease.spec.holder_identity.view().empty()) return {};
  const auto theirs = noted_scope(lease);
  if (!theirs && rules.beside_upstream) return {};
  if (!theirs)
    return fail(
        Code::Conflict,
        fmt::format("{}, which noted no scope on it: upstream's core manager, or a Capstan older than "
                    "this one. Both would reconcile the same objects. Stop it; or, if it has a "
                    "--watch-filter of its own that is not ours ({}), start this one with "
                    "--beside-upstream",
                    subject(lease), describe(rules.own)));
  if (!overlap(rules.own, *theirs)) return {};
  return fail(Code::Conflict,
              fmt::format("{}, a Capstan that reconciles {}; ours are {}, and both would reconcile the same "
                          "objects. Stop it, or give it a --watch-filter or --namespace of its own",
                          subject(lease), describe(*theirs), describe(rules.own)));
}

}  // namespace capstan::runtime
