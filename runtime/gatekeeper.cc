#include "runtime/gatekeeper.h"

#include <boost/json.hpp>

#include "net/digest.h"

namespace capstan::runtime {
namespace {

namespace json = boost::json;

constexpr auto kKeep = std::chrono::minutes(1);
constexpr auto kPatience = std::chrono::seconds(10);
constexpr std::size_t kMost = 1000;
constexpr std::string_view kBearer = "Bearer ";

net::HttpResponse refusal(int status, std::string why) {
  return {.status = status,
          .headers = {{"Content-Type", "text/plain; charset=utf-8"}},
          .body = std::move(why) + "\n"};
}

const json::value* member(const json::value& document, std::string_view first, std::string_view second) {
  const auto* outer = document.is_object() ? document.as_object().if_contains(first) : nullptr;
  return outer != nullptr && outer->is_object() ? outer->as_object().if_contains(second) : nullptr;
}

bool is_true(const json::value* value) { return value != nullptr && value->is_bool() && value->as_bool(); }

// Remembers answers by the SHA-256 of the token, never the token.
class Book {
 public:
  using Key = std::pair<net::Sha256, std::string>;  // token, verb and path
  struct Entry {
    SteadyTime at = {};
    std::optional<net::HttpResponse> refusal = {};
  };

  std::optional<Entry> find(const Key& key, SteadyTime now) const {
    return entries_.with([&](const auto& entries) -> std::optional<Entry> {
      const auto found = entries.find(key);
      if (found == entries.end() || now - found->second.at > kKeep) return {};
      return found->second;
    });
  }
  void keep(const Key& key, Entry entry) {
    entries_.with([&](auto& entries) {
      if (entries.size() >= kMost) entries.clear();
      entries[key] = std::move(entry);
    });
  }

 private:
  Guarded<std::map<Key, Entry>> entries_;
};

std::optional<net::HttpResponse> judge(kube::Client& client, const Deadline& deadline, std::string_view token,
                                       const std::string& verb, const std::string& path) {
  const auto review = client.post_path("/apis/authentication.k8s.io/v1/tokenreviews",
                                       json::object{{"apiVersion", "authentication.k8s.io/v1"},
                                                    {"kind", "TokenReview"},
                                                    {"spec", json::object{{"token", token}}}},
                                       deadline);
  if (!review) return refusal(500, "Authentication failed");
  if (!is_true(member(*review, "status", "authenticated"))) return refusal(401, "Unauthorized");
  const auto* user = member(*review, "status", "user");
  const json::object who = user != nullptr && user->is_object() ? user->as_object() : json::object{};
  json::object spec{{"nonResourceAttributes", json::object{{"path", path}, {"verb", verb}}}};
  if (const auto* name = who.if_contains("username")) spec["user"] = *name;
  if (const auto* uid = who.if_contains("uid")) spec["uid"] = *uid;
  if (const auto* groups = who.if_contains("groups")) spec["groups"] = *groups;
  const auto access = client.post_path(
      "/apis/authorization.k8s.io/v1/subjectaccessreviews",
      json::object{
          {"apiVersion", "authorization.k8s.io/v1"}, {"kind", "SubjectAccessReview"}, {"spec", spec}},
      deadline);
  if (!access) return refusal(500, "Authorization failed");
  if (is_true(member(*access, "status", "allowed"))) return {};
  const auto* name = who.if_contains("username");
  return refusal(403,
                 "Authorization denied for user " +
                     (name != nullptr && name->is_string() ? std::string(name->as_string()) : "unknown"));
}

}  // namespace

Gatekeeper ask_api_server(kube::Client& client, const Clock& clock) {
  auto book = std::make_shared<Book>();
  return [&client, &clock, book](const net::ServerRequest& request) -> std::optional<net::HttpResponse> {
    const auto header = request.header("Authorization");
    if (!header || !header->starts_with(kBearer)) return refusal(401, "Unauthorized");
    const std::string_view token = header->substr(kBearer.size());
    const std::string path = request.target.substr(0, request.target.find('?'));
    const Book::Key key{net::sha256(token), request.method + " " + path};
    if (const auto known = book->find(key, clock.steady_now())) return known->refusal;
    std::string verb = request.method;
    for (char& c : verb) c = static_cast<char>(c | 0x20);
    auto verdict = judge(client, Deadline::in(clock, kPatience, request.closed), token, verb, path);
    if (!verdict || verdict->status < 500) book->keep(key, {.at = clock.steady_now(), .refusal = verdict});
    return verdict;
  };
}

}  // namespace capstan::runtime
