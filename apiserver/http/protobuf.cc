#include "apiserver/http/protobuf.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>

#include "apiserver/document/document.h"
#include "base/base64.h"
#include "base/time.h"

namespace capstan::apiserver {
namespace {

constexpr std::string_view kMagic("k8s\0", 4);

enum class Sort { Text, Texts, Number, Flag, TextMap, BytesMap, Message, Messages, Time, MicroTime };

struct Message;
struct Field {
  std::uint64_t number = 0;
  std::string_view name = {};
  Sort sort = Sort::Text;
  const Message* message = nullptr;
};
struct Message {
  std::span<const Field> fields = {};
};

// The numbers are those of the generated.proto files of Kubernetes, which never change.
constexpr Field kOwnerFields[] = {{1, "kind"},
                                  {3, "name"},
                                  {4, "uid"},
                                  {5, "apiVersion"},
                                  {6, "controller", Sort::Flag},
                                  {7, "blockOwnerDeletion", Sort::Flag}};
constexpr Message kOwner{kOwnerFields};
constexpr Field kMetadataFields[] = {{1, "name"},
                                     {2, "generateName"},
                                     {3, "namespace"},
                                     {5, "uid"},
                                     {6, "resourceVersion"},
                                     {11, "labels", Sort::TextMap},
                                     {12, "annotations", Sort::TextMap},
                                     {13, "ownerReferences", Sort::Messages, &kOwner},
                                     {14, "finalizers", Sort::Texts}};
constexpr Message kMetadata{kMetadataFields};
constexpr Field kConfigMapFields[] = {{1, "metadata", Sort::Message, &kMetadata},
                                      {2, "data", Sort::TextMap},
                                      {3, "binaryData", Sort::BytesMap},
                                      {4, "immutable", Sort::Flag}};
constexpr Message kConfigMap{kConfigMapFields};
constexpr Field kSecretFields[] = {{1, "metadata", Sort::Message, &kMetadata},
                                   {2, "data", Sort::BytesMap},
                                   {3, "type"},
                                   {4, "stringData", Sort::TextMap},
                                   {5, "immutable", Sort::Flag}};
constexpr Message kSecret{kSecretFields};
// Namespace, ServiceAccount, SelfSubjectReview: what clients send of them is their metadata.
constexpr Field kPlainFields[] = {{1, "metadata", Sort::Message, &kMetadata}};
constexpr Message kPlain{kPlainFields};
constexpr Field kPreconditionsFields[] = {{1, "uid"}, {2, "resourceVersion"}};
constexpr Message kPreconditions{kPreconditionsFields};
constexpr Field kDeleteOptionsFields[] = {{1, "gracePeriodSeconds", Sort::Number},
                                          {2, "preconditions", Sort::Message, &kPreconditions},
                                          {3, "orphanDependents", Sort::Flag},
                                          {4, "propagationPolicy"},
                                          {5, "dryRun", Sort::Texts}};
constexpr Message kDeleteOptions{kDeleteOptionsFields};
constexpr Field kEvictionFields[] = {{1, "metadata", Sort::Message, &kMetadata},
                                     {2, "deleteOptions", Sort::Message, &kDeleteOptions}};
constexpr Message kEviction{kEvictionFields};
constexpr Field kResourceFields[] = {{1, "namespace"}, {2, "verb"},        {3, "group"}, {4, "version"},
                                     {5, "resource"},  {6, "subresource"}, {7, "name"}};
constexpr Message kResource{kResourceFields};
constexpr Field kPathFields[] = {{1, "path"}, {2, "verb"}};
constexpr Message kPath{kPathFields};
constexpr Field kAccessSpecFields[] = {{1, "resourceAttributes", Sort::Message, &kResource},
                                       {2, "nonResourceAttributes", Sort::Message, &kPath}};
constexpr Message kAccessSpec{kAccessSpecFields};
constexpr Field kAccessFields[] = {{1, "metadata", Sort::Message, &kMetadata},
                                   {2, "spec", Sort::Message, &kAccessSpec}};
constexpr Message kAccess{kAccessFields};
constexpr Field kRulesSpecFields[] = {{1, "namespace"}};
constexpr Message kRulesSpec{kRulesSpecFields};
constexpr Field kRulesFields[] = {{1, "metadata", Sort::Message, &kMetadata},
                                  {2, "spec", Sort::Message, &kRulesSpec}};
constexpr Message kRules{kRulesFields};

constexpr Field kLeaseSpecFields[] = {{1, "holderIdentity"},
                                      {2, "leaseDurationSeconds", Sort::Number},
                                      {3, "acquireTime", Sort::MicroTime},
                                      {4, "renewTime", Sort::MicroTime},
                                      {5, "leaseTransitions", Sort::Number},
                                      {6, "strategy"},
                                      {7, "preferredHolder"}};
constexpr Message kLeaseSpec{kLeaseSpecFields};
constexpr Field kLeaseFields[] = {{1, "metadata", Sort::Message, &kMetadata},
                                  {2, "spec", Sort::Message, &kLeaseSpec}};
constexpr Message kLease{kLeaseFields};
constexpr Field kReferenceFields[] = {{1, "kind"},       {2, "namespace"},       {3, "name"},     {4, "uid"},
                                      {5, "apiVersion"}, {6, "resourceVersion"}, {7, "fieldPath"}};
constexpr Message kReference{kReferenceFields};
constexpr Field kSourceFields[] = {{1, "component"}, {2, "host"}};
constexpr Message kSource{kSourceFields};
constexpr Field kSeriesFields[] = {{1, "count", Sort::Number}, {2, "lastObservedTime", Sort::MicroTime}};
constexpr Message kSeries{kSeriesFields};
constexpr Field kEventFields[] = {{1, "metadata", Sort::Message, &kMetadata},
                                  {2, "involvedObject", Sort::Message, &kReference},
                                  {3, "reason"},
                                  {4, "message"},
                                  {5, "source", Sort::Message, &kSource},
                                  {6, "firstTimestamp", Sort::Time},
                                  {7, "lastTimestamp", Sort::Time},
                                  {8, "count", Sort::Number},
                                  {9, "type"},
                                  {10, "eventTime", Sort::MicroTime},
                                  {11, "series", Sort::Message, &kSeries},
                                  {12, "action"},
                                  {13, "related", Sort::Message, &kReference},
                                  {14, "reportingComponent"},
                                  {15, "reportingInstance"}};
constexpr Message kEvent{kEventFields};
constexpr Field kRuleFields[] = {{1, "verbs", Sort::Texts},
                                 {2, "apiGroups", Sort::Texts},
                                 {3, "resources", Sort::Texts},
                                 {4, "resourceNames", Sort::Texts},
                                 {5, "nonResourceURLs", Sort::Texts}};
constexpr Message kRule{kRuleFields};
constexpr Field kRoleFields[] = {{1, "metadata", Sort::Message, &kMetadata},
                                 {2, "rules", Sort::Messages, &kRule}};
constexpr Message kRole{kRoleFields};
constexpr Field kRequirementFields[] = {{1, "key"}, {2, "operator"}, {3, "values", Sort::Texts}};
constexpr Message kRequirement{kRequirementFields};
constexpr Field kSelectorFields[] = {{1, "matchLabels", Sort::TextMap},
                                     {2, "matchExpressions", Sort::Messages, &kRequirement}};
constexpr Message kSelector{kSelectorFields};
constexpr Field kAggregationFields[] = {{1, "clusterRoleSelectors", Sort::Messages, &kSelector}};
constexpr Message kAggregation{kAggregationFields};
constexpr Field kClusterRoleFields[] = {{1, "metadata", Sort::Message, &kMetadata},
                                        {2, "rules", Sort::Messages, &kRule},
                                        {3, "aggregationRule", Sort::Message, &kAggregation}};
constexpr Message kClusterRole{kClusterRoleFields};
constexpr Field kBoundFields[] = {{1, "kind"}, {2, "apiVersion"}, {3, "name"}, {4, "uid"}};
constexpr Message kBound{kBoundFields};
constexpr Field kTokenSpecFields[] = {{1, "audiences", Sort::Texts},
                                      {3, "boundObjectRef", Sort::Message, &kBound},
                                      {4, "expirationSeconds", Sort::Number}};
constexpr Message kTokenSpec{kTokenSpecFields};
constexpr Field kTokenFields[] = {{1, "metadata", Sort::Message, &kMetadata},
                                  {2, "spec", Sort::Message, &kTokenSpec}};
constexpr Message kToken{kTokenFields};
constexpr Field kSubjectFields[] = {{1, "kind"}, {2, "apiGroup"}, {3, "name"}, {4, "namespace"}};
constexpr Message kSubject{kSubjectFields};
constexpr Field kRoleRefFields[] = {{1, "apiGroup"}, {2, "kind"}, {3, "name"}};
constexpr Message kRoleRef{kRoleRefFields};
constexpr Field kBindingFields[] = {{1, "metadata", Sort::Message, &kMetadata},
                                    {2, "subjects", Sort::Messages, &kSubject},
                                    {3, "roleRef", Sort::Message, &kRoleRef}};
constexpr Message kBinding{kBindingFields};

struct Known {
  std::string_view api_version = {};  // empty: any
  std::string_view kind = {};
  const Message* message = nullptr;
};
constexpr Known kKnown[] = {{"v1", "ConfigMap", &kConfigMap},
                            {"v1", "Secret", &kSecret},
                            {"v1", "Namespace", &kPlain},
                            {"v1", "ServiceAccount", &kPlain},
                            {"", "DeleteOptions", &kDeleteOptions},
                            {"policy/v1", "Eviction", &kEviction},
                            {"v1", "Event", &kEvent},
                            {"coordination.k8s.io/v1", "Lease", &kLease},
                            {"rbac.authorization.k8s.io/v1", "Role", &kRole},
                            {"rbac.authorization.k8s.io/v1", "ClusterRole", &kClusterRole},
                            {"rbac.authorization.k8s.io/v1", "RoleBinding", &kBinding},
                            {"rbac.authorization.k8s.io/v1", "ClusterRoleBinding", &kBinding},
                            {"authentication.k8s.io/v1", "SelfSubjectReview", &kPlain},
                            {"authentication.k8s.io/v1", "TokenRequest", &kToken},
                            {"authorization.k8s.io/v1", "SelfSubjectAccessReview", &kAccess},
                            {"authorization.k8s.io/v1", "SelfSubjectRulesReview", &kRules}};

// One field off the wire: a number, or bytes.
struct Wire {
  std::uint64_t field = 0;
  std::uint64_t number = 0;
  std::optional<std::string_view> bytes = {};
};

class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {}
  bool done() const { return rest_.empty(); }

