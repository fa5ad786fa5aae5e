#include <httplib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <fstream>
#include <thread>

#include "base/threads.h"
#include "test/conformance/script.h"

namespace capstan::conformance {
namespace {

// Splits "a.b[2].\"x.y/z\"" into its steps.
std::vector<std::string> steps_of(std::string_view path) {
  std::vector<std::string> steps;
  std::string step;
  bool quoted = false;
  bool escaped = false;
  for (const char c : path) {
    if (escaped) {
      step += c;
      escaped = false;
    } else if (c == '\\') {
      escaped = true;
    } else if (c == '"') {
      quoted = !quoted;
    } else if (!quoted && (c == '.' || c == '[')) {
      if (!step.empty()) steps.push_back(std::exchange(step, {}));
    } else if (!quoted && c == ']') {
      steps.push_back(std::exchange(step, {}));
    } else {
      step += c;
    }
  }
  if (!step.empty()) steps.push_back(step);
  return steps;
}

json::value child_of(const json::value& value, const std::string& step) {
  if (const auto* object = value.if_object()) {
    const auto* found = object->if_contains(step);
    return found ? *found : json::value(nullptr);
  }
  if (const auto* array = value.if_array()) {
    const std::size_t index = static_cast<std::size_t>(std::strtoul(step.c_str(), nullptr, 10));
    return index < array->size() ? (*array)[index] : json::value(nullptr);
  }
  return nullptr;
}

// Cuts a stream of bytes into JSON documents, one a line.
class Lines {
 public:
  void feed(const char* data, std::size_t size) {
    rest_.append(data, size);
    for (std::size_t end = rest_.find('\n'); end != std::string::npos; end = rest_.find('\n')) {
      if (end > 0) events.push_back(parse(rest_.substr(0, end)));
      rest_.erase(0, end + 1);
    }
  }
  std::vector<json::value> events;

 private:
  std::string rest_;
};

std::string shell_quoted(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

}  // namespace

json::value at(const json::value& document, std::string_view path) {
  json::value here = document;
  for (const auto& step : steps_of(path)) here = child_of(here, step);
  return here;
}

json::value parse(std::string_view text) {
  boost::system::error_code failed;
  json::parse_options options;
  options.max_depth = 128;
  json::value value = json::parse(text, failed, {}, options);
  return failed ? json::value(nullptr) : value;
}

bool is(const json::value& value, std::string_view text) {
  return value.is_string() && std::string_view(value.as_string()) == text;
}

class Session::Connection {
 public:
  explicit Connection(const Server& server)
      : client_(server.host, server.port, server.certificate_path, server.key_path) {
    configure(client_, server);
  }

  static void configure(httplib::SSLClient& client, const Server& server) {
    client.set_ca_cert_path(server.ca_path);
    client.enable_server_certificate_verification(true);
    client.set_keep_alive(true);
    client.set_tcp_nodelay(true);
    client.set_read_timeout(30, 0);
    if (!server.token.empty()) client.set_bearer_token_auth(server.token);
  }

  httplib::SSLClient& client() { return client_; }

 private:
  httplib::SSLClient client_;
};

Session::Session(const Server& server, std::string ns)
    : server_(server), namespace_(std::move(ns)), connection_(std::make_shared<Connection>(server)) {}

Reply Session::send(std::string_view method, const std::string& path, std::string_view body,
                    std::string_view content_type, const std::multimap<std::string, std::string>& headers) {
  httplib::Request request;
  request.method = method;
  request.path = path;
  request.body = body;
  if (!body.empty()) request.set_header("Content-Type", std::string(content_type));
  if (!headers.contains("Accept")) request.set_header("Accept", "application/json");
  for (const auto& [key, value] : headers) request.set_header(key, value);
  const auto result = connection_->client().send(request);
  if (!result)
    throw Broken(std::string(method) + " " + path + ": no answer: " + httplib::to_string(result.error()));
  Reply reply{.status = result->status, .text = result->body, .body = parse(result->body)};
  for (const auto& [key, value] : result->headers) reply.headers.emplace(key, value);
  return reply;
}

Reply Session::apply(const std::string& path, std::string_view manager, std::string_view body,
                     std::string_view options) {
  std::string target = path + "?fieldManager=" + std::string(manager);
  if (!options.empty()) target += "&" + std::string(options);
  return send("PATCH", target, body, "application/apply-patch+yaml");
}

std::vector<json::value> Session::watch(const std::string& path_and_query, std::size_t count,
                                        int timeout_seconds) {
  return watch_while(path_and_query, count, [] {}, timeout_seconds);
}

std::vector<json::value> Session::watch_while(const std::string& path_and_query, std::size_t count,
                                              const std::function<void()>& act, int timeout_seconds) {
  const char joiner = path_and_query.find('?') == std::string::npos ? '?' : '&';
  const std::string target =
      path_and_query + joiner + "watch=true&timeoutSeconds=" + std::to_string(timeout_seconds);
  httplib::SSLClient client(server_.host, server_.port);
  Connection::configure(client, server_);
  Lines lines;
  std::atomic<bool> answered = false;
  std::atomic<bool> ended = false;
  std::thread actor([&] {
    while (!answered && !ended) std::this_thread::yield();
    act();
  });
  const auto result = client.Get(
      target, httplib::Headers{{"Accept", "application/json"}},
      [&](const httplib::Response& response) {
        answered = true;
        if (response.status != 200) lines.events.push_back(json::object{{"httpStatus", response.status}});
        return true;
      },
      [&](const char* data, std::size_t size) {
        lines.feed(data, size);
        return lines.events.size() < count;
      });
  ended = true;
  actor.join();
  return lines.events;
}

std::string Session::core(std::string_view plural, std::string_view name) const {
  return "/api/v1/namespaces/" + namespace_ + "/" + std::string(plural) +
         (name.empty() ? "" : "/" + std::string(name));
}

std::string Session::group(std::string_view group_version, std::string_view plural,
                           std::string_view name) const {
  return "/apis/" + std::string(group_version) + "/namespaces/" + namespace_ + "/" + std::string(plural) +
         (name.empty() ? "" : "/" + std::string(name));
}

std::string Session::widgets(std::string_view name) const {
  return group("conformance.capstan.dev/v1", "widgets", name);
}

json::value Session::made(const std::string& collection, const json::value& object) {
  const Reply reply = post(collection, object);
  expect_status(reply, 201);
  return reply.body;
}

json::value Session::made_config_map(std::string_view name, std::string_view extra_metadata) {
  std::string text =
      R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":")" + std::string(name) + "\"";
  if (!extra_metadata.empty()) text += "," + std::string(extra_metadata);
  return made(core("configmaps"), parse(text + R"(},"data":{"k":"v"}})"));
}

json::value Session::made_widget(std::string_view name, std::string_view spec) {
  return made(widgets(),
              parse(R"({"apiVersion":"conformance.capstan.dev/v1","kind":"Widget","metadata":{"name":")" +
                    std::string(name) + R"("},"spec":)" + std::string(spec) + "}"));
}

