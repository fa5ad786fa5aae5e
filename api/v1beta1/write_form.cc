#include <boost/json.hpp>

#include "api/v1beta1/form.h"

namespace capstan::api::v1beta1 {
namespace {

namespace json = boost::json;

void write_value(const Form& form, json::value& value) {
  if (form.shape == Shape::Object && value.is_object()) write(form, value.get_object());
  if (form.shape != Shape::List || !value.is_array()) return;
  for (json::value& element : value.get_array()) {
    if (form.element_is_pointer && is_zero(*form.element, element)) element = nullptr;
    write_value(*form.element, element);
  }
}

json::value empty_of(const Form& form) {
  switch (form.shape) {
    case Shape::Boolean: return false;
    case Shape::Int32:
    case Shape::Int64: return 0;
    case Shape::Text:
    case Shape::FreeText:
    case Shape::Uid:
    case Shape::ResourceVersion: return json::string(form.duration ? "0s" : "");
    case Shape::Object: return json::object();
    case Shape::IntOrString: return 0;
    case Shape::Time:
    case Shape::MicroTime:
    case Shape::TextMap:
    case Shape::List:
    case Shape::RawJson:
    case Shape::ManagedFields:
    case Shape::Holder: break;
  }
  return nullptr;
}

bool is_empty_container(const json::value& value) {
  return (value.is_array() && value.get_array().empty()) || (value.is_object() && value.get_object().empty());
}

bool is_left_out(const FormField& field, const json::value& value) {
  if (value.is_null()) return true;
  if (field.form->shape == Shape::List || field.form->shape == Shape::TextMap)
    return is_empty_container(value);
  return !field.pointer && is_zero(*field.form, value);
}

}  // namespace

void write(const Form& form, json::object& document) {
  for (const FormField& field : form.fields) {
    auto at = document.find(field.name);
    if (at != document.end() && !field.always && is_left_out(field, at->value())) {
      document.erase(at);
      continue;
    }
    if (at == document.end()) {
      if (!field.always) continue;
      at = document.emplace(field.name, field.pointer ? json::value() : empty_of(*field.form)).first;
    }
    write_value(*field.form, at->value());
  }
}

}  // namespace capstan::api::v1beta1
