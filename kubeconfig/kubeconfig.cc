#include "kubeconfig/kubeconfig.h"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>

#include "base/base64.h"
#include "base/try.h"

namespace capstan::kubeconfig {
namespace {

constexpr std::size_t kLargest = 1U << 20;

Failure invalid(std::string message) { return fail(Code::Invalid, std::move(message)); }

// One mapping of the document, and its place for messages: `users[1] "admin"`.
class Mapping {
 public:
  Mapping(const YAML::Node& node, std::string place) : node_(node), place_(std::move(place)) {}

  static Result<Mapping> of(const YAML::Node& node, std::string place) {
    if (!node.IsDefined() || node.IsNull()) return Mapping(YAML::Node(YAML::NodeType::Map), std::move(place));
    if (!node.IsMap()) return invalid(place + " must be a mapping");
    return Mapping(node, std::move(place));
  }

  const std::string& place() const { return place_; }
  bool has(const char* key) const {
    const YAML::Node value = node_[key];
    return value.IsDefined() && !value.IsNull();
  }
  Result<Mapping> mapping(const char* key) const { return of(node_[key], place_ + "." + key); }

  Result<std::string> text(const char* key) const {
    if (!has(key)) return std::string();
    const YAML::Node value = node_[key];
    if (!value.IsScalar()) return wrong(key, "must be a string");
    return value.Scalar();
  }

  Result<bool> flag(const char* key) const {
    if (!has(key)) return false;
    bool value = false;
    if (!node_[key].IsScalar() || !YAML::convert<bool>::decode(node_[key], value)) {
      return wrong(key, "must be true or false");
    }
    return value;
  }

  Result<std::vector<std::string>> texts(const char* key) const {
    std::vector<std::string> all;
    if (!has(key)) return all;
    if (!node_[key].IsSequence()) return wrong(key, "must be a list");
    for (const YAML::Node& value : node_[key]) {
      if (!value.IsScalar()) return wrong(key, "must be a list of strings");
      all.push_back(value.Scalar());
    }
    return all;
  }

  // Content given in base64.
  Result<std::string> content(const char* key) const {
    const std::string encoded = TRY(text(key));
    auto decoded = base64_decode(encoded);
    if (!decoded) return wrong(key, "no base64");
    return decoded;
  }

  Failure wrong(std::string_view key, std::string_view why) const {
    return invalid(fmt::format("{}: {}: {}", place_, key, why));
  }

 private:
  YAML::Node node_;
  std::string place_;
};

Result<ClusterEntry> read_cluster(const Mapping& entry, std::string name) {
  const Mapping cluster = TRY(entry.mapping("cluster"));
  ClusterEntry read{.name = std::move(name)};
  read.server = TRY(cluster.text("server"));
  read.tls_server_name = TRY(cluster.text("tls-server-name"));
  read.proxy_url = TRY(cluster.text("proxy-url"));
  read.insecure_skip_tls_verify = TRY(cluster.flag("insecure-skip-tls-verify"));
  read.ca_pem = TRY(cluster.content("certificate-authority-data"));
  read.ca_file = TRY(cluster.text("certificate-authority"));
  return read;
}

Result<UserEntry> read_user(const Mapping& entry, std::string name) {
  const Mapping user = TRY(entry.mapping("user"));
  UserEntry read{.name = std::move(name)};
  read.certificate_pem = TRY(user.content("client-certificate-data"));
  read.certificate_file = TRY(user.text("client-certificate"));
  read.private_key_pem = Secret(TRY(user.content("client-key-data")));
  read.private_key_file = TRY(user.text("client-key"));
  read.token = Secret(TRY(user.text("token")));
  read.token_file = TRY(user.text("tokenFile"));
  read.impersonate.user = TRY(user.text("as"));
  read.impersonate.uid = TRY(user.text("as-uid"));
  read.impersonate.groups = TRY(user.texts("as-groups"));
  for (const char* key : {"exec", "auth-provider", "username", "password", "as-user-extra"}) {
    if (user.has(key)) read.unsupported.emplace_back(key);
  }
  return read;
}

Result<ContextEntry> read_context(const Mapping& entry, std::string name) {
  const Mapping context = TRY(entry.mapping("context"));
  ContextEntry read{.name = std::move(name)};
  read.cluster = TRY(context.text("cluster"));
  read.user = TRY(context.text("user"));
  read.namespace_ = TRY(context.text("namespace"));
  return read;
}

// `users: [{name: a, user: {...}}]`, the shape of all three lists.
template <typename Entry>
Result<std::vector<Entry>> read_list(const YAML::Node& root, const char* key,
                                     Result<Entry> (*read)(const Mapping&, std::string name)) {
  std::vector<Entry> entries;
  const YAML::Node list = root[key];
  if (!list.IsDefined() || list.IsNull()) return entries;
  if (!list.IsSequence()) return invalid(fmt::format("{} must be a list", key));
  for (std::size_t i = 0; i < list.size(); ++i) {
    const Mapping entry = TRY(Mapping::of(list[i], fmt::format("{}[{}]", key, i)));
    if (!entry.has("name")) return entry.wrong("name", "is missing");
    std::string name = TRY(entry.text("name"));
    const Mapping named = TRY(Mapping::of(list[i], fmt::format("{} \"{:.80}\"", entry.place(), name)));
    entries.push_back(TRY(read(named, std::move(name))));
  }
  return entries;
}

Result<Kubeconfig> read_document(const YAML::Node& root) {
  if (!root.IsMap()) return invalid("must be a mapping");
  const Mapping top(root, "top level");
  const std::string version = TRY(top.text("apiVersion"));
  const std::string kind = TRY(top.text("kind"));
  if ((!version.empty() && version != "v1") || (!kind.empty() && kind != "Config")) {
    return invalid(fmt::format("is a {:.80} of {:.80}, not a Config of v1", kind, version));
  }
  Kubeconfig config;
  config.clusters = TRY(read_list(root, "clusters", read_cluster));
  config.users = TRY(read_list(root, "users", read_user));
  config.contexts = TRY(read_list(root, "contexts", read_context));
  config.current_context = TRY(top.text("current-context"));
  return config;
}

// --- rendering ---

// Text that every YAML parser reads as just this string when it stands alone.
bool is_plain(std::string_view text) {
  static constexpr std::array<std::string_view, 9> kWords = {"true", "false", "yes", "no", "on",
                                                             "off",  "null",  "y",   "n"};
  if (text.empty() || std::isalpha(static_cast<unsigned char>(text.front())) == 0) return false;
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return std::ranges::find(kWords, lower) == kWords.end() && !text.ends_with(':') &&
         std::ranges::all_of(text, [](char c) {
           return std::isalnum(static_cast<unsigned char>(c)) != 0 || std::string_view("._/:@-").contains(c);
         });
}

class Renderer {
 public:
  void begin_list(const char* name) { out_ << YAML::Key << name << YAML::Value << YAML::BeginSeq; }
  void end_list() { out_ << YAML::EndSeq; }
  void begin_entry(std::string_view name, const char* content) {
    out_ << YAML::BeginMap << YAML::Key << "name" << YAML::Value;
    put_text(name);
    out_ << YAML::Key << content << YAML::Value << YAML::BeginMap;
  }
  void end_entry() { out_ << YAML::EndMap << YAML::EndMap; }
  void begin_map() { out_ << YAML::BeginMap; }
  void end_map() { out_ << YAML::EndMap; }