  std::optional<Wire> next() {
    const auto key = varint();
    if (!key) return {};
    Wire wire{.field = *key >> 3U};
    switch (*key & 7U) {
      case 0: {
        const auto value = varint();
        if (!value) return {};
        wire.number = *value;
        return wire;
      }
      case 1: return fixed(wire, 8);
      case 2: {
        const auto size = varint();
        if (!size || *size > rest_.size()) return {};
        wire.bytes = rest_.substr(0, *size);
        rest_.remove_prefix(*size);
        return wire;
      }
      case 5: return fixed(wire, 4);
      default: return {};
    }
  }

 private:
  std::optional<std::uint64_t> varint() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64 && !rest_.empty(); shift += 7) {
      const auto byte = static_cast<unsigned char>(rest_.front());
      rest_.remove_prefix(1);
      value |= static_cast<std::uint64_t>(byte & 0x7fU) << shift;
      if ((byte & 0x80U) == 0) return value;
    }
    return {};
  }

  std::optional<Wire> fixed(Wire wire, std::size_t size) {
    if (rest_.size() < size) return {};
    rest_.remove_prefix(size);
    return wire;
  }

  std::string_view rest_;
};

bool read_message(std::string_view bytes, const Message& message, json::object& into);

bool read_entry(std::string_view bytes, Sort sort, json::object& into) {
  std::string_view key;
  std::string_view value;
  for (Reader reader(bytes); !reader.done();) {
    const auto wire = reader.next();
    if (!wire || !wire->bytes) return false;
    if (wire->field == 1) key = *wire->bytes;
    if (wire->field == 2) value = *wire->bytes;
  }
  into[key] = sort == Sort::BytesMap ? json::value(base64_encode(value)) : json::value(value);
  return true;
}

