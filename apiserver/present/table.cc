#include "apiserver/present/table.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <optional>

#include "apiserver/document/document.h"
#include "apiserver/present/json_path.h"
#include "apiserver/present/partial_metadata.h"
#include "apiserver/present/table_columns.h"

namespace capstan::apiserver {
namespace {

constexpr std::string_view kCreated = ".metadata.creationTimestamp";

json::object definition(std::string_view name, std::string_view type, std::string_view format,
                        std::string_view description, std::int32_t priority) {
  return {{"name", name},
          {"type", type},
          {"format", format},
          {"description", description},
          {"priority", priority}};
}

json::object name_definition(std::int32_t priority = 0) {
  return definition("Name", "string", "name", "the name, unique in its namespace for this kind", priority);
}

// As Go prints a float64 by itself: the fewest digits, with an exponent where that is shorter to read.
std::string float_text(double number) {
  char digits[64];
  const double size = std::fabs(number);
  const bool plain = number == 0 || (size >= 1e-4 && size < 1e21);
  const auto end = std::to_chars(digits, digits + sizeof digits, number,
                                 plain ? std::chars_format::fixed : std::chars_format::scientific)
                       .ptr;
  return {digits, end};
}

std::string printed(const json::value& value) {
  if (value.is_null()) return "<no value>";
  if (value.is_string()) return std::string(value.get_string());
  if (value.is_double()) return float_text(value.get_double());
  return json::serialize(value);
}

json::value integer_cell(const json::value& value) {
  if (value.is_double()) return static_cast<std::int64_t>(value.get_double());
  return value.is_number() ? value : json::value(nullptr);
}

// A custom column's value as the cell of its type; what is of another type is null.
json::value cell_of(const Column& column, const json::value& value, WallTime now) {
  if (column.type == "integer") return integer_cell(value);
  if (column.type == "number") return value.is_number() ? value : json::value(nullptr);
  if (column.type == "boolean") return value.is_bool() ? value : json::value(nullptr);
  if (column.type == "date") {
    return value.is_string() ? json::value(age_since(text_of(value), now)) : json::value(nullptr);
  }
  return json::string(printed(value));
}

// The columns of a CRD's version, ready to be used on every row.
class CustomColumns {
 public:
  explicit CustomColumns(const ServedVersion& version) : columns_(version.columns) {
    if (columns_.empty()) {
      columns_.push_back({.name = "Age",
                          .type = "date",
                          .description = "when the server created the object",
                          .json_path = std::string(kCreated)});
    }
    for (const auto& column : columns_) paths_.push_back(JsonPath::parse(column.json_path));
  }

  json::array definitions() const {
    json::array all{name_definition()};
    for (const auto& column : columns_) {
      const auto description =
          column.description.empty()
              ? "Custom resource definition column (in JSONPath format): " + column.json_path
              : column.description;
      all.push_back(definition(column.name, column.type, column.format, description, column.priority));
    }
    return all;
  }

  json::array cells(const json::object& object, WallTime now) const {
    json::array all{json::value(name_of(object))};
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const auto found = paths_[i] ? paths_[i]->find(object) : std::vector<const json::value*>();
      all.push_back(found.empty() ? json::value(nullptr) : cell_of(columns_[i], *found.front(), now));
    }
    return all;
  }

 private:
  std::vector<Column> columns_;
  std::vector<std::expected<JsonPath, std::string>> paths_ = {};
};

class BuiltinColumns {
 public:
  explicit BuiltinColumns(const ResourceType& type) : columns_(builtin_columns(type)) {}

  json::array definitions() const {
    json::array all;
    for (const auto& column : columns_) {
      all.push_back(column.format == "name" && column.name == "Name"
                        ? name_definition(column.priority)
                        : definition(column.name, column.type, column.format, column.name, column.priority));
    }
    return all;
  }

  json::array cells(const json::object& object, WallTime now) const {
    json::array all;
    for (const auto& column : columns_) all.push_back(column.cell(object, now));
    return all;
  }

 private:
  std::span<const BuiltinColumn> columns_;
};

json::value row_object(const json::object& object, RowObject wanted) {
  switch (wanted) {
    case RowObject::None: return nullptr;
    case RowObject::Metadata: return partial_metadata(object);
    case RowObject::Full: return object;
  }
  return nullptr;
}

json::object table_metadata(const std::vector<ObjectPtr>& objects, const json::object* list_metadata) {
  if (list_metadata != nullptr) return *list_metadata;
  if (objects.size() != 1) return {};
  return {{"resourceVersion", text_at(*objects.front(), {"metadata", "resourceVersion"})}};
}

template <typename Columns>
json::object table_of(const Columns& columns, const std::vector<ObjectPtr>& objects,
                      const json::object* list_metadata, RowObject wanted, WallTime now) {
  json::array rows;
  rows.reserve(objects.size());
  for (const auto& object : objects) {
    rows.push_back(
        json::object{{"cells", columns.cells(*object, now)}, {"object", row_object(*object, wanted)}});
  }
  return {{"kind", "Table"},
          {"apiVersion", "meta.k8s.io/v1"},
          {"metadata", table_metadata(objects, list_metadata)},
          {"columnDefinitions", columns.definitions()},
          {"rows", std::move(rows)}};
}

}  // namespace

json::object table(const ResourceType& type, std::string_view version, const std::vector<ObjectPtr>& objects,
                   const json::object* list_metadata, RowObject wanted, WallTime now) {
  const auto* served = type.version(version);
  const ServedVersion& columns = served == nullptr ? type.storage_version() : *served;
  if (type.custom) return table_of(CustomColumns(columns), objects, list_metadata, wanted, now);
  return table_of(BuiltinColumns(type), objects, list_metadata, wanted, now);
}

json::object table(const ResourceType& type, std::string_view version, const std::vector<ObjectPtr>& objects,
                   const json::object* list_metadata, bool include_full_object, WallTime now) {
  return table(type, version, objects, list_metadata,
               include_full_object ? RowObject::Full : RowObject::Metadata, now);
}

std::string age(Nanoseconds span) {
  const auto seconds = std::chrono::duration_cast<Seconds>(span).count();
  if (seconds < -1) return "<invalid>";
  if (seconds < 0) return "0s";
  const auto minutes = seconds / 60;
  const auto hours = minutes / 60;
  const auto days = hours / 24;
  constexpr auto kYear = 365;
  const auto two = [](auto big, char big_unit, auto small, char small_unit) {
    return small == 0 ? fmt::format("{}{}", big, big_unit)
                      : fmt::format("{}{}{}{}", big, big_unit, small, small_unit);
  };
  if (seconds < 2 * 60) return fmt::format("{}s", seconds);
  if (minutes < 10) return two(minutes, 'm', seconds % 60, 's');
  if (minutes < 3 * 60) return fmt::format("{}m", minutes);
  if (hours < 8) return two(hours, 'h', minutes % 60, 'm');
  if (hours < 48) return fmt::format("{}h", hours);
  if (days < 8) return two(days, 'd', hours % 24, 'h');
  if (days < 2 * kYear) return fmt::format("{}d", days);
  if (days < 8 * kYear) return two(days / kYear, 'y', days % kYear, 'd');
  return fmt::format("{}y", days / kYear);
}

}  // namespace capstan::apiserver
