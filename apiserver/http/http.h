// The HTTP face of one Api: routing, authentication, negotiation, errors in Kubernetes' words. A handler for
// net/HttpServer. Lives as long as the server that calls it; safe from any thread.
#pragma once

#include <memory>

#include "apiserver/api.h"
#include "apiserver/http/auth.h"
#include "apiserver/http/negotiation.h"
#include "apiserver/http/watch_pump.h"
#include "net/http_server.h"

namespace capstan::apiserver {

class HttpFace {
 public:
  HttpFace(Api& api, const Auth& auth, WatchPump& pump) : api_(api), auth_(auth), pump_(pump) {}

  void answer(const net::ServerRequest& http, net::Responder& responder);

 private:
  bool answer_open(const std::vector<std::string>& path, net::Responder& responder) const;
  bool answer_document(const std::vector<std::string>& path, const net::ServerRequest& http,
                       net::Responder& responder) const;
  void answer_object(const Request& request, const net::ServerRequest& http, net::Responder& responder);
  void answer_watch(const Request& request, Form form, net::Responder& responder);
  std::string body_of(const Response& response, Form form, bool full_objects) const;

  Api& api_;
  const Auth& auth_;
  WatchPump& pump_;
};

}  // namespace capstan::apiserver