// The message of a Time holds seconds and nanoseconds; without any it was never set.
bool read_time(std::string_view bytes, const Field& field, json::object& into) {
  if (bytes.empty()) return true;
  std::int64_t seconds = 0;
  std::int64_t nanoseconds = 0;
  for (Reader reader(bytes); !reader.done();) {
    const auto wire = reader.next();
    if (!wire || wire->bytes) return false;
    if (wire->field == 1) seconds = static_cast<std::int64_t>(wire->number);
    if (wire->field == 2) nanoseconds = static_cast<std::int64_t>(wire->number);
  }
  constexpr std::int64_t kYear9999 = 253402300799;
  if (seconds < 0 || seconds > kYear9999 || nanoseconds < 0 || nanoseconds >= 1'000'000'000) return false;
  if (field.sort == Sort::Time) {
    into[field.name] = Time::from_unix(seconds).to_string();
  } else {
    into[field.name] = MicroTime::from_unix_micros(seconds * 1'000'000 + nanoseconds / 1'000).to_string();
  }
  return true;
}

// Go writes empty strings and empty messages of values that were never set; JSON clients leave them out.
bool read_field(const Wire& wire, const Field& field, json::object& into) {
  if (field.sort == Sort::Number || field.sort == Sort::Flag) {
    if (wire.bytes) return false;
    into[field.name] = field.sort == Sort::Flag ? json::value(wire.number != 0)
                                                : json::value(static_cast<std::int64_t>(wire.number));
    return true;
  }
  if (!wire.bytes) return false;
  switch (field.sort) {
    case Sort::Text:
      if (!wire.bytes->empty()) into[field.name] = *wire.bytes;
      return true;
    case Sort::Texts: array_in(into, field.name).push_back(json::value(*wire.bytes)); return true;
    case Sort::TextMap:
    case Sort::BytesMap: return read_entry(*wire.bytes, field.sort, object_in(into, field.name));
    case Sort::Message: return read_message(*wire.bytes, *field.message, object_in(into, field.name));
    case Sort::Messages: {
      json::object one;
      if (!read_message(*wire.bytes, *field.message, one)) return false;
      array_in(into, field.name).push_back(std::move(one));
      return true;
    }
    case Sort::Time:
    case Sort::MicroTime: return read_time(*wire.bytes, field, into);
    case Sort::Number:
    case Sort::Flag: break;
  }
  return true;
}

bool read_message(std::string_view bytes, const Message& message, json::object& into) {
  for (Reader reader(bytes); !reader.done();) {
    const auto wire = reader.next();
    if (!wire) return false;
    const auto field = std::ranges::find(message.fields, wire->field, &Field::number);
    if (field != message.fields.end() && !read_field(*wire, *field, into)) return false;
  }
  return true;
}

constexpr Field kTypeFields[] = {{1, "apiVersion"}, {2, "kind"}};
constexpr Message kType{kTypeFields};

}  // namespace

std::expected<json::object, ProtobufFault> decode_protobuf(std::string_view bytes) {
  const std::unexpected malformed(ProtobufFault::Malformed);
  if (!bytes.starts_with(kMagic)) return malformed;
  json::object document;
  std::string_view raw;
  for (Reader reader(bytes.substr(kMagic.size())); !reader.done();) {
    const auto wire = reader.next();
    if (!wire) return malformed;
    if (wire->field > 2) continue;
    if (!wire->bytes) return malformed;
    if (wire->field == 2) raw = *wire->bytes;
    if (wire->field == 1 && !read_message(*wire->bytes, kType, document)) return malformed;
  }
  const auto known = std::ranges::find_if(kKnown, [&](const Known& one) {
    const auto version = text_at(document, {"apiVersion"});
    return (one.api_version.empty() || one.api_version == version) && one.kind == text_at(document, {"kind"});
  });
  if (known == std::end(kKnown)) return std::unexpected(ProtobufFault::UnknownKind);
  if (!read_message(raw, *known->message, document)) return malformed;
  return document;
}

}  // namespace capstan::apiserver
