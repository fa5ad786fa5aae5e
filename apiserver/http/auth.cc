#include "apiserver/http/auth.h"

#include <algorithm>

#include "apiserver/status_error.h"

namespace capstan::apiserver {
namespace {

constexpr std::string_view kBearer = "Bearer ";
constexpr const char* kAuthenticated = "system:authenticated";

User authenticated(User user) {
  if (std::ranges::find(user.groups, kAuthenticated) == user.groups.end())
    user.groups.push_back(kAuthenticated);
  return user;
}

bool fits(const std::string& rule, std::string_view asked) { return rule.empty() || rule == asked; }

}  // namespace

bool DenyRule::matches(const User& asking, const Request& request) const {
  return fits(user, asking.name) && fits(verb, to_string(request.verb)) && fits(group, request.group) &&
         fits(resource, request.resource);
}

Auth::Auth(std::vector<TokenUser> tokens) {
  for (auto& token : tokens) accept(std::move(token));
}

std::optional<User> Auth::who(const net::ServerRequest& request) const {
  if (request.peer)
    return authenticated({.name = request.peer->common_name, .groups = request.peer->organizations});
  const auto header = request.header("Authorization");
  if (!header || !header->starts_with(kBearer)) return {};
  return who_has(header->substr(kBearer.size()));
}

std::optional<User> Auth::who_has(std::string_view token) const {
  return book_.with([&](const Book& book) -> std::optional<User> {
    const auto found = book.tokens.find(token);
    if (found == book.tokens.end()) return {};
    return found->second;
  });
}

std::optional<Response> Auth::refusal(const Request& request) const {
  const bool denied = book_.with([&](const Book& book) {
    return std::ranges::any_of(book.denied,
                               [&](const DenyRule& rule) { return rule.matches(request.user, request); });
  });
  if (!denied) return {};
  std::string why = "User \"" + request.user.name + "\" cannot " + std::string(to_string(request.verb)) +
                    " resource \"" + request.resource + "\" in API group \"" + request.group + "\"";
  why += request.namespace_.empty() ? " at the cluster scope"
                                    : " in the namespace \"" + request.namespace_ + "\"";
  return forbidden({.group = request.group, .plural = request.resource, .name = request.name}, why);
}

void Auth::deny(std::vector<DenyRule> rules) {
  book_.with([&](Book& book) { book.denied = std::move(rules); });
}

void Auth::revoke(std::string_view token) {
  book_.with([&](Book& book) {
    if (const auto found = book.tokens.find(token); found != book.tokens.end()) book.tokens.erase(found);
  });
}

void Auth::accept(TokenUser user) {
  book_.with([&](Book& book) { book.tokens[user.token] = authenticated(std::move(user.user)); });
}

}  // namespace capstan::apiserver
