#include "apiserver/request.h"

namespace capstan::apiserver {

std::string_view to_string(Verb verb) {
  switch (verb) {
    case Verb::Get: return "get";
    case Verb::List: return "list";
    case Verb::Watch: return "watch";
    case Verb::Create: return "create";
    case Verb::Update: return "update";
    case Verb::Patch: return "patch";
    case Verb::Delete: return "delete";
    case Verb::DeleteCollection: return "deletecollection";
  }
  return "";
}

namespace {

void append_item(std::string& text, const json::object& item, bool bare) {
  if (!bare) {
    text += json::serialize(item);
    return;
  }
  text += '{';
  for (const auto& field : item) {
    if (field.key() == "apiVersion" || field.key() == "kind") continue;
    if (text.back() != '{') text += ',';
    text += json::serialize(json::string(field.key()));
    text += ':';
    text += json::serialize(field.value());
  }
  text += '}';
}

}  // namespace

std::string Response::text() const {
  if (!object) return {};
  auto text = json::serialize(*object);
  if (!list) return text;
  text.back() = ',';  // over the closing brace
  text += "\"items\":[";
  bool first = true;
  for (const auto& one : items) {
    if (!first) text += ',';
    first = false;
    append_item(text, *one, bare_items);
  }
  return text + "]}";
}

}  // namespace capstan::apiserver
