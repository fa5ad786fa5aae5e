// The vocabulary of the conformance scripts: one Session is one script running against one server, in a
// namespace of its own, through an HTTP client that shares no code with the server under test (cpp-httplib).
// A failed expectation ends the script with a sentence. One thread per session.
#pragma once

#include <boost/json.hpp>
#include <chrono>
#include <concepts>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace capstan::conformance {

namespace json = boost::json;

// A server to be questioned. Both kinds are reached in exactly the same way.
struct Server {
  std::string name = {};
  std::string host = "127.0.0.1";
  int port = 0;
  std::string ca_path = {};
  std::string token = {};
  std::string certificate_path = {};  // shown to the server, with its key, when not empty
  std::string key_path = {};
  std::string kubeconfig_path = {};
  std::string kubectl_path = {};  // empty: scripts that drive kubectl can't run
};

struct Reply {
  int status = 0;
  std::multimap<std::string, std::string> headers = {};
  std::string text = {};
  json::value body = nullptr;  // null when the text is no JSON
};

// A promise that the server did not keep.
struct Failed : std::runtime_error {
  using std::runtime_error::runtime_error;
};
// A script that could not ask: the server is gone, a tool is missing.
struct Broken : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// The value at "spec.items[0].name"; null when any step is missing. A step with dots stands in quotes:
// metadata.labels."a.b/c".
json::value at(const json::value& document, std::string_view path);
json::value parse(std::string_view text);
// Is the value this string?
bool is(const json::value& value, std::string_view text);

class Session {
 public:
  Session(const Server& server, std::string ns);

  const std::string& ns() const { return namespace_; }
  const Server& server() const { return server_; }

  Reply send(std::string_view method, const std::string& path, std::string_view body = {},
             std::string_view content_type = "application/json",
             const std::multimap<std::string, std::string>& headers = {});
  Reply get(const std::string& path) { return send("GET", path); }
  Reply post(const std::string& path, const json::value& body) {
    return send("POST", path, json::serialize(body));
  }
  Reply put(const std::string& path, const json::value& body) {
    return send("PUT", path, json::serialize(body));
  }
  Reply merge(const std::string& path, std::string_view body) {
    return send("PATCH", path, body, "application/merge-patch+json");
  }
  Reply json_patch(const std::string& path, std::string_view body) {
    return send("PATCH", path, body, "application/json-patch+json");
  }
  Reply strategic(const std::string& path, std::string_view body) {
    return send("PATCH", path, body, "application/strategic-merge-patch+json");
  }
  // Server-side apply; options: "force=true", "dryRun=All".
  Reply apply(const std::string& path, std::string_view manager, std::string_view body,
              std::string_view options = {});
  Reply remove(const std::string& path, std::string_view options = {}) {
    return send("DELETE", path, options);
  }

  // Events of a watch until `count` of them have come or the server's `timeoutSeconds` ends it.
  std::vector<json::value> watch(const std::string& path_and_query, std::size_t count,
                                 int timeout_seconds = 5);
  // The same, with `act` running once the watch has been answered with its first bytes or headers.
  std::vector<json::value> watch_while(const std::string& path_and_query, std::size_t count,
                                       const std::function<void()>& act, int timeout_seconds = 5);

  // Paths. A core collection in the session's namespace, and the two test kinds (see widgets.cc).
  std::string core(std::string_view plural, std::string_view name = {}) const;
  std::string widgets(std::string_view name = {}) const;
  std::string group(std::string_view group_version, std::string_view plural,
                    std::string_view name = {}) const;

  // Creates and expects 201; the created object.
  json::value made(const std::string& collection, const json::value& object);
  json::value made_config_map(std::string_view name, std::string_view extra_metadata = {});
  json::value made_widget(std::string_view name, std::string_view spec = R"({"replicas":1})");

  // kubectl with the session's namespace; output is stdout and stderr together.
  struct Run {
    int exit_code = 0;
    std::string out = {};
  };
  Run kubectl(const std::string& arguments, std::string_view standard_input = {});

  // Expectations.
  void expect(bool holds, const std::string& promise) const;
  void expect_status(const Reply& reply, int status) const;
  void expect_equal(const json::value& document, std::string_view path, const json::value& wanted) const;
  template <std::convertible_to<std::string_view> Text>
  void expect_equal(const json::value& document, std::string_view path, const Text& wanted) const {
    const std::string_view text = wanted;
    expect_equal(document, path, json::value(json::string(text.data(), text.size())));
  }
  void expect_absent(const json::value& document, std::string_view path) const;
  void expect_present(const json::value& document, std::string_view path) const;
  void expect_contains(std::string_view text, std::string_view part) const;
  // A failed request: HTTP status, Status.reason and a part of the message.
  void expect_refused(const Reply& reply, int status, std::string_view reason,
                      std::string_view message_part = {}) const;
  // Polls `holds` until it is true; a server's background work (garbage collection, disruption) needs a
  // moment.
  void eventually(const std::string& promise, const std::function<bool()>& holds,
                  std::chrono::seconds limit) const;

 private:
  class Connection;
  const Server& server_;
  std::string namespace_;
  std::shared_ptr<Connection> connection_;
};

enum class Needs { Nothing, Kubectl, RealServerOnly };

struct Script {
  const char* name;  // "topic: what is promised"
  void (*run)(Session&);
  Needs needs = Needs::Nothing;
};

// One function per topic file, in reading order.
std::span<const Script> create_scripts();
std::span<const Script> read_scripts();
std::span<const Script> list_scripts();
std::span<const Script> watch_scripts();
std::span<const Script> update_scripts();
std::span<const Script> patch_scripts();
std::span<const Script> apply_scripts();
std::span<const Script> status_scripts();
std::span<const Script> delete_scripts();
std::span<const Script> owner_scripts();
std::span<const Script> schema_scripts();
std::span<const Script> eviction_scripts();
std::span<const Script> access_scripts();
std::span<const Script> discovery_scripts();
std::span<const Script> table_scripts();
std::span<const Script> webhook_scripts();
std::span<const Script> kind_scripts();
std::span<const Script> kubectl_scripts();

std::vector<Script> all_scripts();

// What every server gets before the scripts run: the CRDs the scripts talk about (ours among them).
// Idempotent.
void install_kinds(const Server& server, const std::string& crd_folder);

struct Outcome {
  std::string script = {};
  bool passed = false;
  bool broke = false;  // it failed, and no promise is to blame
  std::string why = {};
};

// Runs scripts one after another; each gets a fresh namespace.
std::vector<Outcome> run_scripts(const Server& server, std::span<const Script> scripts);

}  // namespace capstan::conformance
