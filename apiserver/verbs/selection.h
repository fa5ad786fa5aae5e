// Which objects of a collection a list, a watch or a deletecollection means: namespace, name, label and field
// selectors, and the rules for the options that go with them. Immutable; pure.
#pragma once

#include <expected>
#include <optional>
#include <string>

#include "apiserver/document/selectors.h"
#include "apiserver/target.h"

namespace capstan::apiserver {

class Selection {
 public:
  static Answer<Selection> parse(const Target& target, const Request& request);

  bool matches(const json::object& document) const;
  bool everything() const { return labels_.everything() && fields_.everything(); }
  bool in_namespace(const StoredKey& key) const { return namespace_.empty() || namespace_ == key.namespace_; }

 private:
  std::string namespace_ = {};
  LabelSelector labels_ = {};
  FieldSelector fields_ = {};
};

// "": 0. The error is a 400.
Answer<std::uint64_t> parse_version(std::string_view text);
// Combinations of resourceVersion, resourceVersionMatch and sendInitialEvents that make no sense.
std::optional<Response> refuse_list_options(const Request& request, bool watch);

}  // namespace capstan::apiserver
