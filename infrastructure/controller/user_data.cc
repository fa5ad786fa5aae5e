#include "infrastructure/controller/user_data.h"

#include <algorithm>
#include <array>

namespace capstan::infrastructure {
namespace {

constexpr std::array<std::string_view, 2> kMachineName = {"<<MACHINE_NAME>>", "%3C%3CMACHINE_NAME%3E%3E"};
constexpr std::array<std::string_view, 2> kToken = {"<<BOOTSTRAP_TOKEN>>", "%3C%3CBOOTSTRAP_TOKEN%3E%3E"};

void replace_all(std::string& text, std::string_view what, std::string_view by) {
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size()))
    text.replace(at, what.size(), by);
}

}  // namespace

// Names of objects look the same URL-encoded.
DriverResult<Secret<std::string>> user_data_of(std::string_view name, const Secret<std::string>& user_data) {
  std::string text = user_data.reveal();
  if (std::ranges::any_of(kToken, [&](std::string_view token) { return text.contains(token); }))
    return driver_failure(
        DriverCode::InvalidArgument,
        "the user data asks for <<BOOTSTRAP_TOKEN>>, and this provider reaches no workload "
        "cluster to make one: use a CloudConfig with spec.join, or write a token in its place");
  for (const std::string_view spelling : kMachineName) replace_all(text, spelling, name);
  return Secret<std::string>(std::move(text));
}

}  // namespace capstan::infrastructure
