// Who is asking, and may they: static tokens, client certificates, and rules that deny. A user who is
// known may do anything unless a rule says otherwise: this server has no RBAC. Rules can be changed while it
// serves. Safe from any thread.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/request.h"
#include "base/guarded.h"
#include "net/http_server.h"

namespace capstan::apiserver {

struct TokenUser {
  std::string token = {};
  User user = {};
};

// Empty members match anything.
struct DenyRule {
  std::string user = {};
  std::string verb = {};
  std::string group = {};
  std::string resource = {};
  bool matches(const User& asking, const Request& request) const;
};

class Auth {
 public:
  explicit Auth(std::vector<TokenUser> tokens);

  // Absent: 401. A certificate counts before a token.
  std::optional<User> who(const net::ServerRequest& request) const;
  std::optional<User> who_has(std::string_view token) const;
  // The refusal of a known user, or nothing.
  std::optional<Response> refusal(const Request& request) const;

  void deny(std::vector<DenyRule> rules);  // replaces those there are
  void revoke(std::string_view token);
  void accept(TokenUser user);

 private:
  struct Book {
    std::map<std::string, User, std::less<>> tokens = {};
    std::vector<DenyRule> denied = {};
  };
  Guarded<Book> book_;
};

}  // namespace capstan::apiserver
