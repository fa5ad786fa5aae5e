// The written form of a type: which JSON is understood and which fields are written when they are empty, as
// Go's encoder does for upstream's structs. Both versions of a kind have one; a document is read by the one
// it comes in and written by the one it leaves in. Used by the converter. Built once, constant afterwards,
// safe from any thread.
#pragma once

#include <boost/json/fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "api/schema/field.h"
#include "base/result.h"

namespace capstan::api::v1beta1 {

struct Form;

struct FormField {
  std::string_view name = {};
  const Form* form = nullptr;
  bool pointer = false;  // absent differs from empty: an empty value stays
  bool always = false;   // written when it is empty, too
};

struct Form {
  Shape shape = Shape::RawJson;
  bool duration = false;  // a Text that is a metav1.Duration
  std::vector<FormField> fields = {};
  const Form* element = nullptr;  // of a List
  bool element_is_pointer = false;

  const FormField* find(std::string_view name) const;
};

// The same one for every call with the same type.
const Form& form_of(const TypeInfo& type);

// Checks types, brings times and durations into their usual spelling, and removes what Go could not tell from
// an absent field. A field that `form` does not know stays, unless `target`, the form of the other version,
// uses its name for something else. Errors name the field.
Result<void> read(const Form& form, const Form* target, boost::json::object& document);

// Adds the fields that are always written, removes those that are not written when empty.
void write(const Form& form, boost::json::object& document);

// Nothing is set in it.
bool is_zero(const Form& form, const boost::json::value& value);

}  // namespace capstan::api::v1beta1
