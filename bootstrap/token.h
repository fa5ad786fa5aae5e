// A bootstrap token: the Secret "bootstrap-token-<id>" in kube-system of a workload cluster, by which
// kubelets may ask for their first certificate ("Authenticating with Bootstrap Tokens" in Kubernetes'
// documentation). Its labels say which CloudConfig it was made for, so that it is found again after every
// crash. Pure.
#pragma once

#include <boost/json/fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "api/meta/object_key.h"
#include "base/result.h"
#include "base/secret.h"
#include "base/time.h"

namespace capstan::bootstrap {

// The group of a kubelet that shows one of our tokens; bootstrap/access/bindings.h binds it to what it needs.
inline constexpr std::string_view kTokenGroup = "system:bootstrappers:capstan";

struct Token {
  std::string id = {};              // six characters, no secret
  Secret<std::string> secret = {};  // sixteen
  Time created = {};                // by the workload cluster's clock; unset: it is to be created
  Time expires = {};                // unset: never

  std::string text() const { return id + "." + secret.reveal(); }  // what a kubelet shows
  bool operator==(const Token& other) const { return text() == other.text() && expires == other.expires; }
};

// The CloudConfig a token is made for.
struct TokenOwner {
  api::ObjectKey config = {};
  std::string uid = {};
  std::string machine = {};  // "Machine default/m1", for people
  bool operator==(const TokenOwner&) const = default;
};

api::ObjectKey key_of_token(std::string_view id);
// The whole Secret, ready to be created.
boost::json::value token_secret(const Token& token, const TokenOwner& owner);
// Invalid when it is none.
Result<Token> read_token(const boost::json::value& secret);
// The patch that makes it last until then.
boost::json::value expiry_patch(Time expires);

// Selects the tokens of one CloudConfig. By its name: a uid does not survive a move.
std::string tokens_of(const api::ObjectKey& config);
// Selects those of every CloudConfig.
std::string tokens_of_all();
// The CloudConfig that this Secret was made for; nothing when its labels do not say all of its name.
std::optional<api::ObjectKey> config_in(const boost::json::value& token_secret);

}  // namespace capstan::bootstrap
