// `capstan-dev provider`: the infrastructure and bootstrap providers with their simulated cloud, beside any
// manager and on any management server. One call from main.
#pragma once

#include <span>

namespace capstan::dev {

int provider_command(std::span<const char* const> words);

}  // namespace capstan::dev
