#include "api/v1beta1/convert.h"

#include <fmt/format.h>

#include <boost/json.hpp>
#include <utility>
#include <vector>

#include "api/names.h"
#include "api/v1beta1/changes.h"
#include "api/v1beta1/cluster_label.h"
#include "api/v1beta1/form.h"
#include "api/v1beta1/paths.h"
#include "api/v1beta1/rows.h"
#include "base/try.h"

namespace capstan::api::v1beta1 {
namespace {

namespace json = boost::json;

// One direction: where rows take from and put to, and what they make of a value.
class ToNew {
 public:
  explicit ToNew(const json::value& restored) : restored_(restored) {}
  static std::string_view from(const Row& row) { return row.old_path; }
  static std::string_view to(const Row& row) { return row.new_path; }
  Result<void> change(const Row& row, json::value& value) const {
    Restored restored{.known = restored_.is_object()};
    if (restored.known) restored.value = look_up(restored_.get_object(), row.new_path);
    return make_new(row, value, restored);
  }

 private:
  const json::value& restored_;
};

class ToOld {
 public:
  explicit ToOld(const Surroundings& surroundings) : surroundings_(surroundings) {}
  static std::string_view from(const Row& row) { return row.new_path; }
  static std::string_view to(const Row& row) { return row.old_path; }
  Result<void> change(const Row& row, json::value& value) const {
    return make_old(row, value, surroundings_);
  }

 private:
  const Surroundings& surroundings_;
};

template <typename Direction>
Result<void> move_all(std::span<const Row> rows, const Direction& direction, json::object& document);

template <typename Direction>
Result<void> move_elements(const Row& row, const Direction& direction, json::value& list) {
  if ((row.change != Change::Each && row.change != Change::Collected) || !list.is_array()) return {};
  for (json::value& element : list.get_array()) {
    if (element.is_object()) TRY(move_all(row.items, direction, element.get_object()));
  }
  return {};
}

// What stays where it is, with rows of its own. Other rows reach into it, so it is never taken out.
template <typename Direction>
Result<void> move_below(const Row& row, const Direction& direction, json::object& document) {
  json::value* inner = look_up(document, row.new_path);
  if (inner == nullptr || !inner->is_object()) return {};
  return move_all(row.items, direction, inner->get_object());
}

bool is_taken(const Row& row, std::string_view path) { return row.change != Change::Within && !path.empty(); }

// Everything is taken before anything is put: a path may be the source of one row and the target of another.
template <typename Direction>
Result<void> move_all(std::span<const Row> rows, const Direction& direction, json::object& document) {
  std::vector<json::value> values;
  values.reserve(rows.size());
  for (const Row& row : rows) {
    const std::string_view path = Direction::from(row);
    values.push_back(is_taken(row, path) ? take(document, path) : json::value());
    if (is_taken(row, path)) remove_empty_parents(document, path);
    if (row.change == Change::Within) TRY(move_below(row, direction, document));
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    TRY(move_elements(rows[i], direction, values[i]));
    TRY(direction.change(rows[i], values[i]));
    const std::string_view path = Direction::to(rows[i]);
    if (!values[i].is_null() && !path.empty()) put(document, path, std::move(values[i]));
  }
  return {};
}

json::object* annotations_of(json::object& document) {
  json::value* found = look_up(document, "metadata.annotations");
  return found == nullptr ? nullptr : found->if_object();
}

// Null when there is none.
Result<json::value> take_annotation(const Kind& kind, json::object& document) {
  json::object* annotations = kind.annotated ? annotations_of(document) : nullptr;
  if (annotations == nullptr || !annotations->contains(kConversionData)) return json::value();
  const json::value text = std::exchange(annotations->at(kConversionData), nullptr);
  annotations->erase(kConversionData);
  if (annotations->empty()) take(document, "metadata.annotations");
  boost::system::error_code error;
  json::value kept = text.is_string() ? json::parse(text.get_string(), error) : json::value();
  if (error || !kept.is_object()) {
    return fail(Code::Invalid, fmt::format("annotation {} holds no object", kConversionData));
  }
  if (auto outcome = read(form_of(*kind.new_type), nullptr, kept.get_object()); !outcome) {
    return fail(outcome.error().context(fmt::format("annotation {}", kConversionData)));
  }
  return kept;
}

// The document without its metadata. With nothing else left, upstream forgets to remove them.
std::string annotation_of(const Kind& kind, const json::object& document) {
  json::object kept(document.storage());
  for (const auto& [name, value] : document) {
    if (name != "metadata") kept.emplace(name, value);
  }
  write(form_of(*kind.new_type), kept);
  if (!kept.contains("spec") && !kept.contains("status")) kept["metadata"].emplace_object();
  return json::serialize(kept);
}

// Not by a path: its name has dots.
void put_annotation(json::object& document, const std::string& text) {
  json::value& metadata = document["metadata"];
  if (!metadata.is_object()) metadata.emplace_object();
  json::value& annotations = metadata.get_object()["annotations"];
  if (!annotations.is_object()) annotations.emplace_object();
  annotations.get_object()[kConversionData] = json::string(text);
}

std::string namespace_of(const json::object& document) {
  const json::value* found = look_up(document, "metadata.namespace");
  return found != nullptr && found->is_string() ? std::string(found->get_string()) : std::string();
}

}  // namespace

Result<void> to_v1beta2(const Kind& kind, json::object& document) {
  TRY(read(form_of(*kind.old_type), &form_of(*kind.new_type), document));
  const json::value restored = TRY(take_annotation(kind, document));
  TRY(move_all(kind.rows, ToNew(restored), document));
  if (kind.cluster_in_label) take_cluster_from_label(document);
  if (!kind.always_there.empty() && look_up(document, kind.always_there) == nullptr) {
    put(document, kind.always_there, json::object());
  }
  write(form_of(*kind.new_type), document);
  document["apiVersion"] = kind.new_type->resource->api_version();
  return {};
}

Result<void> from_v1beta2(const Kind& kind, json::object& document, const ApiVersionOf& api_version_of) {
  TRY(read(form_of(*kind.new_type), &form_of(*kind.old_type), document));
  const std::string annotation = kind.annotated ? annotation_of(kind, document) : std::string();
  const std::string object_namespace = namespace_of(document);
  const Surroundings surroundings{.object_namespace = object_namespace, .api_version_of = api_version_of};
  if (kind.cluster_in_label) put_cluster_into_label(document);
  TRY(move_all(kind.rows, ToOld(surroundings), document));
  write(form_of(*kind.old_type), document);
  if (kind.annotated) put_annotation(document, annotation);
  document["apiVersion"] = kind.old_type->resource->api_version();
  return {};
}

}  // namespace capstan::api::v1beta1
