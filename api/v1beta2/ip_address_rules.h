// What the schemas of IPAddress and IPAddressClaim can't say (see rules.h); they have no defaults. Pure
// functions.
#pragma once

#include "api/v1beta2/ip_address_claim.h"
#include "api/v1beta2/rules.h"

namespace capstan::api {

Causes validate(const IpAddress& now, const IpAddress* before, const Gates& gates = {});
Causes validate(const IpAddressClaim& now, const IpAddressClaim* before, const Gates& gates = {});

namespace rules {
// An address comes from the pool that its claim asks.
void check_pool_of_claim(const IpAddress& address, const ContractRef& asked, Causes& causes);
}  // namespace rules

}  // namespace capstan::api
