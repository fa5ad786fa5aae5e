// Object-level facts of a kind: its names, how kubectl shows it, its subresources. One constexpr value beside
// each struct:
//
//   template <>
//   inline constexpr ResourceInfo resource<Machine>{.group = "cluster.x-k8s.io", .version = "v1beta2", .kind
//   = "Machine", ...};
//
// Read by the decoder (kind check), the encoder (apiVersion, kind), crdgen and kube/. Plain data.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "api/schema/field.h"

namespace capstan::api {

enum class Scope : std::uint8_t { Namespaced, Cluster };

// A column of `kubectl get`. priority 0 is always shown, more only with -o wide.
struct Column {
  std::string_view name = {};
  std::string_view json_path = {};
  std::string_view type = "string";
  std::int32_t priority = 0;
  std::string_view format = {};
  std::string_view description = {};
};

struct ScaleSubresource {
  std::string_view spec_replicas_path = {};
  std::string_view status_replicas_path = {};
  std::string_view label_selector_path = {};  // empty: none
};

struct StaticLabel {
  std::string_view key = {};
  std::string_view value = {};
};

struct ResourceInfo {
  std::string_view group = {};  // empty: the core group
  std::string_view version = {};
  std::string_view kind = {};
  std::string_view plural = {};
  std::string_view singular = {};     // empty: the kind in lower case
  std::string_view short_names = {};  // "mhc|mhcs"
  std::string_view categories = {};   // "cluster-api"
  Scope scope = Scope::Namespaced;
  std::span<const Column> columns = {};
  bool status_subresource = false;
  ScaleSubresource scale = {};  // absent when spec_replicas_path is empty
  bool served = true;
  bool storage = true;
  bool deprecated = false;                        // the API server warns clients that use this version
  std::span<const StaticLabel> labels = {};       // of the CRD object: the contract labels
  std::span<const StaticLabel> annotations = {};  // of the CRD object
  std::span<const CelRule> cel = {};              // on the whole object
  std::string_view doc = {};

  constexpr bool has_scale() const { return !scale.spec_replicas_path.empty(); }
  std::string api_version() const {
    return group.empty() ? std::string(version) : std::string(group) + "/" + std::string(version);
  }
};

}  // namespace capstan::api
