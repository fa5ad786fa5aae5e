#include "test/joining/gate.h"

#include <algorithm>
#include <optional>

#include "bootstrap/token.h"
#include "net/pki.h"

namespace capstan::joining {
namespace {

namespace json = boost::json;

constexpr std::string_view kNodePrefix = "system:node:";
constexpr std::string_view kNamed = "metadata.name=";
constexpr std::string_view kRbac = "rbac.authorization.k8s.io";

struct User {
  std::string name = {};
  std::vector<std::string> groups = {};
};

Error forbidden(const User& user, std::string_view what) {
  return {.code = Code::Forbidden, .message = user.name + " may not ask for " + std::string(what)};
}

json::array array_of(const std::vector<std::string>& texts) {
  json::array array;
  for (const std::string& text : texts) array.emplace_back(text);
  return array;
}

const json::value* at(const json::value& object, std::string_view pointer) {
  json::error_code absent;
  return object.find_pointer(pointer, absent);
}

bool has_group(const json::value& binding, const std::vector<std::string>& groups) {
  const json::value* subjects = at(binding, "/subjects");
  return subjects != nullptr && std::ranges::any_of(subjects->as_array(), [&](const json::value& subject) {
           return std::ranges::find(groups, std::string(subject.at("name").as_string())) != groups.end();
         });
}

bool names_secret(const json::value& role, const std::string& secret) {
  const json::value* names = at(role, "/rules/0/resourceNames");
  return names != nullptr && std::ranges::any_of(names->as_array(), [&](const json::value& name) {
           return name.as_string() == secret;
         });
}

}  // namespace

// One connection.
class Gate::Entrance final : public fakes::RelayClient {
 public:
  Entrance(Gate& gate, std::string machine, const kube::Connection& shown)
      : RelayClient(gate.server_), gate_(gate), machine_(std::move(machine)), token_(shown.token.reveal()) {
    if (auto facts = net::read_certificate(shown.certificate_pem)) certificate_ = std::move(*facts);
  }

  Result<json::value> create(const kube::Resource& resource, const kube::ObjectKey& key,
                             const json::value& object, const kube::WriteOptions& options,
                             const Deadline& deadline) override {
    json::value signed_by = object;
    if (const auto user = who(); user && resource.kind == "CertificateSigningRequest") {
      auto& spec = signed_by.at("spec").as_object();
      spec["username"] = user->name;
      spec["groups"] = array_of(user->groups);
    }
    return RelayClient::create(resource, key, signed_by, options, deadline);
  }
  std::unique_ptr<kube::Stream> watch(const kube::Resource& resource, const kube::WatchOptions& options,
                                      kube::StreamSink& sink) override {
    watched_ = options.field_selector.substr(std::min(kNamed.size(), options.field_selector.size()));
    return RelayClient::watch(resource, options, sink);
  }

 private:
  // Nothing: it is no user of this server, or not any more.
  std::optional<User> who() const {
    if (certificate_)
      return certificate_->not_after < gate_.now()
                 ? std::nullopt
                 : std::optional(User{certificate_->common_name, certificate_->organizations});
    if (!gate_.takes_token(token_)) return std::nullopt;
    return User{"system:bootstrap:" + token_.substr(0, token_.find('.')),
                {std::string(bootstrap::kTokenGroup), "system:authenticated"}};
  }

  std::optional<Error> sending(const fakes::Asked& asked) override {
    const auto user = who();
    if (!user) return Error{.code = Code::Unauthorized, .message = "Unauthorized"};
    const std::string& name = asked.call == fakes::Call::Watch ? watched_ : asked.key.name;
    if (asked.is("CertificateSigningRequest")) return std::nullopt;
    if (asked.is("Node") && user->name == std::string(kNodePrefix) + name) return std::nullopt;
    if (!asked.is("Secret") || fakes::is_write(asked.call) || !gate_.may_read(user->groups, name))
      return forbidden(*user, asked.describe());
    gate_.on_secret_(machine_, name);
    return std::nullopt;
  }

  Gate& gate_;
  const std::string machine_;
  const std::string token_;
  std::optional<net::CertificateFacts> certificate_ = {};
  std::string watched_ = {};
};

Gate::Gate(apiserver::Api& api, kube::Client& server, OnSecret on_secret)
    : api_(api), server_(server), on_secret_(std::move(on_secret)) {}

Gate::~Gate() = default;

kube::Client& Gate::open(const std::string& machine, const kube::Connection& shown) {
  return *entrances_.emplace_back(std::make_unique<Entrance>(*this, machine, shown));
}

WallTime Gate::now() const { return api_.clock().now() + clock_off_; }

bool Gate::takes_token(std::string_view text) const {
  const auto key = bootstrap::key_of_token(text.substr(0, text.find('.')));
  const auto stored = api_.stored("", "secrets", key.namespace_, key.name);
  if (!stored) return false;
  const auto token = bootstrap::read_token(json::value(*stored));
  return token && token->text() == text && token->expires > Time::from(now());
}

bool Gate::may_read(const std::vector<std::string>& groups, const std::string& secret) const {
  for (const auto& binding : api_.stored_all(kRbac, "rolebindings")) {
    const json::value whole(*binding);
    if (!has_group(whole, groups)) continue;
    const auto role = api_.stored(kRbac, "roles", "kube-system", whole.at("roleRef").at("name").as_string());
    if (role && names_secret(json::value(*role), secret)) return true;
  }
  return false;
}

}  // namespace capstan::joining
