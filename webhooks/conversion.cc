#include "webhooks/conversion.h"

#include "webhooks/conversion_review.h"

namespace capstan::webhooks {

void add_conversion(Server& server, const api::v1beta1::ApiVersionOf& api_version_of) {
  server.add(std::string(kConvertPath), [api_version_of](const net::ServerRequest& request) {
    return answer_convert(request, api_version_of);
  });
}

net::HttpResponse answer_convert(const net::ServerRequest& request,
                                 const api::v1beta1::ApiVersionOf& api_version_of) {
  auto answer = answer_conversion(request.body, api_version_of);
  if (!answer)
    return {
        .status = 400, .headers = {{"Content-Type", "text/plain"}}, .body = answer.error().message + "\n"};
  return {.status = 200, .headers = {{"Content-Type", "application/json"}}, .body = std::move(*answer)};
}

}  // namespace capstan::webhooks