  void put(const char* key, std::string_view value) {
    if (value.empty()) return;
    out_ << YAML::Key << key << YAML::Value;
    put_text(value);
  }
  void put_content(const char* key, std::string_view content) {
    if (!content.empty()) put(key, base64_encode(content));
  }
  void put_flag(const char* key, bool value) {
    if (value) out_ << YAML::Key << key << YAML::Value << true;
  }
  void put_list(const char* key, const std::vector<std::string>& values) {
    if (values.empty()) return;
    out_ << YAML::Key << key << YAML::Value << YAML::BeginSeq;
    for (const auto& value : values) put_text(value);
    out_ << YAML::EndSeq;
  }
  std::string text() const { return std::string(out_.c_str()) + "\n"; }

 private:
  void put_text(std::string_view value) {
    if (!is_plain(value)) out_ << YAML::DoubleQuoted;
    out_ << std::string(value);
  }
  YAML::Emitter out_;
};

void render_cluster(const ClusterEntry& cluster, Renderer& out) {
  out.begin_entry(cluster.name, "cluster");
  out.put("server", cluster.server);
  out.put_content("certificate-authority-data", cluster.ca_pem);
  out.put("certificate-authority", cluster.ca_file);
  out.put("tls-server-name", cluster.tls_server_name);
  out.put_flag("insecure-skip-tls-verify", cluster.insecure_skip_tls_verify);
  out.put("proxy-url", cluster.proxy_url);
  out.end_entry();
}

void render_user(const UserEntry& user, Renderer& out) {
  out.begin_entry(user.name, "user");
  out.put_content("client-certificate-data", user.certificate_pem);
  out.put("client-certificate", user.certificate_file);
  out.put_content("client-key-data", user.private_key_pem.reveal());
  out.put("client-key", user.private_key_file);
  out.put("token", user.token.reveal());
  out.put("tokenFile", user.token_file);
  out.put("as", user.impersonate.user);
  out.put("as-uid", user.impersonate.uid);
  out.put_list("as-groups", user.impersonate.groups);
  out.end_entry();
}

void render_context(const ContextEntry& context, Renderer& out) {
  out.begin_entry(context.name, "context");
  out.put("cluster", context.cluster);
  out.put("namespace", context.namespace_);
  out.put("user", context.user);
  out.end_entry();
}

}  // namespace

Result<Kubeconfig> parse(std::string_view text) {
  if (text.size() > kLargest) return invalid("kubeconfig: is larger than 1 MB");
  try {
    auto config = read_document(YAML::Load(std::string(text)));
    if (!config) return fail(config.error().context("kubeconfig"));
    return config;
  } catch (const YAML::Exception& wrong) {
    // what() may quote the text; msg does not.
    return invalid(fmt::format("kubeconfig: line {}, column {}: {}", wrong.mark.line + 1,
                               wrong.mark.column + 1, wrong.msg));
  }
}

Result<Secret<std::string>> render(const Kubeconfig& config) {
  for (const auto& user : config.users) {
    if (user.unsupported.empty()) continue;
    return invalid(fmt::format("user \"{}\": {} can't be written", user.name, user.unsupported.front()));
  }
  Renderer out;
  out.begin_map();
  out.put("apiVersion", "v1");
  out.put("kind", "Config");
  out.begin_list("clusters");
  for (const auto& cluster : config.clusters) render_cluster(cluster, out);
  out.end_list();
  out.begin_list("contexts");
  for (const auto& context : config.contexts) render_context(context, out);
  out.end_list();
  out.put("current-context", config.current_context);
  out.begin_list("users");
  for (const auto& user : config.users) render_user(user, out);
  out.end_list();
  out.end_map();
  return Secret(out.text());
}

}  // namespace capstan::kubeconfig
