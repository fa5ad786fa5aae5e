#include "api/v1beta1/form.h"

#include <algorithm>
#include <boost/json.hpp>
#include <map>
#include <memory>

#include "api/v1beta1/describe.h"
#include "api/v1beta1/topology.h"
#include "api/v1beta1/upstream_shapes.h"
#include "api/v1beta2/cluster.h"
#include "base/guarded.h"

namespace capstan::api::v1beta1 {
namespace {

namespace json = boost::json;

class Forms {
 public:
  const Form& of(const TypeInfo& type) {
    if (const auto known = forms_.find(&type); known != forms_.end()) return *known->second;
    Form& form = *forms_.emplace(&type, std::make_unique<Form>()).first->second;
    form.shape = type.shape;
    form.duration = &type == &kDuration;
    if (type.shape == Shape::List) {
      form.element_is_pointer = type.element->shape == Shape::Holder;
      form.element = &of(form.element_is_pointer ? *type.element->element : *type.element);
    }
    for (const Member& member : type.members) form.fields.push_back(field_of(type, member));
    return form;
  }

 private:
  FormField field_of(const TypeInfo& owner, const Member& member) {
    const bool holder = member.type->shape == Shape::Holder;
    const bool of_an_object = owner.resource != nullptr && member.name == "metadata";  // stays as it is
    if (of_an_object) return {.name = member.name, .form = &as_it_is_};
    if (member.name == "topology" && member.type->shape == Shape::RawJson) {
      const bool is_new = owner.members.data() == type_of<ClusterSpec>.members.data();
      return {.name = member.name, .form = &of(is_new ? kTopology : kOldTopology), .pointer = !is_new};
    }
    return {.name = member.name,
            .form = &of(holder ? *member.type->element : *member.type),
            .pointer = is_pointer_upstream(owner, member),
            .always = is_always_written_upstream(owner, member)};
  }

  const Form as_it_is_ = {};
  std::map<const TypeInfo*, std::unique_ptr<Form>> forms_ = {};
};

}  // namespace

const FormField* Form::find(std::string_view name) const {
  const auto found = std::ranges::find(fields, name, &FormField::name);
  return found == fields.end() ? nullptr : &*found;
}

const Form& form_of(const TypeInfo& type) {
  static Guarded<Forms> forms;
  return forms.with([&](Forms& known) -> const Form& { return known.of(type); });
}

bool is_zero(const Form& form, const json::value& value) {
  if (value.is_null()) return true;
  if (form.shape == Shape::RawJson || form.shape == Shape::IntOrString) return false;
  if (const auto* flag = value.if_bool()) return !*flag;
  if (const auto* number = value.if_int64()) return *number == 0;
  if (const auto* text = value.if_string()) return form.duration ? *text == "0s" : text->empty();
  if (!value.is_object() || form.shape != Shape::Object) return false;
  return std::ranges::all_of(value.get_object(), [&](const auto& entry) {
    const FormField* field = form.find(entry.key());
    return field != nullptr && !field->pointer && is_zero(*field->form, entry.value());
  });
}

}  // namespace capstan::api::v1beta1