Session::Run Session::kubectl(const std::string& arguments, std::string_view standard_input) {
  char input_path[] = "/tmp/capstan-conformance-XXXXXX";
  const int input = mkstemp(input_path);
  expect(input >= 0, "a temporary file for kubectl's input can be made");
  std::ofstream(input_path) << standard_input;
  close(input);
  const std::string command = "timeout 60 " + shell_quoted(server_.kubectl_path) + " --kubeconfig " +
                              shell_quoted(server_.kubeconfig_path) + " -n " + namespace_ + " " + arguments +
                              " < " + input_path + " 2>&1";
  Run run;
  FILE* pipe = popen(command.c_str(), "r");
  expect(pipe != nullptr, "kubectl can be started");
  char buffer[4096];
  for (std::size_t n = fread(buffer, 1, sizeof buffer, pipe); n > 0;
       n = fread(buffer, 1, sizeof buffer, pipe))
    run.out.append(buffer, n);
  const int status = pclose(pipe);
  run.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 255;
  unlink(input_path);
  return run;
}

void Session::expect(bool holds, const std::string& promise) const {
  if (!holds) throw Failed("expected: " + promise);
}

void Session::expect_status(const Reply& reply, int status) const {
  if (reply.status != status)
    throw Failed("expected HTTP " + std::to_string(status) + ", got " + std::to_string(reply.status) + ": " +
                 reply.text.substr(0, 600));
}

void Session::expect_equal(const json::value& document, std::string_view path,
                           const json::value& wanted) const {
  const json::value found = at(document, path);
  if (found != wanted)
    throw Failed("expected " + std::string(path) + " = " + json::serialize(wanted) + ", got " +
                 json::serialize(found));
}

void Session::expect_absent(const json::value& document, std::string_view path) const {
  const json::value found = at(document, path);
  if (!found.is_null()) throw Failed("expected no " + std::string(path) + ", got " + json::serialize(found));
}

void Session::expect_present(const json::value& document, std::string_view path) const {
  if (at(document, path).is_null())
    throw Failed("expected " + std::string(path) + " in " + json::serialize(document).substr(0, 600));
}

void Session::expect_contains(std::string_view text, std::string_view part) const {
  if (text.find(part) == std::string_view::npos)
    throw Failed("expected \"" + std::string(part) + "\" in: " + std::string(text.substr(0, 800)));
}

void Session::expect_refused(const Reply& reply, int status, std::string_view reason,
                             std::string_view message_part) const {
  expect_status(reply, status);
  expect_equal(reply.body, "kind", "Status");
  expect_equal(reply.body, "apiVersion", "v1");
  expect_equal(reply.body, "status", "Failure");
  expect_equal(reply.body, "code", status);
  if (!reason.empty()) expect_equal(reply.body, "reason", reason);
  const json::value message = at(reply.body, "message");
  if (!message_part.empty()) expect_contains(message.is_string() ? message.as_string() : "", message_part);
}

void Session::eventually(const std::string& promise, const std::function<bool()>& holds,
                         std::chrono::seconds limit) const {
  const SystemClock clock;
  SystemThreads threads;
  const Deadline deadline = Deadline::in(clock, limit);
  while (!holds()) {
    if (deadline.passed(clock.steady_now()))
      throw Failed("expected within " + std::to_string(limit.count()) + " s: " + promise);
    threads.pause(Deadline::in(clock, std::chrono::milliseconds(20)));
  }
}

}  // namespace capstan::conformance
