#include "base/error.h"

namespace capstan {

std::string_view to_string(Code code) {
  switch (code) {
    case Code::NotFound: return "NotFound";
    case Code::AlreadyExists: return "AlreadyExists";
    case Code::Conflict: return "Conflict";
    case Code::Invalid: return "Invalid";
    case Code::Forbidden: return "Forbidden";
    case Code::Unauthorized: return "Unauthorized";
    case Code::RateLimited: return "RateLimited";
    case Code::Timeout: return "Timeout";
    case Code::Unavailable: return "Unavailable";
    case Code::NotConnected: return "NotConnected";
    case Code::Gone: return "Gone";
    case Code::Cancelled: return "Cancelled";
    case Code::Exhausted: return "Exhausted";
    case Code::Internal: return "Internal";
  }
  return "Internal";
}

bool is_transient(Code code) {
  switch (code) {
    case Code::Conflict:
    case Code::RateLimited:
    case Code::Timeout:
    case Code::Unavailable:
    case Code::NotConnected:
    case Code::Gone:
    case Code::Exhausted: return true;
    case Code::NotFound:
    case Code::AlreadyExists:
    case Code::Invalid:
    case Code::Forbidden:
    case Code::Unauthorized:
    case Code::Cancelled:
    case Code::Internal: return false;
  }
  return false;
}

Error Error::context(std::string_view why) const {
  Error wider = *this;
  wider.message = std::string(why) + ": " + message;
  return wider;
}

std::string Error::describe() const {
  std::string text = std::string(to_string(code)) + ": " + message;
  if (causes.empty()) return text;
  text += " (";
  for (std::size_t i = 0; i < causes.size(); ++i) {
    if (i > 0) text += "; ";
    text += causes[i].field + ": " + causes[i].message;
  }
  return text + ")";
}

}  // namespace capstan
