#include "webhooks/defaults_patch.h"

#include <boost/json.hpp>

#include "kube/json_patch.h"

namespace capstan::webhooks::detail {
namespace {

namespace json = boost::json;

// Follows the object as it was sent, for a parent that is missing there can't be patched into: such a parent
// is added as a whole.
class PatchWriter {
 public:
  void object(const json::object& sent, const json::object& before, const json::object& after,
              const std::string& path) {
    for (const auto& [name, value] : after) {
      const auto* old = before.if_contains(name);
      if (old == nullptr || *old != value) member(sent.if_contains(name), old, value, step(path, name));
    }
    for (const auto& [name, value] : before) {
      if (!after.contains(name) && sent.contains(name))
        operations_.push_back(json::object{{"op", "remove"}, {"path", step(path, name)}});
    }
  }
  std::string take() { return operations_.empty() ? std::string() : json::serialize(operations_); }

 private:
  static std::string step(const std::string& path, std::string_view name) {
    return path + "/" + kube::json_pointer_step(name);
  }

  void member(const json::value* sent, const json::value* before, const json::value& after,
              const std::string& path) {
    if (sent != nullptr && sent->is_object() && after.is_object()) {
      static const json::object kNothing;
      const auto* old = before == nullptr ? nullptr : before->if_object();
      return object(sent->get_object(), old == nullptr ? kNothing : *old, after.get_object(), path);
    }
    const char* verb = sent == nullptr ? "add" : "replace";
    operations_.push_back(json::object{{"op", verb}, {"path", path}, {"value", after}});
  }

  json::array operations_ = {};
};

}  // namespace

std::string defaults_patch(const json::value& sent, const json::value& before, const json::value& after) {
  PatchWriter writer;
  writer.object(sent.as_object(), before.as_object(), after.as_object(), {});
  return writer.take();
}

std::string defaults_patch(const api::RawJson& sent, const api::TypeInfo& type, const void* before,
                           const void* after) {
  return defaults_patch(sent.to_json(), api::detail::to_json(type, before),
                        api::detail::to_json(type, after));
}

}  // namespace capstan::webhooks::detail
