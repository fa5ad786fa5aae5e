// One kept connection to a driver, for one call at a time. Includes cpp-httplib: for http_transport.cc only.
#pragma once

#include <httplib.h>

#include <memory>

#include "infrastructure/remote/cutter.h"
#include "infrastructure/remote/endpoint.h"
#include "infrastructure/remote/transport.h"

namespace capstan::infrastructure::remote {

class Connection {
 public:
  Connection(const Endpoint& endpoint, const TlsPaths& tls);

  // Blocks until the answer is there, `left` has passed without a byte, or the connection is cut.
  DriverResult<Answer> post(std::string_view verb, const std::string& body, Nanoseconds left);
  const std::shared_ptr<Cuttable>& socket() const { return socket_; }
  // stamp_of() the files it was made by.
  const std::string& stamp() const { return stamp_; }

 private:
  DriverError error_of(httplib::Error error) const;

  const std::string where_;
  const std::string stamp_;
  std::shared_ptr<Cuttable> socket_ = std::make_shared<Cuttable>();
  std::unique_ptr<httplib::ClientImpl> client_;
};

}  // namespace capstan::infrastructure::remote
