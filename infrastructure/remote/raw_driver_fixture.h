// RawDriver: a program at the other end of a unix socket that does what a test says with each connection,
// however wrong. DriverAt: our client to a socket. Tests only.
#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/threads.h"
#include "infrastructure/remote/http_transport.h"
#include "infrastructure/remote/remote_driver.h"

namespace capstan::infrastructure::remote {

// In a directory of the test's own.
std::string socket_path(std::string_view name);

class RawConnection {
 public:
  RawConnection(int descriptor, const std::stop_token& stop) : descriptor_(descriptor), stop_(stop) {}

  // The whole request: head and body. Empty: the peer is gone.
  std::string read_request();
  // False: the peer is gone.
  bool write(std::string_view bytes);
  void answer(int status, std::string_view body);
  // Until the peer closes or the test ends.
  void hang();
  // One byte after the other, for as long as the peer takes them.
  void drip(char byte);

 private:
  bool wait(int milliseconds);
  int descriptor_;
  const std::stop_token& stop_;
};

class RawDriver {
 public:
  RawDriver(std::string path, std::function<void(RawConnection&)> with_each);
  ~RawDriver();
  RawDriver(const RawDriver&) = delete;
  RawDriver& operator=(const RawDriver&) = delete;

 private:
  void run(const std::stop_token& stop);

  const std::string path_;
  const std::function<void(RawConnection&)> with_each_;
  int listener_ = -1;
  SystemThreads threads_;
  std::unique_ptr<Thread> thread_;
};

// A client with everything it needs.
struct DriverAt {
  SystemClock clock = {};
  SystemThreads threads = {};
  HttpTransport transport;
  RemoteDriver driver;

  explicit DriverAt(TransportOptions options);
  explicit DriverAt(const std::string& socket) : DriverAt(TransportOptions{.endpoint = {.socket = socket}}) {}

  Deadline within(Nanoseconds span, std::stop_token stop = {}) const {
    return Deadline::in(clock, span, std::move(stop));
  }
};

}  // namespace capstan::infrastructure::remote
