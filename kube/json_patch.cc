#include "kube/json_patch.h"

#include <boost/json.hpp>
#include <charconv>
#include <optional>

#include "base/try.h"

namespace capstan::kube {
namespace json = boost::json;
namespace {

using Steps = std::vector<std::string>;

struct Operation {
  std::string_view op = {};
  Steps path = {};
  Steps from = {};
  const json::value* value = nullptr;  // null: the operation has none
};

enum class End { Existing, Insertion };

Failure invalid(std::string message) { return fail(Code::Invalid, std::move(message)); }

Failure test_failed() {
  return fail(Error{.code = Code::Invalid, .message = "test failed", .reason = std::string(kTestFailed)});
}

// --- pointers ---

// "0", "12", and "-" for the place behind the last element; nothing else counts as an index.
Result<std::size_t> index_of(std::string_view step, std::size_t size, End end) {
  if (step == "-" && end == End::Insertion) return size;
  std::size_t index = 0;
  const auto [rest, error] = std::from_chars(step.data(), step.data() + step.size(), index);
  const bool leading_zero = step.size() > 1 && step.front() == '0';
  if (error != std::errc() || rest != step.data() + step.size() || leading_zero)
    return invalid("not an array index");
  if (index > size || (end == End::Existing && index == size)) return invalid("array index out of range");
  return index;
}

Result<json::value*> child(json::value& parent, std::string_view step) {
  if (json::object* object = parent.if_object()) {
    json::value* found = object->if_contains(step);
    if (found == nullptr) return invalid("not found");
    return found;
  }
  if (json::array* array = parent.if_array())
    return &(*array)[TRY(index_of(step, array->size(), End::Existing))];
  return invalid("not found");
}

Result<json::value*> find(json::value& document, const Steps& path, std::size_t steps) {
  json::value* here = &document;
  for (std::size_t i = 0; i < steps; ++i) here = TRY(child(*here, path[i]));
  return here;
}

// --- operations ---

Result<void> add(json::value& document, const Steps& path, json::value value) {
  if (path.empty()) {
    document = std::move(value);
    return {};
  }
  json::value* parent = TRY(find(document, path, path.size() - 1));
  if (json::object* object = parent->if_object()) {
    (*object)[path.back()] = std::move(value);
    return {};
  }
  json::array* array = parent->if_array();
  if (array == nullptr) return invalid("the parent is neither object nor array");
  const std::size_t index = TRY(index_of(path.back(), array->size(), End::Insertion));
  array->insert(array->begin() + static_cast<std::ptrdiff_t>(index), std::move(value));
  return {};
}

Result<json::value> take(json::value& document, const Steps& path) {
  if (path.empty()) return invalid("the whole document can't be removed");
  json::value* parent = TRY(find(document, path, path.size() - 1));
  json::value* found = TRY(child(*parent, path.back()));
  json::value taken = std::move(*found);
  if (json::object* object = parent->if_object()) {
    object->erase(path.back());
  } else {
    json::array& array = parent->get_array();
    array.erase(array.begin() + (found - array.data()));
  }
  return taken;
}

Result<void> replace(json::value& document, const Steps& path, const json::value& value) {
  *TRY(find(document, path, path.size())) = value;
  return {};
}

// An absent member equals null, which is how a patch says "nothing may be there".
Result<void> test(json::value& document, const Steps& path, const json::value& value) {
  if (path.empty()) return document == value ? Result<void>() : test_failed();
  json::value* parent = TRY(find(document, path, path.size() - 1));
  const auto found = child(*parent, path.back());
  const bool holds = found ? **found == value : parent->is_object() && value.is_null();
  return holds ? Result<void>() : test_failed();
}

bool is_inside(const Steps& path, const Steps& outer) {
  return path.size() > outer.size() && std::equal(outer.begin(), outer.end(), path.begin());
}

Result<void> move(json::value& document, const Operation& operation) {
  if (is_inside(operation.path, operation.from)) return invalid("a value can't be moved into itself");
  if (operation.path == operation.from) {
    TRY(find(document, operation.from, operation.from.size()));
    return {};
  }
  json::value taken = TRY(take(document, operation.from));
  return add(document, operation.path, std::move(taken));
}

Result<void> copy(json::value& document, const Operation& operation, std::size_t& copy_budget) {
  json::value copied = *TRY(find(document, operation.from, operation.from.size()));
  const std::size_t size = json::serialize(copied).size();
  if (size > copy_budget) return invalid("the patch copies too much");
  copy_budget -= size;
  return add(document, operation.path, std::move(copied));
}

Result<void> apply(json::value& document, const Operation& operation, std::size_t& copy_budget) {
  if (operation.op == "add") return add(document, operation.path, *operation.value);
  if (operation.op == "replace") return replace(document, operation.path, *operation.value);
  if (operation.op == "test") return test(document, operation.path, *operation.value);
  if (operation.op == "move") return move(document, operation);
  if (operation.op == "copy") return copy(document, operation, copy_budget);
  TRY(take(document, operation.path));
  return {};
}

// --- reading ---

Result<std::string_view> text_member(const json::object& operation, std::string_view name) {
  const json::value* found = operation.if_contains(name);
  if (found == nullptr) return invalid("\"" + std::string(name) + "\" is missing");
  if (!found->is_string()) return invalid("\"" + std::string(name) + "\" must be a string");
  return std::string_view(found->get_string());
}

Result<Steps> pointer_member(const json::object& operation, std::string_view name,
                             const JsonPatchLimits& limits) {
  const std::string_view pointer = TRY(text_member(operation, name));
  Steps steps = TRY(parse_json_pointer(pointer));
  if (steps.size() > limits.max_depth) return invalid("\"" + std::string(name) + "\" is too deep");
  return steps;
}

Result<Operation> read_operation(const json::value& entry, const JsonPatchLimits& limits) {
  const json::object* members = entry.if_object();
  if (members == nullptr) return invalid("must be an object");
  Operation operation;
  operation.op = TRY(text_member(*members, "op"));
  operation.path = TRY(pointer_member(*members, "path", limits));
  if (operation.op == "move" || operation.op == "copy") {
    operation.from = TRY(pointer_member(*members, "from", limits));
  } else if (operation.op == "add" || operation.op == "replace" || operation.op == "test") {
    operation.value = members->if_contains("value");
    if (operation.value == nullptr) return invalid("\"value\" is missing");
  } else if (operation.op != "remove") {
    return invalid("unknown op");
  }
  return operation;
}

std::string place(std::size_t number, const json::value& entry) {
  std::string text = "operation " + std::to_string(number);
  const json::object* members = entry.if_object();
  if (members == nullptr) return text;
  const json::value* op = members->if_contains("op");
  const json::value* path = members->if_contains("path");
  if (op == nullptr || path == nullptr || !op->is_string() || !path->is_string()) return text;
  constexpr std::size_t kShown = 120;
  return text + " (" + std::string(std::string_view(op->get_string()).substr(0, kShown)) + " " +
         std::string(std::string_view(path->get_string()).substr(0, kShown)) + ")";
}

}  // namespace

Result<void> apply_json_patch(json::value& document, const json::value& patch,
                              const JsonPatchLimits& limits) {
  const json::array* entries = patch.if_array();
  if (entries == nullptr) return invalid("a JSON patch must be an array of operations");
  if (entries->size() > limits.max_operations) {
    return invalid("a JSON patch may have " + std::to_string(limits.max_operations) +
                   " operations, this one has " + std::to_string(entries->size()));
  }
  json::value patched(document, document.storage());
  std::size_t copy_budget = limits.max_copied_bytes;
  for (std::size_t i = 0; i < entries->size(); ++i) {
    const auto operation = read_operation((*entries)[i], limits);
    if (!operation) return fail(operation.error().context(place(i, (*entries)[i])));
    const auto applied = apply(patched, *operation, copy_budget);
    if (!applied) return fail(applied.error().context(place(i, (*entries)[i])));
  }
  document = std::move(patched);
  return {};
}

Result<std::vector<std::string>> parse_json_pointer(std::string_view pointer) {
  Steps steps;
  if (pointer.empty()) return steps;
  if (pointer.front() != '/') return invalid("a JSON pointer starts with \"/\"");
  for (std::size_t i = 0; i < pointer.size(); ++i) {
    if (pointer[i] == '/') {
      steps.emplace_back();
    } else if (pointer[i] != '~') {
      steps.back() += pointer[i];
    } else {
      const char escaped = i + 1 < pointer.size() ? pointer[i + 1] : '\0';
      if (escaped != '0' && escaped != '1') return invalid("\"~\" in a JSON pointer is written ~0, \"/\" ~1");
      steps.back() += escaped == '0' ? '~' : '/';
      ++i;
    }
  }
  return steps;
}

std::string json_pointer_step(std::string_view step) {
  std::string escaped;
  escaped.reserve(step.size());
  for (const char c : step) {
    if (c == '~') {
      escaped += "~0";
    } else if (c == '/') {
      escaped += "~1";
    } else {
      escaped += c;
    }
  }
  return escaped;
}

}  // namespace capstan::kube
