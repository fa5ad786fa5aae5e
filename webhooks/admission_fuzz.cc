// Any bytes as an AdmissionReview, at each path: judging never crashes, every answer is a review with a uid
// and a Status, a refusal has a message, and a patch applies to the object it was made for.
#include <boost/json.hpp>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/base64.h"
#include "kube/json_patch.h"
#include "webhooks/admission_kinds.h"

namespace capstan::webhooks {
namespace {

namespace json = boost::json;

void check(bool holds) {
  if (!holds) std::abort();
}

void check_patch(const json::object& response, const AdmissionRequest& request) {
  const auto* patch = response.if_contains("patch");
  if (patch == nullptr) return;
  const auto text = base64_decode(std::string_view(patch->as_string()));
  check(text.has_value());
  auto object = request.object.to_json();
  check(kube::apply_json_patch(object, json::parse(*text)).has_value());
}

void check_answer(const std::string& answer, std::string_view body) {
  const auto document = json::parse(answer);
  const auto& response = document.at("response").as_object();
  const auto& status = response.at("status").as_object();
  if (!response.at("allowed").as_bool())
    check(status.at("code").as_int64() >= 400 && !status.at("message").as_string().empty());
  const auto request = read_review(body);
  if (!request) return check(!response.at("allowed").as_bool());
  check(response.at("uid").as_string() == request->uid.view());
  check_patch(response, *request);
}

}  // namespace
}  // namespace capstan::webhooks

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  static const auto hooks = capstan::webhooks::admission_hooks();
  const std::string_view body(reinterpret_cast<const char*>(bytes), size);
  for (const auto& hook : hooks)
    capstan::webhooks::check_answer(capstan::webhooks::answer_review(hook, body, {}), body);
  return 0;
}
