#include "api/v1beta1/failure_domains.h"

#include <algorithm>
#include <boost/json.hpp>
#include <string>
#include <utility>

#include "api/v1beta1/describe.h"
#include "api/v1beta1/form.h"
#include "base/try.h"

namespace capstan::api::v1beta1 {
namespace {

namespace json = boost::json;

constexpr std::array kSpecMembers = {field("controlPlane", kBoolean), field("attributes", type_of<TextMap>)};
constexpr TypeInfo kSpec = object(kSpecMembers);

Result<json::object> domain_of(std::string_view name, json::value& spec) {
  if (spec.is_null()) spec.emplace_object();
  if (!spec.is_object()) return fail(Code::Invalid, "status.failureDomains: wants objects");
  json::object& domain = spec.get_object();
  TRY(read(form_of(kSpec), nullptr, domain));
  if (!domain.contains("controlPlane")) domain["controlPlane"] = false;
  domain["name"] = json::string(name);
  return std::move(domain);
}

std::string_view name_of(const json::value& domain) {
  const auto* name = domain.as_object().if_contains("name");
  return name == nullptr ? std::string_view() : std::string_view(name->as_string());
}

}  // namespace

Result<void> list_failure_domains(json::value& value) {
  if (value.is_null()) return {};
  if (!value.is_object()) return fail(Code::Invalid, "status.failureDomains: wants an object");
  json::array listed;
  for (auto& [name, spec] : value.get_object()) listed.push_back(TRY(domain_of(name, spec)));
  std::ranges::sort(listed, {}, name_of);
  value = std::move(listed);
  return {};
}

void name_failure_domains(json::value& value) {
  if (value.is_null()) return;
  json::object named;
  for (json::value& domain : value.get_array()) {
    const std::string name(name_of(domain));
    json::object& spec = domain.get_object();
    spec.erase("name");
    write(form_of(kSpec), spec);
    named[name] = std::move(spec);
  }
  value = named.empty() ? json::value() : json::value(std::move(named));
}

}  // namespace capstan::api::v1beta1
