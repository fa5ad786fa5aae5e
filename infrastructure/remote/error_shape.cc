#include "infrastructure/remote/error_shape.h"

#include <fmt/format.h>

#include "api/schema/decode.h"
#include "api/schema/validate.h"
#include "infrastructure/remote/messages.h"

namespace capstan::infrastructure::remote {

std::optional<std::string> fault_of_error(const Answer& answer, DriverCode wanted) {
  if (answer.status == kOk) return fmt::format("HTTP {}, which is no error", kOk);
  const auto error = api::decode<ErrorAnswer>(answer.body);
  if (!error) return fmt::format("HTTP {} without a JSON object: {}", answer.status, error.error().message);
  if (const auto causes = api::validate(*error); !causes.empty())
    return causes.front().field + ": " + causes.front().message;
  if (error->message.empty()) return "message: is empty, and people can't say what is wrong";
  if (error->code != to_string(wanted))
    return fmt::format("code: {}, where it is to be {}", error->code.view(), to_string(wanted));
  return std::nullopt;
}

}  // namespace capstan::infrastructure::remote
