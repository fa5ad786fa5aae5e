#include "api/conditions/limits.h"

#include <string>
#include <string_view>

namespace capstan::api::conditions {
namespace {

constexpr std::string_view kCut = "...";

bool continues_a_character(char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U; }

}  // namespace

void cut(FreeText& message, std::size_t limit) {
  const std::string_view whole = message.view();
  if (whole.size() <= limit) return;
  std::size_t end = limit - kCut.size();
  while (end > 0 && continues_a_character(whole[end])) --end;
  message = FreeText(std::string(whole.substr(0, end)).append(kCut));
}

}  // namespace capstan::api::conditions
