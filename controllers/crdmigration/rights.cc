#include "controllers/crdmigration/rights.h"

#include <boost/json.hpp>

namespace capstan::controllers::crdmigration {
namespace {

namespace json = boost::json;

kube::Resource reviews() {
  return {.group = "authorization.k8s.io",
          .version = "v1",
          .plural = "selfsubjectaccessreviews",
          .kind = "SelfSubjectAccessReview",
          .namespaced = false};
}

json::value review(const kube::Resource& resource, const std::string& subresource) {
  return {{"apiVersion", "authorization.k8s.io/v1"},
          {"kind", "SelfSubjectAccessReview"},
          {"spec",
           {{"resourceAttributes",
             {{"verb", "patch"},
              {"group", resource.group},
              {"resource", resource.plural},
              {"subresource", subresource}}}}}};
}

}  // namespace

bool Rights::lacks_patch(const std::string& subresource) {
  const auto known = lacking_.find(subresource);
  if (known != lacking_.end()) return known->second;
  return lacking_[subresource] = ask(subresource);
}

bool Rights::ask(const std::string& subresource) const {
  const auto answer = client_.create(reviews(), {}, review(resource_, subresource), {}, deadline_);
  if (!answer) return answer.error().code == Code::Forbidden;
  json::error_code absent;
  const auto* allowed = answer->find_pointer("/status/allowed", absent);
  return allowed != nullptr && allowed->is_bool() && !allowed->as_bool();
}

}  // namespace capstan::controllers::crdmigration
