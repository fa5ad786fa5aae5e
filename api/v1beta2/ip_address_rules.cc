#include "api/v1beta2/ip_address_rules.h"

#include <fmt/core.h>

#include <boost/json.hpp>

#include "api/schema/encode.h"
#include "api/schema/validate.h"
#include "api/v1beta2/syntax.h"

namespace capstan::api {
namespace {

constexpr std::int32_t kBitsOfIpv4 = 32;
constexpr std::int32_t kBitsOfIpv6 = 128;

// Empty when there is nothing to complain about.
std::string_view prefix_fault(const IpAddressSpec& spec) {
  if (spec.prefix < 0) return "prefix cannot be negative";
  if (is_ipv4(spec.address))
    return spec.prefix > kBitsOfIpv4 ? "prefix is too large for an IPv4 address" : "";
  return is_ip(spec.address) && spec.prefix > kBitsOfIpv6 ? "prefix is too large for an IPv6 address" : "";
}

void check_address(std::string_view at, const Text& address, Causes& causes) {
  if (!is_ip(address)) causes.push_back(field_invalid(at, quoted(address), "not a valid IP address"));
}

}  // namespace

Causes validate(const IpAddress& now, const IpAddress* before, const Gates& /*gates*/) {
  if (before != nullptr) {
    if (now.spec == before->spec) return {};
    return {field_forbidden("spec", "IPAddress spec is immutable")};
  }
  Causes causes;
  check_address("spec.address", now.spec.address, causes);
  if (const auto fault = prefix_fault(now.spec); !fault.empty())
    causes.push_back(field_invalid("spec.prefix", fmt::format("{}", now.spec.prefix), fault));
  if (!now.spec.gateway.empty()) check_address("spec.gateway", now.spec.gateway, causes);
  return causes;
}

Causes validate(const IpAddressClaim& now, const IpAddressClaim* before, const Gates& /*gates*/) {
  if (before == nullptr || now.spec == before->spec) return {};
  return {field_forbidden("spec", "IPAddressClaim spec is immutable")};
}

void rules::check_pool_of_claim(const IpAddress& address, const ContractRef& asked, Causes& causes) {
  const ContractRef& pool = address.spec.pool_ref;
  if (pool.api_group == asked.api_group && pool.kind == asked.kind && pool.name == asked.name) return;
  causes.push_back(field_invalid(
      "spec.poolRef", boost::json::serialize(to_json(pool)),
      "the referenced pool is different from the pool referenced by the claim this address should fulfill"));
}

}  // namespace capstan::api
