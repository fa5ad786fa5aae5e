#include "webhooks/certificates/stored.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <boost/json.hpp>

#include "api/core/secret.h"
#include "base/base64.h"
#include "base/time.h"
#include "base/try.h"
#include "net/tls.h"
#include "webhooks/certificates/names.h"
#include "webhooks/certificates/pem.h"

namespace capstan::webhooks::certificates {
namespace {

namespace json = boost::json;

// Clocks of API servers may be behind ours.
constexpr auto kSkew = std::chrono::hours(1);
constexpr std::string_view kDistributed = "Distributed";
constexpr std::string_view kServed = "Served";

// The keys of one pair in the Secret.
struct Keys {
  std::string_view authority;
  std::string_view authority_key;
  std::string_view serving;
  std::string_view serving_key;
};
constexpr Keys kServedKeys = {key::kAuthority, key::kAuthorityKey, key::kServing, key::kServingKey};
constexpr Keys kNextKeys = {key::kNextAuthority, key::kNextAuthorityKey, key::kNextServing,
                            key::kNextServingKey};

std::string part(const api::SecretContent& secret, std::string_view name) {
  const auto* found = secret.find(name);
  return found == nullptr ? std::string() : found->reveal();
}

std::string day(WallTime time) { return Time::from(time).to_string(); }

struct Judged {
  WallTime ends = {};
  std::optional<std::string> fault = {};
};

// Whatever a certificate is for: there, readable, in time, with its own key.
Judged judge(const net::KeyAndCertificate& both, std::string_view name, WallTime now) {
  if (both.certificate_pem.empty() || both.private_key_pem.reveal().empty())
    return {.fault = fmt::format("{} or its key is missing", name)};
  const auto facts = net::read_certificate(both.certificate_pem);
  if (!facts) return {.fault = fmt::format("{} is no certificate", name)};
  Judged judged{.ends = facts->not_after};
  if (facts->not_after <= now)
    judged.fault = fmt::format("{} has expired at {}", name, day(facts->not_after));
  else if (facts->not_before > now)
    judged.fault = fmt::format("{} is not valid before {}", name, day(facts->not_before));
  else if (!net::server_tls(
               {.certificate_pem = both.certificate_pem, .private_key_pem = both.private_key_pem}))
    judged.fault = fmt::format("{} does not belong to its key", name);
  return judged;
}

std::vector<std::string> missing_names(const net::CertificateFacts& facts, const ServedNames& names) {
  std::vector<std::string> missing;
  for (const std::string& name : names.dns)
    if (std::ranges::find(facts.dns_names, name) == facts.dns_names.end()) missing.push_back(name);
  for (const std::string& address : names.addresses)
    if (std::ranges::find(facts.ip_addresses, address) == facts.ip_addresses.end())
      missing.push_back(address);
  return missing;
}

std::optional<std::string> fault_between(const Pair& pair, const Keys& keys, const ServedNames& names) {
  if (!net::check_issued_by(pair.serving.certificate_pem, pair.authority.certificate_pem))
    return fmt::format("{} is not signed by {}", keys.serving, keys.authority);
  const auto facts = net::read_certificate(pair.serving.certificate_pem);
  if (!facts) return std::nullopt;  // judged already
  const auto missing = missing_names(*facts, names);
  if (missing.empty()) return std::nullopt;
  return fmt::format("{} is not for {}", keys.serving, fmt::join(missing, ", "));
}

// An authority that can't be read is no part of a bundle: API servers refuse what is no certificate.
void leave_out_unreadable(std::string& pem) {
  std::erase_if(pem, [](char c) { return c == '\r'; });
  if (!net::read_certificate(pem)) pem.clear();
}

std::optional<Pair> pair_in(const api::SecretContent& secret, const Keys& keys, const ServedNames& names,
                            WallTime now) {
  Pair pair{.authority = {part(secret, keys.authority), Secret(part(secret, keys.authority_key))},
            .serving = {part(secret, keys.serving), Secret(part(secret, keys.serving_key))}};
  if (pair.authority.certificate_pem.empty() && pair.serving.certificate_pem.empty()) return std::nullopt;
  const Judged authority = judge(pair.authority, keys.authority, now);
  const Judged serving = judge(pair.serving, keys.serving, now);
  leave_out_unreadable(pair.authority.certificate_pem);
  pair.authority_ends = authority.ends;
  pair.authority_fault = authority.fault;
  pair.serving_ends = serving.ends;
  pair.serving_fault = serving.fault;
  if (!pair.serving_fault && !pair.authority_fault) pair.serving_fault = fault_between(pair, keys, names);
  return pair;
}

std::string annotation_of(const json::value& secret, std::string_view name) {
  json::error_code none;
  const auto* all = secret.find_pointer("/metadata/annotations", none);
  if (all == nullptr || !all->is_object()) return {};
  const auto* found = all->as_object().if_contains(name);
  return found != nullptr && found->is_string() ? std::string(found->as_string()) : std::string();
}

Phase phase_in(std::string_view text) {
  if (text.starts_with(kDistributed)) return Phase::Distributed;
  return text.starts_with(kServed) ? Phase::Served : Phase::None;
}

json::value encoded(std::string_view bytes) {
  if (bytes.empty()) return nullptr;
  return json::string(base64_encode(bytes));
}

void put(json::object& content, const Keys& keys, const Pair& pair) {
  content[keys.authority] = encoded(pair.authority.certificate_pem);
  content[keys.authority_key] = encoded(pair.authority.private_key_pem.reveal());
  content[keys.serving] = encoded(pair.serving.certificate_pem);
  content[keys.serving_key] = encoded(pair.serving.private_key_pem.reveal());
}

json::value patch(const Stored& stored, json::object content, json::object annotations) {
  json::object body{
      {"metadata", {{"resourceVersion", stored.resource_version}, {"annotations", std::move(annotations)}}}};
  if (!content.empty()) body["data"] = std::move(content);
  return body;
}

}  // namespace

Result<Stored> read_stored(const json::value& secret, const ServedNames& names, WallTime now) {
  const auto content = TRY(api::read_secret(secret));
  Stored stored{.resource_version = content.resource_version,
                .served = pair_in(content, kServedKeys, names, now),
                .next = pair_in(content, kNextKeys, names, now),
                .retired = usable_certificates_in(part(content, key::kRetired), now),
                .phase_text = annotation_of(secret, annotation::kPhase),
                .rotation_asked = !annotation_of(secret, annotation::kRotate).empty()};
  stored.phase = phase_in(stored.phase_text);
  return stored;
}

Result<Pair> new_pair(const ServedNames& names, const Times& times, WallTime now) {
  Pair pair{.authority_ends = now + times.authority_life};
  pair.authority = TRY(net::new_ca(fmt::format("capstan-webhooks-{}", Time::from(now).unix_seconds()),
                                   now - kSkew, pair.authority_ends));
  pair.serving = TRY(new_serving(pair, names, times, now));
  return pair;
}

Result<net::KeyAndCertificate> new_serving(const Pair& pair, const ServedNames& names, const Times& times,
                                           WallTime now) {
  return net::issue(pair.authority, {.subject = {.common_name = std::string(kService)},
                                     .dns_names = names.dns,
                                     .ip_addresses = names.addresses,
                                     .server = true,
                                     .not_before = now - kSkew,
                                     .not_after = std::min(now + times.serving_life, pair.authority_ends)});
}

json::value secret_with(const api::ObjectKey& key, const Pair& next, const Plan& plan) {
  json::object content;
  put(content, kNextKeys, next);
  if (!plan.retired.empty()) content[key::kRetired] = encoded(one_text(plan.retired));
  return {{"apiVersion", "v1"},
          {"kind", "Secret"},
          {"metadata", {{"name", key.name}, {"namespace", key.namespace_}}},
          {"type", "Opaque"},
          {"data", std::move(content)}};
}

json::value next_patch(const Stored& stored, const Pair& next, const Plan& plan) {
  json::object content;
  put(content, kNextKeys, next);
  content[key::kRetired] = encoded(one_text(plan.retired));
  return patch(stored, std::move(content), {{annotation::kPhase, nullptr}, {annotation::kRotate, nullptr}});
}

json::value serving_patch(const Stored& stored, const net::KeyAndCertificate& serving) {
  return patch(stored,
               {{key::kServing, encoded(serving.certificate_pem)},
                {key::kServingKey, encoded(serving.private_key_pem.reveal())}},
               {});
}

json::value serve_next_patch(const Stored& stored, const Plan& plan, std::string_view phase_text) {
  json::object content;
  put(content, kServedKeys, *stored.next);
  put(content, kNextKeys, {});
  content[key::kRetired] = encoded(one_text(plan.retired));
  return patch(stored, std::move(content), {{annotation::kPhase, phase_text}});
}

json::value drop_retired_patch(const Stored& stored) {
  return patch(stored, {{key::kRetired, nullptr}}, {{annotation::kPhase, nullptr}});
}

json::value phase_patch(const Stored& stored, std::string_view phase_text) {
  json::value text = nullptr;
  if (!phase_text.empty()) text = phase_text;
  return patch(stored, {}, {{annotation::kPhase, std::move(text)}});
}

std::string phase_text(Phase phase, WallTime now) {
  return fmt::format("{} {}", phase == Phase::Distributed ? kDistributed : kServed,
                     MicroTime::from(now).to_string());
}

}  // namespace capstan::webhooks::certificates
