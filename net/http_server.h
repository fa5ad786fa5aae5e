// Small asynchronous HTTP/1.1 server with limits on everything a stranger can send. The embedded API server,
// probes, metrics, webhooks and the console stand on it. Handlers run on a bounded pool of workers and may
// block; streams (watches) are written from any thread afterwards. Safe from any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/deadline.h"
#include "base/result.h"
#include "net/http_message.h"

namespace capstan::net {

class IoPool;
class TlsContext;
class WorkerPool;

// A chunked response that goes on after its handler returned. write() queues and never blocks; false: the
// peer is gone or more than `max_stream_backlog` bytes are waiting (then the connection is dropped).
// Destruction ends the response.
class ResponseStream {
 public:
  virtual ~ResponseStream() = default;
  virtual bool write(std::string_view bytes) = 0;
  virtual void end() = 0;    // clean end of the chunked body
  virtual void abort() = 0;  // cut the connection in the middle
  // Called once, from an io thread, when the peer closes or the server stops.
  virtual void on_closed(std::function<void()> callback) = 0;
};

// Given to a handler: answer exactly once, in one piece or as a stream.
class Responder {
 public:
  virtual ~Responder() = default;
  virtual void respond(HttpResponse response) = 0;
  virtual std::shared_ptr<ResponseStream> begin_stream(int status, Headers headers) = 0;
  // Closes the connection without an answer (fault injection).
  virtual void drop() = 0;
};

using Handler = std::function<void(const ServerRequest&, Responder&)>;

struct ServerLimits {
  std::size_t max_header_bytes = 32U << 10;
  std::size_t max_headers = 100;
  std::size_t max_body_bytes = 3U << 20;  // also when chunked
  // Of all requests that are arriving or being answered, the first 32 KB of each not counted; beyond: 503.
  // Those on connections that had no answer yet may take half of it.
  std::size_t max_held_body_bytes = 128U << 20;
  // Beyond, the connection is closed that has waited for its peer the longest. Connections that had no answer
  // yet may take half of the places, where the oldest gives way to the next: they can't push out those that
  // had one, nor be kept out by them.
  std::size_t max_connections = 2048;
  std::size_t max_stream_backlog = 16U << 20;
  Nanoseconds header_timeout = std::chrono::seconds(10);
  Nanoseconds idle_timeout = std::chrono::seconds(90);
  std::size_t max_target_bytes = 16U << 10;
  std::size_t max_waiting_requests = 1024;               // beyond: 503
  Nanoseconds body_timeout = std::chrono::seconds(60);   // for the whole body
  Nanoseconds write_timeout = std::chrono::seconds(30);  // a peer that takes no byte for this long is cut off
  Nanoseconds linger_timeout = std::chrono::seconds(2);  // for the peer to read the last answer
};

struct HttpServerOptions {
  std::string address = "127.0.0.1";
  std::uint16_t port = 0;                // 0: any free port
  std::shared_ptr<TlsContext> tls = {};  // null: plain HTTP
  std::size_t workers = 4;
  ServerLimits limits = {};
  std::string name = "http";
  // Runs the handlers instead of `workers` threads of the server's own; servers that call each other must not
  // share one.
  std::shared_ptr<WorkerPool> pool = {};
};

class HttpServer {
 public:
  // Fails with a message naming address and port when the port can't be bound.
  static Result<std::unique_ptr<HttpServer>> listen(IoPool& io, HttpServerOptions options, Handler handler);
  ~HttpServer();  // stops accepting, closes every connection, joins workers
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  std::uint16_t port() const;
  void use_tls(std::shared_ptr<TlsContext> tls);  // certificate reload: for new connections
  void close_connections();                       // drop every open connection, go on listening
  // Stops listening, lets requests finish and ends streams cleanly; what is left at the deadline is cut.
  void shut_down(const Deadline& deadline);
  void pause_accepting(bool paused);  // refuse: close the listener, reopen on the same port

 private:
  class Impl;
  explicit HttpServer(std::shared_ptr<Impl> impl);
  std::shared_ptr<Impl> impl_;
};

}  // namespace capstan::net
