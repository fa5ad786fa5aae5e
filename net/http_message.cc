#include "net/http_message.h"

#include "net/http_parser.h"

namespace capstan::net {

std::optional<std::string_view> HttpResponse::header(std::string_view name) const {
  return find_header(headers, name);
}

std::optional<std::string_view> ServerRequest::header(std::string_view name) const {
  return find_header(headers, name);
}

}  // namespace capstan::net
