// One kind the server serves, as data: names, versions with their schemas, subresources, printer columns.
// Built-in kinds come from builtin/, the others from CustomResourceDefinitions. Immutable and shared; safe
// from any thread.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "apiserver/schema/schema.h"

namespace capstan::apiserver {

struct Column {
  std::string name = {};
  std::string type = {};  // integer, number, string, boolean, date
  std::string format = {};
  std::string description = {};
  std::int32_t priority = 0;
  std::string json_path = {};  // ".spec.replicas"
};

struct ScalePaths {
  std::string spec_replicas = {};    // ".spec.replicas"
  std::string status_replicas = {};  // ".status.replicas"
  std::string label_selector = {};   // ".status.selector", may be empty
};

// A subresource other than status and scale: pods/eviction, serviceaccounts/token.
struct ExtraSubresource {
  std::string name = {};
  std::string group = {};  // of the body's kind
  std::string version = {};
  std::string kind = {};
  std::vector<std::string> verbs = {};
};

struct ServedVersion {
  std::string name = {};
  bool served = true;
  bool storage = false;
  bool deprecated = false;
  std::string deprecation_warning = {};  // empty: the usual sentence
  SchemaPtr schema = {};                 // never null
  bool has_status = false;               // status is a subresource of its own
  std::optional<ScalePaths> scale = {};
  std::vector<Column> columns = {};
  std::vector<std::string> selectable_fields =
      {};  // ".spec.nodeName"; metadata.name and namespace always are
};

struct ResourceType {
  std::string group = {};
  std::string plural = {};
  std::string singular = {};
  std::string kind = {};
  std::string list_kind = {};
  std::vector<std::string> short_names = {};
  std::vector<std::string> categories = {};
  bool namespaced = true;
  bool custom = false;  // comes from a CRD
  // As discovery prints them. Reviews (TokenReview ...) have "create" only and are never stored.
  std::vector<std::string> verbs = {};
  std::vector<ServedVersion> versions = {};  // as declared
  std::vector<ExtraSubresource> extra = {};
  // CRDs only: the conversion stanza (spec.conversion), null without one.
  std::shared_ptr<const json::value> conversion = {};

  const ServedVersion* version(std::string_view name) const;  // null when unknown
  const ServedVersion& storage_version() const;
  bool allows(std::string_view verb) const;
  // "machines.cluster.x-k8s.io"; plain plural in the core group.
  std::string group_resource() const;
  std::string api_version(std::string_view version) const;
};

// How stable a version is (2: "v1", 1: beta, 0: alpha, -1: not a Kubernetes version), and its numbers: the
// larger, the better.
std::tuple<int, long, long> version_rank(std::string_view version);

using TypePtr = std::shared_ptr<const ResourceType>;

}  // namespace capstan::apiserver
