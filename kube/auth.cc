#include "kube/auth.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <utility>

#include "base/try.h"
#include "net/url.h"

namespace capstan::kube {
namespace {

constexpr Nanoseconds kReadAgainAfter = std::chrono::minutes(1);
constexpr Nanoseconds kBetweenRefusals = std::chrono::seconds(1);

std::string trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n";
  const auto first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return std::string(text.substr(first, text.find_last_not_of(kBlank) - first + 1));
}

// Anything else could smuggle a header.
bool is_header_value(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c > 0x20 && c < 0x7F; });
}

bool is_this_machine(std::string_view host) {
  return host == "localhost" || host == "::1" || host.starts_with("127.");
}

}  // namespace

Result<std::string> read_whole_file(const std::string& path) {
  constexpr std::size_t kLargest = 1U << 20;
  const auto close = [](std::FILE* file) { std::fclose(file); };
  const std::unique_ptr<std::FILE, decltype(close)> file(std::fopen(path.c_str(), "rbe"), close);
  if (file == nullptr) return fail(Code::Invalid, path + ": " + std::strerror(errno));
  std::string text(kLargest + 1, '\0');
  text.resize(std::fread(text.data(), 1, text.size(), file.get()));
  if (std::ferror(file.get()) != 0) return fail(Code::Invalid, path + ": can't be read");
  if (text.size() > kLargest) return fail(Code::Invalid, path + ": is larger than 1 MB");
  return text;
}

Credentials::Credentials(Connection connection, const Clock& clock, ReadFile read)
    : connection_(std::move(connection)), clock_(clock), read_(std::move(read)) {}

Result<void> Credentials::load() {
  TRY(check(connection_));
  State first;
  first.token = TRY(read_token());
  first.material = TRY(read_material());
  first.token_read = first.material_read = clock_.steady_now();
  state_.with([&](State& state) { state = std::move(first); });
  return {};
}

net::Headers Credentials::headers() {
  reread_token(clock_.steady_now() - kReadAgainAfter);
  net::Headers headers;
  state_.with([&](const State& state) {
    if (!state.token.reveal().empty())
      headers.emplace_back("Authorization", "Bearer " + state.token.reveal());
  });
  const Impersonation& as = connection_.impersonate;
  if (!as.user.empty()) headers.emplace_back("Impersonate-User", as.user);
  if (!as.uid.empty()) headers.emplace_back("Impersonate-Uid", as.uid);
  for (const auto& group : as.groups) headers.emplace_back("Impersonate-Group", group);
  return headers;
}

net::ClientTlsOptions Credentials::tls() const {
  return state_.with([&](const State& state) {
    return net::ClientTlsOptions{.ca_pem = state.material.ca,
                                 .certificate_pem = state.material.certificate,
                                 .private_key_pem = state.material.key,
                                 .insecure_skip_verify = connection_.insecure_skip_tls_verify,
                                 .quote_certificates = !connection_.from_secret};
  });
}

bool Credentials::tls_changed() { return reread_material(clock_.steady_now() - kReadAgainAfter); }

void Credentials::tls_failed() {
  state_.with([](State& state) { state.material_stale = true; });
}

bool Credentials::changed_after_refusal() {
  if (!has_files()) return false;
  const SteadyTime now = clock_.steady_now();
  const bool too_soon = state_.with([&](State& state) {
    if (state.refused != SteadyTime::min() && now < state.refused + kBetweenRefusals) return true;
    state.refused = now;
    return false;
  });
  if (too_soon) return false;
  const bool token = reread_token(now);
  const bool material = reread_material(now);
  return token || material;
}

bool Credentials::has_files() const {
  return !connection_.token_file.empty() || !connection_.certificate_file.empty() ||
         !connection_.private_key_file.empty() || !connection_.ca_file.empty();
}

