#include "kubeconfig/connect.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "base/try.h"
#include "kube/auth.h"

namespace capstan::kubeconfig {
namespace {

Failure invalid(std::string message) { return fail(Code::Invalid, std::move(message)); }

// Of two entries with one name the first counts, as for kubectl.
template <typename Entry>
const Entry* find_or_null(const std::vector<Entry>& entries, const std::string& name) {
  const auto found = std::ranges::find(entries, name, &Entry::name);
  return found == entries.end() ? nullptr : &*found;
}

template <typename Entry>
std::string names_of(const std::vector<Entry>& entries) {
  std::vector<std::string> names;
  for (const auto& entry : entries) names.push_back("\"" + entry.name + "\"");
  return names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "));
}

Result<std::string> file_of(const std::string& path, const Choice& choice, std::string_view owner,
                            std::string_view field, std::string_view inline_field) {
  if (path.empty()) return std::string();
  if (!choice.allow_files)
    return invalid(fmt::format("{}: {}: files are not allowed here, put the contents inline as {}", owner,
                               field, inline_field));
  const std::filesystem::path given(path);
  return given.is_absolute() ? path : (std::filesystem::path(choice.directory) / given).string();
}

Result<void> take_cluster(const ClusterEntry& cluster, const Choice& choice, kube::Connection& connection) {
  const std::string owner = fmt::format("cluster \"{}\"", cluster.name);
  if (cluster.server.empty()) return invalid(owner + ": server is missing");
  connection.server = cluster.server;
  connection.tls_server_name = cluster.tls_server_name;
  connection.proxy_url = cluster.proxy_url;
  connection.insecure_skip_tls_verify = cluster.insecure_skip_tls_verify;
  connection.ca_pem = cluster.ca_pem;
  if (!cluster.ca_pem.empty()) return {};
  connection.ca_file =
      TRY(file_of(cluster.ca_file, choice, owner, "certificate-authority", "certificate-authority-data"));
  return {};
}

Result<void> take_user(const UserEntry& user, const Choice& choice, kube::Connection& connection) {
  const std::string owner = fmt::format("user \"{}\"", user.name);
  if (!user.unsupported.empty()) {
    return invalid(fmt::format("{}: {} is not supported; use a client certificate or a token", owner,
                               fmt::join(user.unsupported, " and ")));
  }
  connection.certificate_pem = user.certificate_pem;
  if (user.certificate_pem.empty())
    connection.certificate_file =
        TRY(file_of(user.certificate_file, choice, owner, "client-certificate", "client-certificate-data"));
  connection.private_key_pem = user.private_key_pem;
  if (user.private_key_pem.reveal().empty()) {
    connection.private_key_file =
        TRY(file_of(user.private_key_file, choice, owner, "client-key", "client-key-data"));
  }
  connection.token = user.token;
  connection.token_file = TRY(file_of(user.token_file, choice, owner, "tokenFile", "token"));
  connection.impersonate = user.impersonate;
  return {};
}

}  // namespace

Result<kube::Connection> connection(const Kubeconfig& config, const Choice& choice) {
  const std::string& wanted = choice.context.empty() ? config.current_context : choice.context;
  const ContextEntry* context = find_or_null(config.contexts, wanted);
  if (context == nullptr && wanted.empty()) {
    return invalid("kubeconfig: current-context is not set, and there is " + names_of(config.contexts));
  }
  if (context == nullptr) {
    return invalid(
        fmt::format("kubeconfig: no context \"{}\"; there is {}", wanted, names_of(config.contexts)));
  }
  const ClusterEntry* cluster = find_or_null(config.clusters, context->cluster);
  if (cluster == nullptr) {
    return invalid(fmt::format("kubeconfig: context \"{}\" names cluster \"{}\", and there is {}", wanted,
                               context->cluster, names_of(config.clusters)));
  }
  kube::Connection connection;
  if (auto taken = take_cluster(*cluster, choice, connection); !taken)
    return fail(taken.error().context("kubeconfig"));
  const UserEntry* user = find_or_null(config.users, context->user);
  if (user == nullptr && !context->user.empty()) {
    return invalid(fmt::format("kubeconfig: context \"{}\" names user \"{}\", and there is {}", wanted,
                               context->user, names_of(config.users)));
  }
  if (user != nullptr) {
    if (auto taken = take_user(*user, choice, connection); !taken)
      return fail(taken.error().context("kubeconfig"));
  }
  if (auto checked = kube::check(connection); !checked) {
    return fail(checked.error().context(fmt::format("kubeconfig: context \"{}\"", wanted)));
  }
  return connection;
}

Result<kube::Connection> load(const std::string& path, const std::string& context) {
  const std::string text = TRY(kube::read_whole_file(path));
  const auto config = parse(text);
  if (!config) return fail(config.error().context(path));
  auto settings = connection(
      *config, {.context = context, .directory = std::filesystem::path(path).parent_path().string()});
  if (!settings) return fail(settings.error().context(path));
  return settings;
}

}  // namespace capstan::kubeconfig
