#include "apiserver/fields/field_set.h"

#include <algorithm>
#include <boost/json.hpp>

#include "apiserver/document/field_error.h"

namespace capstan::apiserver {
namespace {

void prune_empty(FieldSet& set) {
  std::erase_if(set.children, [](const auto& child) { return child.second.empty(); });
}

void visit_all(const FieldSet& set, FieldPath& path, const std::function<void(const FieldPath&)>& visit) {
  for (const auto& member : set.members) {
    path.push_back(member);
    visit(path);
    path.pop_back();
  }
  for (const auto& [element, child] : set.children) {
    path.push_back(element);
    visit_all(child, path, visit);
    path.pop_back();
  }
}

std::string element_text(const std::string& element) {
  const auto rest = std::string_view(element).substr(2);
  if (element.starts_with("f:")) return "." + std::string(rest);
  boost::system::error_code bad;
  const auto value = boost::json::parse(rest, bad);
  if (element.starts_with("k:") && !bad && value.is_object()) {
    std::string text;
    for (const auto& key : value.get_object()) {
      text += (text.empty() ? "" : ",") + std::string(key.key()) + "=" + shown(key.value());
    }
    return "[" + text + "]";
  }
  if (element.starts_with("v:")) return "[=" + shown(value) + "]";
  return "[" + std::string(rest) + "]";
}

}  // namespace

bool FieldSet::empty() const {
  return members.empty() &&
         std::ranges::all_of(children, [](const auto& child) { return child.second.empty(); });
}

bool FieldSet::has(const FieldPath& path) const {
  const FieldSet* here = this;
  for (std::size_t i = 0; i + 1 < path.size(); ++i) {
    here = here->child(path[i]);
    if (here == nullptr) return false;
  }
  return !path.empty() && here->members.contains(path.back());
}

void FieldSet::insert(const FieldPath& path) {
  FieldSet* here = this;
  for (std::size_t i = 0; i + 1 < path.size(); ++i) here = &here->children[path[i]];
  if (!path.empty()) here->members.insert(path.back());
}

const FieldSet* FieldSet::child(std::string_view element) const {
  const auto found = children.find(element);
  return found == children.end() ? nullptr : &found->second;
}

FieldSet FieldSet::operator|(const FieldSet& other) const {
  FieldSet result = *this;
  result.members.insert(other.members.begin(), other.members.end());
  for (const auto& [element, child] : other.children) {
    auto& slot = result.children[element];
    slot = slot | child;
  }
  return result;
}

FieldSet FieldSet::operator&(const FieldSet& other) const {
  FieldSet result;
  std::ranges::set_intersection(members, other.members, std::inserter(result.members, result.members.end()));
  for (const auto& [element, child] : children) {
    if (const auto* match = other.child(element)) result.children[element] = child & *match;
  }
  prune_empty(result);
  return result;
}

FieldSet FieldSet::operator-(const FieldSet& other) const {
  FieldSet result;
  std::ranges::set_difference(members, other.members, std::inserter(result.members, result.members.end()));
  for (const auto& [element, child] : children) {
    const auto* match = other.child(element);
    result.children[element] = match == nullptr ? child : child - *match;
  }
  prune_empty(result);
  return result;
}

FieldSet FieldSet::without_subtrees(const FieldSet& other) const {
  FieldSet result;
  std::ranges::set_difference(members, other.members, std::inserter(result.members, result.members.end()));
  for (const auto& [element, child] : children) {
    if (other.members.contains(element)) continue;
    const auto* match = other.child(element);
    result.children[element] = match == nullptr ? child : child.without_subtrees(*match);
  }
  prune_empty(result);
  return result;
}

void FieldSet::each(const std::function<void(const FieldPath&)>& visit) const {
  FieldPath path;
  visit_all(*this, path, visit);
}

std::string field_element(std::string_view name) { return "f:" + std::string(name); }

boost::json::object to_fields_v1(const FieldSet& set) {
  auto elements = set.members;
  for (const auto& [element, child] : set.children) elements.insert(element);
  boost::json::object result;
  for (const auto& element : elements) {
    const auto* child = set.child(element);
    boost::json::object inner;
    if (child != nullptr && set.members.contains(element)) inner.emplace(".", boost::json::object());
    if (child != nullptr) {
      for (auto& field : to_fields_v1(*child)) inner.emplace(field.key(), std::move(field.value()));
    }
    result.emplace(element, std::move(inner));
  }
  return result;
}

std::optional<FieldSet> from_fields_v1(const boost::json::value& fields) {
  const auto* object = fields.if_object();
  if (object == nullptr) return {};
  FieldSet set;
  for (const auto& field : *object) {
    const std::string element(field.key());
    if (element == ".") continue;
    if (element.size() < 2 || element[1] != ':' ||
        std::string_view("fkvi").find(element[0]) == std::string_view::npos) {
      return {};
    }
    const auto* inner = field.value().if_object();
    if (inner == nullptr) return {};
    if (inner->empty() || inner->contains(".")) set.members.insert(element);
    auto child = from_fields_v1(field.value());
    if (!child) return {};
    if (!child->empty()) set.children.emplace(element, std::move(*child));
  }
  return set;
}

std::string path_text(const FieldPath& path) {
  std::string text;
  for (const auto& element : path) text += element_text(element);
  return text;
}

}  // namespace capstan::apiserver
