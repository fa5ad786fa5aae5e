#include "net/proxy.h"

#include <gtest/gtest.h>

#include <map>

namespace capstan::net {
namespace {

std::string chosen(std::string_view no_proxy, std::string_view host, std::string_view port = "443") {
  return proxy_for({.https_proxy = "http://proxy:3128", .no_proxy = std::string(no_proxy)}, "https", host,
                   port);
}

void expect_direct(std::string_view no_proxy, std::string_view host, std::string_view port = "443") {
  EXPECT_EQ(chosen(no_proxy, host, port), "") << no_proxy << " " << host;
}

void expect_proxied(std::string_view no_proxy, std::string_view host, std::string_view port = "443") {
  EXPECT_EQ(chosen(no_proxy, host, port), "http://proxy:3128") << no_proxy << " " << host;
}

TEST(Proxy, IsChosenByScheme) {
  const ProxyRules rules{.http_proxy = "http://plain:1", .https_proxy = "secure:2"};

  EXPECT_EQ(proxy_for(rules, "http", "example.com", "80"), "http://plain:1");
  EXPECT_EQ(proxy_for(rules, "https", "example.com", "443"), "http://secure:2");
  EXPECT_EQ(proxy_for({}, "https", "example.com", "443"), "");
}

TEST(Proxy, IsNeverUsedForThisMachine) {
  expect_direct("", "localhost");
  expect_direct("", "127.0.0.5");
  expect_direct("", "::1");
  expect_proxied("", "10.0.0.1");
}

TEST(Proxy, NoProxyDomainMeansItselfAndWhatIsBelow) {
  expect_direct("example.com", "example.com");
  expect_direct("Example.com ", "API.example.com");
  expect_proxied("example.com", "badexample.com");
  expect_proxied("example.com", "example.com.org");
}

TEST(Proxy, NoProxyWithALeadingDotMeansOnlyWhatIsBelow) {
  expect_direct(".example.com", "api.example.com");
  expect_proxied(".example.com", "example.com");
  expect_direct("*.example.com", "api.example.com");
  expect_proxied("*.example.com", "example.com");
}

TEST(Proxy, NoProxyKnowsPorts) {
  expect_direct("example.com:8443", "example.com", "8443");
  expect_proxied("example.com:8443", "example.com", "443");
  expect_direct("10.0.0.1:6443", "10.0.0.1", "6443");
  expect_proxied("10.0.0.1:6443", "10.0.0.1", "443");
}

TEST(Proxy, NoProxyKnowsAddressesAndNetworks) {
  expect_direct("a, 10.0.0.0/8", "10.96.0.1");
  expect_proxied("10.0.0.0/8", "11.0.0.1");
  expect_proxied("10.0.0.0/8", "10.example.com");
  expect_direct("fd00::/8", "fd12::1");
  expect_proxied("fd00::/8", "fe12::1");
  expect_direct("[fd00::1]:6443", "fd00::1", "6443");
  expect_proxied("::/0", "10.0.0.1");
  expect_proxied("10.0.0.0/33", "10.0.0.1");
  expect_proxied("10.0.0.0/x", "10.0.0.1");
}

TEST(Proxy, NoProxyStarMeansNever) { expect_direct("*", "example.com"); }

TEST(Proxy, UpperCaseVariablesWin) {
  const std::map<std::string, std::string> variables = {
      {"HTTPS_PROXY", "upper"}, {"https_proxy", "lower"}, {"no_proxy", "x"}, {"NO_PROXY", ""}};

  const ProxyRules rules = proxy_rules([&](const std::string& name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional(found->second);
  });

  EXPECT_EQ(rules.https_proxy, "upper");
  EXPECT_EQ(rules.no_proxy, "x");
  EXPECT_EQ(rules.http_proxy, "");
}

}  // namespace
}  // namespace capstan::net
