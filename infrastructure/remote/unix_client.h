// The client of cpp-httplib for a unix socket, with a stream of ours: the library's own sends head and body
// of a request apart and asks the kernel before each piece whether it may go on, which is a third of what a
// call costs us. One call at a time. Includes cpp-httplib: for connection.cc only.
#pragma once

#include <httplib.h>

#include <functional>
#include <string>

namespace capstan::infrastructure::remote {

class UnixClient final : public httplib::ClientImpl {
 public:
  explicit UnixClient(const std::string& path);

 private:
  // A call that takes too long is ended by the cutter (cutter.h) alone: nothing here has a timeout.
  bool process_socket(const Socket& socket, std::function<bool(httplib::Stream&)> callback) override;
};

}  // namespace capstan::infrastructure::remote
