#include "api/policy/fleet_request.h"

#include <algorithm>
#include <array>

#include "api/policy/fleet_names.h"
#include "api/policy/names.h"

namespace capstan::api::policy {
namespace {

constexpr char kSinceMark = '~';
constexpr std::string_view kConfirmed = "~confirmed:";
constexpr std::array kReasons = {deletion::kRemediation, deletion::kRollout, deletion::kScaleIn,
                                 deletion::kPreservationEnded, deletion::kOrphans};

}  // namespace

std::string to_text(const FleetRequest& request) {
  std::string text = request.reason + kSinceMark + request.since.to_string();
  if (!request.confirmed.empty()) text.append(kConfirmed).append(request.confirmed);
  return text;
}

std::optional<FleetRequest> fleet_request_in(const ObjectMeta& object) {
  std::string_view text = object.annotations.value_or_empty(annotation::kFleetRequest);
  std::string confirmed;
  if (const auto at = text.find(kConfirmed); at != std::string_view::npos) {
    confirmed = text.substr(at + kConfirmed.size());
    text = text.substr(0, at);
  }
  const auto mark = text.find(kSinceMark);
  if (mark == std::string_view::npos) return std::nullopt;
  const std::string_view reason = text.substr(0, mark);
  const auto since = Time::parse(text.substr(mark + 1));
  const bool is_known = std::ranges::find(kReasons, reason) != kReasons.end();
  if (!is_known || !since || !since->is_set()) return std::nullopt;
  return FleetRequest{.reason = std::string(reason), .since = *since, .confirmed = std::move(confirmed)};
}

bool has_fleet_grant(const ObjectMeta& object) {
  return object.annotations.contains(annotation::kFleetGrant);
}

std::optional<Seconds> fleet_grant_left(const ObjectMeta& object, Time now) {
  const auto granted = Time::parse(object.annotations.value_or_empty(annotation::kFleetGrant));
  if (!granted || !granted->is_set()) return std::nullopt;
  const Seconds left = *granted + kFleetGrantExpires - now;
  return left > Seconds(0) ? std::optional(left) : std::nullopt;
}

bool concerns_fleet(const ObjectMeta& object) {
  return has_fleet_grant(object) || object.annotations.contains(annotation::kFleetRequest);
}

}  // namespace capstan::api::policy
