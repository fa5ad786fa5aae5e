// One embedded API server with a listener, a CA and a storage of its own: what capstan-dev runs alone, and
// what simulated workload clusters are made of, many in one process. Faults on demand: refuse, drop, slow,
// expire. Everything stops with the object. Safe from any thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "apiserver/api.h"
#include "apiserver/http/auth.h"
#include "base/result.h"
#include "base/threads.h"
#include "net/io_pool.h"
#include "net/pki.h"

namespace capstan::apiserver {

struct ServerOptions {
  std::string name = "capstan";  // in kubeconfigs and certificates
  std::string address = "127.0.0.1";
  std::uint16_t port = 0;  // 0: any free port
  std::vector<TokenUser> tokens = {};
  std::uint64_t seed = 1;
  std::size_t history = 16384;
  std::size_t workers = 8;
  Nanoseconds bookmark_every = std::chrono::seconds(60);
  DefectSet defects = {};
};

class Server {
 public:
  static Result<std::unique_ptr<Server>> start(net::IoPool& io, const Clock& clock, Threads& threads,
                                               ServerOptions options);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  Api& api();
  Auth& auth();
  std::uint16_t port() const;
  std::string url() const;
  const std::string& ca_pem() const;
  // Its key signs client certificates that this server lets in (the Secret "<cluster>-ca").
  const net::KeyAndCertificate& authority() const;
  // An administrator's, with a client certificate made for it; everything inline.
  Result<std::string> kubeconfig() const;
  std::size_t open_watches() const;

  // Faults.
  void refuse(bool refused);           // no request is served while true
  void drop_connections();             // cut whatever is open
  void slow_down(Nanoseconds answer);  // every answer waits so long first; 0: at once
  void expire_watches();               // 410 for every watch and continue token

 private:
  class Impl;
  explicit Server(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace capstan::apiserver