// True when a token read before `older_than` (or just then) was replaced by another. One that can't be read
// stays: it may be back with the next look, and a token that expired meanwhile is the server's to refuse.
bool Credentials::reread_token(SteadyTime older_than) {
  if (connection_.token_file.empty()) return false;
  const SteadyTime now = clock_.steady_now();
  const bool due = state_.with([&](State& state) {
    if (state.token_read > older_than) return false;
    state.token_read = now;
    return true;
  });
  if (!due) return false;
  auto token = read_token();
  if (!token) return false;
  return state_.with([&](State& state) {
    if (state.token.reveal() == token->reveal()) return false;
    state.token = std::move(*token);
    return true;
  });
}

bool Credentials::reread_material(SteadyTime older_than) {
  if (!has_files()) return false;
  const SteadyTime now = clock_.steady_now();
  const bool due = state_.with([&](State& state) {
    if (state.material_read > older_than) return false;
    state.material_read = now;
    return true;
  });
  if (!due) return false;
  auto material = read_material();
  if (!material) return false;
  return state_.with([&](State& state) {
    if (state.material.same_as(*material) && !state.material_stale) return false;
    state.material = std::move(*material);
    state.material_stale = false;
    return true;
  });
}

Result<Secret<std::string>> Credentials::read_token() const {
  if (connection_.token_file.empty()) return connection_.token;
  auto text = read_(connection_.token_file);
  if (!text && !connection_.token.reveal().empty()) return connection_.token;
  if (!text) return fail(text.error().context("read the bearer token"));
  std::string token = trimmed(*text);
  if (token.empty()) return fail(Code::Invalid, connection_.token_file + ": holds no token");
  if (!is_header_value(token)) return fail(Code::Invalid, connection_.token_file + ": holds no valid token");
  return Secret(std::move(token));
}

Result<Credentials::Material> Credentials::read_material() const {
  Material material;
  material.ca = TRY(text_of(connection_.ca_pem, connection_.ca_file));
  material.certificate = TRY(text_of(connection_.certificate_pem, connection_.certificate_file));
  material.key = Secret(TRY(text_of(connection_.private_key_pem.reveal(), connection_.private_key_file)));
  if (material.certificate.empty() != material.key.reveal().empty()) {
    return fail(Code::Invalid, material.key.reveal().empty() ? "a client certificate needs its private key"
                                                             : "a client key needs its certificate");
  }
  return material;
}

Result<std::string> Credentials::text_of(const std::string& text, const std::string& file) const {
  if (!text.empty() || file.empty()) return text;
  return read_(file);
}

bool Credentials::Material::same_as(const Material& other) const {
  return ca == other.ca && certificate == other.certificate && key.reveal() == other.key.reveal();
}

Result<void> check(const Connection& connection) {
  const net::Url url = TRY(net::parse_url(connection.server));
  if (url.scheme != "https" && url.scheme != "http") {
    return fail(Code::Invalid, "server: the scheme must be https or http, not \"" + url.scheme + "\"");
  }
  if (url.has_credentials) return fail(Code::Invalid, "server: must not contain a user name or password");
  if (!url.query.empty()) return fail(Code::Invalid, "server: must not contain a query");
  if (!is_header_value(connection.token.reveal()))
    return fail(Code::Invalid, "the bearer token is not valid");
  const bool has_token = !connection.token.reveal().empty() || !connection.token_file.empty();
  if (has_token && url.scheme == "http" && !is_this_machine(url.host)) {
    return fail(Code::Invalid, "a bearer token is not sent over plain http to " + url.host);
  }
  const Impersonation& as = connection.impersonate;
  if (as.user.empty() && (!as.uid.empty() || !as.groups.empty())) {
    return fail(Code::Invalid, "impersonation of a group or uid needs a user as well");
  }
  const auto is_name = [](const std::string& name) {
    return !name.empty() && std::ranges::all_of(name, [](char c) { return c >= 0x20 && c != 0x7F; });
  };
  if ((!as.user.empty() && !is_name(as.user)) || (!as.uid.empty() && !is_name(as.uid)) ||
      !std::ranges::all_of(as.groups, is_name)) {
    return fail(Code::Invalid, "names to impersonate must be printable");
  }
  return {};
}

}  // namespace capstan::kube
