#include "infrastructure/controller/user_data.h"

#include "api/bootstrap/placeholders.h"

namespace capstan::infrastructure {

DriverResult<Secret<std::string>> user_data_of(std::string_view name, const Secret<std::string>& user_data) {
  std::string text = user_data.reveal();
  if (api::bootstrap::has(text, api::bootstrap::kTokenPlaceholder))
    return driver_failure(
        DriverCode::InvalidArgument,
        "the user data asks for <<BOOTSTRAP_TOKEN>>, and this provider reaches no workload "
        "cluster to make one: use a CloudConfig with spec.join, or write a token in its place");
  api::bootstrap::fill(text, api::bootstrap::kMachinePlaceholder, name);
  return Secret<std::string>(std::move(text));
}

}  // namespace capstan::infrastructure
