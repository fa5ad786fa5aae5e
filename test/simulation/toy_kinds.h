// Two kinds that exist in simulations only: a ToySet wants so many Toys. As small as owner and children can
// be, with a finalizer on both, so that deletion takes time.
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "api/meta/object_meta.h"
#include "api/schema/resource.h"
#include "kube/resource.h"

namespace capstan::simulation {

inline constexpr std::string_view kGroup = "sim.capstan.dev";
inline constexpr std::string_view kSetFinalizer = "sim.capstan.dev/toyset";
inline constexpr std::string_view kToyFinalizer =
    "sim.capstan.dev/hold";  // taken off by the provider, in its own time

inline constexpr std::string_view kWantedAnnotation =
    "sim.capstan.dev/wanted";  // on a Toy: what its set wanted then

struct ToySetSpec {
  std::int32_t replicas = 0;
  bool operator==(const ToySetSpec&) const = default;
};
struct ToySetStatus {
  std::int32_t replicas = 0;
  std::int32_t ready = 0;
  bool operator==(const ToySetStatus&) const = default;
};
struct ToySet {
  api::ObjectMeta metadata = {};
  ToySetSpec spec = {};
  ToySetStatus status = {};
};

struct ToyStatus {
  bool ready = false;
  bool operator==(const ToyStatus&) const = default;
};
struct Toy {
  api::ObjectMeta metadata = {};
  ToyStatus status = {};
};

inline const kube::Resource kToySets{
    .group = std::string(kGroup), .version = "v1", .plural = "toysets", .kind = "ToySet"};
inline const kube::Resource kToys{
    .group = std::string(kGroup), .version = "v1", .plural = "toys", .kind = "Toy"};

}  // namespace capstan::simulation

namespace capstan::api {

template <>
inline constexpr auto members<simulation::ToySetSpec> =
    std::array{member<&simulation::ToySetSpec::replicas>("replicas")};
template <>
inline constexpr auto members<simulation::ToySetStatus> =
    std::array{member<&simulation::ToySetStatus::replicas>("replicas"),
               member<&simulation::ToySetStatus::ready>("ready")};
template <>
inline constexpr ResourceInfo resource<simulation::ToySet> = {
    .group = simulation::kGroup, .version = "v1", .kind = "ToySet", .plural = "toysets"};
template <>
inline constexpr auto members<simulation::ToySet> =
    std::array{member<&simulation::ToySet::metadata>("metadata"), member<&simulation::ToySet::spec>("spec"),
               member<&simulation::ToySet::status>("status")};

template <>
inline constexpr auto members<simulation::ToyStatus> =
    std::array{member<&simulation::ToyStatus::ready>("ready")};
template <>
inline constexpr ResourceInfo resource<simulation::Toy> = {
    .group = simulation::kGroup, .version = "v1", .kind = "Toy", .plural = "toys"};
template <>
inline constexpr auto members<simulation::Toy> =
    std::array{member<&simulation::Toy::metadata>("metadata"), member<&simulation::Toy::status>("status")};

}  // namespace capstan::api
