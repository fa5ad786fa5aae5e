#include "api/contract/control_plane.h"

#include <algorithm>

#include "api/contract/infra_cluster.h"
#include "api/contract/lists.h"
#include "api/v1beta2/version_order.h"
#include "base/try.h"
#include "base/version.h"

namespace capstan::api::contract {
namespace {

Result<Version> parsed(const Foreign& object, const Path& path, std::string_view text) {
  auto version = Version::parse_tolerant(text);
  if (!version) return Failure(version.error().context(fmt::format("{}: {}", object.describe(), path.str())));
  return version;
}

Result<void> check_order(const Foreign& object, const std::vector<VersionCount>& counts) {
  std::optional<Version> previous;
  for (const auto& count : counts) {
    auto version = TRY(parsed(object, path::kStatusVersions, count.version));
    if (previous && compare_with_build(version, *previous) == VersionOrder::Older) {
      return fail(Code::Invalid,
                  fmt::format("{}: {}: {} stands after {}", object.describe(), path::kStatusVersions.str(),
                              version.to_string(), previous->to_string()));
    }
    previous = std::move(version);
  }
  return {};
}

bool is_behind(const Version& wanted, const Version& running) {
  const auto order = compare_with_build(wanted, running);
  return order == VersionOrder::Newer || order == VersionOrder::Different;
}

}  // namespace

Result<bool> ControlPlane::initialized() const {
  const auto& where =
      contract_ == ContractVersion::V1Beta1 ? path::kInitialized : path::kControlPlaneInitialized;
  return TRY(read_bool(object_, where)).value_or(false);
}

Result<bool> ControlPlane::externally_managed() const {
  return TRY(read_bool(object_, path::kExternalManagedControlPlane)).value_or(false);
}

Result<std::optional<ApiEndpoint>> ControlPlane::control_plane_endpoint() const {
  return read_endpoint(object_);
}

Result<std::optional<std::string>> ControlPlane::version() const {
  return read_text(object_, path::kVersion);
}

Result<std::vector<VersionCount>> ControlPlane::versions() const {
  auto counts =
      TRY(read_list<VersionCount>(object_, path::kStatusVersions)).value_or(std::vector<VersionCount>());
  TRY(check_order(object_, counts));
  for (auto& count : counts) count.unknown = {};
  return counts;
}

Result<std::optional<std::string>> ControlPlane::running_version() const {
  const auto counts = TRY(versions());
  if (!counts.empty()) return counts.front().version.str();
  auto single = TRY(read_text(object_, path::kStatusVersion));
  if (single && single->empty()) single.reset();
  return single;
}

Result<bool> ControlPlane::upgrading() const {
  const auto text = TRY(version());
  if (!text)
    return fail(Code::Invalid, fmt::format("{}: {} is missing", object_.describe(), path::kVersion.str()));
  const auto wanted = TRY(parsed(object_, path::kVersion, *text));

  const auto counts = TRY(versions());
  for (const auto& count : counts) {
    if (is_behind(wanted, TRY(parsed(object_, path::kStatusVersions, count.version)))) return true;
  }
  const auto running = counts.empty() ? TRY(running_version()) : std::nullopt;
  if (!running) return false;
  return is_behind(wanted, TRY(parsed(object_, path::kStatusVersion, *running)));
}

Result<std::optional<std::int32_t>> ControlPlane::desired_replicas() const {
  return read_int32(object_, path::kReplicas);
}

Result<std::optional<std::int32_t>> ControlPlane::replicas() const {
  return read_int32(object_, path::kStatusReplicas);
}

Result<std::optional<std::int32_t>> ControlPlane::ready_replicas() const {
  return read_int32(object_, path::kReadyReplicas);
}

Result<std::optional<std::int32_t>> ControlPlane::up_to_date_replicas() const {
  return read_int32(object_,
                    contract_ == ContractVersion::V1Beta1 ? path::kUpdatedReplicas : path::kUpToDateReplicas);
}

Result<std::optional<std::int32_t>> ControlPlane::available_replicas() const {
  if (contract_ == ContractVersion::V1Beta2) return read_int32(object_, path::kAvailableReplicas);
  const auto desired = TRY(desired_replicas());
  const auto unavailable = TRY(read_int32(object_, path::kUnavailableReplicas));
  if (!desired || !unavailable) return std::nullopt;
  return std::max(*desired - *unavailable, 0);
}

}  // namespace capstan::api::contract
