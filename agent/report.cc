#include "agent/report.h"

#include "api/bootstrap/names.h"

namespace capstan::agent {
namespace {

constexpr std::size_t kLongestError = 512;  // of an error in NodeConfig.status

// Cut before a character that does not fit, never inside one.
std::string bounded(std::string text) {
  if (text.size() <= kLongestError) return text;
  std::size_t end = kLongestError;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0U) == 0x80U) --end;
  return text.substr(0, end);
}

std::optional<std::string> error_text(const std::vector<std::string>& errors) {
  std::string text;
  for (const std::string& error : errors) text += (text.empty() ? "" : "; ") + error;
  if (text.empty()) return {};
  return bounded(std::move(text));
}

std::optional<std::string> value_of(const Annotations& there, std::string_view key) {
  const auto found = there.find(key);
  return found == there.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace

AnnotationChanges report(const Annotations& there, std::string_view applied,
                         const std::vector<std::string>& errors) {
  using api::bootstrap::annotation::kApplied;
  using api::bootstrap::annotation::kApplyError;
  AnnotationChanges changes;
  if (!applied.empty() && value_of(there, kApplied) != applied)
    changes[std::string(kApplied)] = std::string(applied);
  const auto error = error_text(errors);
  if (value_of(there, kApplyError) != error) changes[std::string(kApplyError)] = error;
  return changes;
}

}  // namespace capstan::agent
