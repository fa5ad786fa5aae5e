#include "webhooks/admission.h"

#include <fmt/format.h>

namespace capstan::webhooks {
namespace {

constexpr std::string_view kJson = "application/json";

net::HttpResponse reply(std::string body) {
  return {.status = 200, .headers = {{"Content-Type", std::string(kJson)}}, .body = std::move(body)};
}

net::HttpResponse unread(int code, std::string message) {
  return reply(review_text({}, errored(code, std::move(message))));
}

}  // namespace

void add_admission(Server& server, const AdmissionContext& context) {
  for (const AdmissionHook& hook : admission_hooks()) {
    server.add(hook.path, [hook, context](const net::ServerRequest& request) {
      return answer_admission(hook, request, context);
    });
  }
}

net::HttpResponse answer_admission(const AdmissionHook& hook, const net::ServerRequest& request,
                                   const AdmissionContext& context) {
  if (request.body.size() > kMaxReviewBytes) {
    return unread(verdict_code::kTooLarge,
                  fmt::format("request entity is too large; limit is {} bytes", kMaxReviewBytes));
  }
  const auto type = request.header("Content-Type").value_or("");
  if (type != kJson)
    return unread(verdict_code::kBadRequest, fmt::format("contentType={}, expected {}", type, kJson));
  return reply(answer_review(hook, request.body, context));
}

}  // namespace capstan::webhooks
