#include "api/conditions/limits.h"

#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "api/names.h"

namespace capstan::api::conditions {
namespace {

constexpr std::string_view kCut = "...";

constexpr std::size_t kMaxReason = 1024;
constexpr std::size_t kMaxV1Beta1Reason = 256;
constexpr std::size_t kMaxV1Beta1Severity = 32;
constexpr std::size_t kShown = 64;  // of a value that is not taken

bool continues_a_character(char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U; }

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

bool is_status(std::string_view text) {
  return text == status::kTrue || text == status::kFalse || text == status::kUnknown;
}

// Letters, digits, '_', ',' and ':', beginning with a letter and not ending with ',' or ':'.
bool is_reason(std::string_view text) {
  const auto inside = [](char c) {
    return is_letter(c) || (c >= '0' && c <= '9') || c == '_' || c == ',' || c == ':';
  };
  return !text.empty() && text.size() <= kMaxReason && is_letter(text.front()) &&
         std::ranges::all_of(text, inside) && text.back() != ',' && text.back() != ':';
}

std::string shown(std::string_view value) {
  FreeText text{value};
  cut(text, kShown);
  return text.str();
}

// Room for the lines is made in what was there.
void add_lines(FreeText& message, const std::string& lines, std::size_t limit) {
  if (lines.empty()) return cut(message, limit);
  cut(message, limit - lines.size() - 1);
  message = FreeText(message.empty() ? lines : fmt::format("{}\n{}", message.view(), lines));
}

std::string status_line(std::string_view found) {
  return fmt::format("* status must be True, False or Unknown, not \"{}\"", shown(found));
}

}  // namespace

void make_acceptable(Condition& wanted) {
  std::string lines;
  if (!is_status(wanted.status)) {
    lines = status_line(wanted.status);
    wanted.status = Text(status::kUnknown);
  }
  if (!is_reason(wanted.reason)) {
    if (!wanted.reason.empty()) {
      lines += fmt::format("{}* reason \"{}\" is not a CamelCase word", lines.empty() ? "" : "\n",
                           shown(wanted.reason));
    }
    wanted.reason = Text(reason::kNoReasonReported);
  }
  add_lines(wanted.message, lines, kMaxMessage);
}

void make_acceptable(V1Beta1Condition& wanted) {
  std::string lines;
  if (!is_status(wanted.status)) {
    lines = status_line(wanted.status);
    wanted.status = Text(status::kUnknown);
  }
  if (wanted.reason.view().size() > kMaxV1Beta1Reason) wanted.reason = Text(reason::kNoReasonReported);
  if (wanted.severity.view().size() > kMaxV1Beta1Severity) wanted.severity = {};
  add_lines(wanted.message, lines, kMaxV1Beta1Message);
}

void cut(FreeText& message, std::size_t limit) {
  const std::string_view whole = message.view();
  if (whole.size() <= limit) return;
  std::size_t end = limit - kCut.size();
  while (end > 0 && continues_a_character(whole[end])) --end;
  message = FreeText(std::string(whole.substr(0, end)).append(kCut));
}

}  // namespace capstan::api::conditions
