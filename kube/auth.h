// Who we are to an API server, kept fresh: token files and certificate files are read again when a minute has
// passed or the server said 401. RemoteClient owns one. Safe from any thread; files are read under no lock of
// others.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/guarded.h"
#include "base/result.h"
#include "base/secret.h"
#include "kube/connection.h"
#include "net/http_client.h"
#include "net/tls.h"

namespace capstan::kube {

using ReadFile = std::function<Result<std::string>(const std::string& path)>;
// At most 1 MB; the error names the path and why.
Result<std::string> read_whole_file(const std::string& path);

class Credentials {
 public:
  Credentials(Connection connection, const Clock& clock, ReadFile read = read_whole_file);

  // The first reading of every file; nothing else may be called before it succeeded.
  Result<void> load();

  // Authorization and Impersonate-* of the next request.
  net::Headers headers();
  // What TLS connections use; the whole of it whenever something changed.
  net::ClientTlsOptions tls() const;
  // True when a minute has passed and certificate, key or CA read differently now: tls() is new. A
  // half-written pair can't be recognised here; the connection that fails with it calls tls_failed(), and it
  // is tried again.
  bool tls_changed();
  void tls_failed();
  // After a 401: reads everything again (once a second at most) and says whether anything is different now.
  bool changed_after_refusal();

 private:
  struct Material {
    std::string ca = {};
    std::string certificate = {};
    Secret<std::string> key = {};
    bool same_as(const Material& other) const;
  };
  struct State {
    Secret<std::string> token = {};
    Material material = {};
    SteadyTime token_read = {};
    SteadyTime material_read = {};
    SteadyTime refused = SteadyTime::min();
    bool material_stale = false;
  };

  Result<std::string> text_of(const std::string& text, const std::string& file) const;
  Result<Material> read_material() const;
  Result<Secret<std::string>> read_token() const;
  bool reread_token(SteadyTime now);
  bool reread_material(SteadyTime now);
  bool has_files() const;

  const Connection connection_;
  const Clock& clock_;
  const ReadFile read_;
  Guarded<State> state_;
};

// Refuses what must not be sent: a token that is no token, credentials over plain HTTP to another machine.
Result<void> check(const Connection& connection);

}  // namespace capstan::kube
