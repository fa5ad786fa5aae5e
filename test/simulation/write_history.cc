#include "test/simulation/write_history.h"

#include <boost/json.hpp>
#include <utility>

#include "api/policy/names.h"
#include "base/hash.h"

namespace capstan::simulation {
namespace {

constexpr Nanoseconds kMinute = std::chrono::minutes(1);

std::uint64_t fingerprint(const boost::json::value& value) {
  if (const auto* object = value.if_object()) {
    std::uint64_t sum = 1;  // whatever the order
    for (const auto& [key, field] : *object) {
      if (key == "lastTransitionTime") continue;
      sum += hash_combine(hash_bytes(key), fingerprint(field));
    }
    return sum;
  }
  if (const auto* array = value.if_array()) {
    std::uint64_t hash = 2;
    for (const auto& each : *array) hash = hash_combine(hash, fingerprint(each));
    return hash;
  }
  return hash_bytes(boost::json::serialize(value));
}

// The one answer to a request that is given in metadata.
std::uint64_t grant_in(const boost::json::object& object) {
  const auto* metadata = object.if_contains("metadata");
  const auto* annotations = metadata == nullptr ? nullptr : metadata->as_object().if_contains("annotations");
  if (annotations == nullptr) return 0;
  const auto* grant = annotations->as_object().if_contains(api::policy::annotation::kFleetGrant);
  return grant == nullptr ? 0 : fingerprint(*grant);
}

std::uint64_t state_of(const boost::json::object& object) {
  std::uint64_t hash = hash_combine(3, grant_in(object));
  for (const auto& [key, field] : object)
    if (key != "metadata") hash += hash_combine(hash_bytes(key), fingerprint(field));
  return hash;
}

}  // namespace

std::size_t WriteHistory::note(const std::string& object, const boost::json::value& written, SteadyTime now) {
  Object& known = objects_[object];
  const auto& document = written.as_object();
  const auto* metadata = document.if_contains("metadata");
  const auto* version = metadata == nullptr ? nullptr : metadata->as_object().if_contains("resourceVersion");
  if (version == nullptr) return 0;
  const bool changed =
      std::exchange(known.version, std::string(version->as_string())) != version->as_string();
  while (!known.writes.empty() && now - known.writes.front() > kMinute) known.writes.pop_front();
  const std::uint64_t state = state_of(document);
  if (changed && std::exchange(known.state, state) == state) known.writes.push_back(now);
  return known.writes.size();
}

}  // namespace capstan::simulation
