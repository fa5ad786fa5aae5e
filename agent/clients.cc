#include "agent/clients.h"

#include <algorithm>
#include <boost/json.hpp>

#include "agent/checksum.h"
#include "agent/server.h"
#include "base/try.h"
#include "kube/version_number.h"

namespace capstan::agent {
namespace {

constexpr Nanoseconds kReadAgain =
    std::chrono::minutes(10);  // at the latest, at the earliest after half of it

std::string fingerprint_of(const kube::Connection& connection) {
  return checksum_of(connection.server + "\n" + connection.ca_pem + "\n" + connection.certificate_pem + "\n" +
                     connection.token.reveal());
}

// A version that is no number is newer than any but itself.
bool is_newer(std::string_view version, std::string_view than) {
  const auto number = kube::version_number(version);
  const auto known = kube::version_number(than);
  return number && known ? *number > *known : version != than;
}

}  // namespace

Result<kube::Client*> Clients::with(Credential credential, const kube::Connection& connection) {
  Slot& known = slot(credential);
  std::string fingerprint = fingerprint_of(connection);
  if (known.client && known.fingerprint == fingerprint) return known.client.get();
  auto client = TRY(dial_(connection));
  known.watch.reset();
  known.client = std::move(client);
  known.fingerprint = std::move(fingerprint);
  return known.client.get();
}

Result<std::optional<boost::json::value>> Clients::news(Credential credential, const kube::Resource& resource,
                                                        const kube::ObjectKey& key,
                                                        const Deadline& deadline) {
  Slot& known = slot(credential);
  if (is_followed(known)) return told(known);
  known.read_again.reset();
  auto document = TRY(known.client->get(resource, key, deadline));
  known.read_again = clock_.steady_now() + until_next_reading();
  known.version = version_of(document);
  if (!outlasts_next_reading(known)) listen(known, resource, key);
  return std::optional(std::move(document));
}

std::optional<SteadyTime> Clients::next_reading() const {
  std::optional<SteadyTime> next;
  for (const Slot& slot : slots_)
    if (slot.read_again) next = std::min(next.value_or(*slot.read_again), *slot.read_again);
  return next;
}

bool Clients::is_followed(const Slot& slot) const {
  return slot.watch && slot.watch->listens() && slot.read_again && clock_.steady_now() < *slot.read_again;
}

// One that ended before would make the agent read in whichever round comes first, as all others do then.
bool Clients::outlasts_next_reading(const Slot& slot) const {
  return slot.watch && slot.watch->listens() && slot.watched_until > clock_.steady_now() + kReadAgain;
}

Nanoseconds Clients::until_next_reading() {
  const double part = 1 - unit_interval(randomness_.next()) / 2;
  return std::chrono::duration_cast<Nanoseconds>(kReadAgain * part);
}

// The answer to the agent's own write may come before the events of older changes.
std::optional<boost::json::value> Clients::told(Slot& slot) {
  auto object = slot.watch->take();
  if (!object || !is_newer(version_of(*object), slot.version)) return {};
  slot.version = version_of(*object);
  return object;
}

void Clients::listen(Slot& slot, const kube::Resource& resource, const kube::ObjectKey& key) {
  slot.watch.reset();
  slot.watch = std::make_unique<ObjectWatch>(changed_);
  slot.watch->listen(*slot.client, resource, key, slot.version);
  slot.watched_until = clock_.steady_now() + ObjectWatch::kLength;
}

}  // namespace capstan::agent
