#include "infrastructure/controller/pool/victims.h"

#include <algorithm>

#include "api/driver/names.h"

namespace capstan::infrastructure::pool {
namespace {

std::string_view without_spaces(std::string_view name) {
  while (name.starts_with(' ')) name.remove_prefix(1);
  while (name.ends_with(' ')) name.remove_suffix(1);
  return name;
}

Names named_in(std::string_view annotation) {
  Names names;
  while (!annotation.empty()) {
    const auto comma = std::min(annotation.find(','), annotation.size());
    const std::string_view name = without_spaces(annotation.substr(0, comma));
    if (!name.empty()) names.emplace(name);
    annotation.remove_prefix(std::min(comma + 1, annotation.size()));
  }
  return names;
}

}  // namespace

Names named_victims(const api::DriverMachinePool& pool) {
  return named_in(pool.metadata.annotations.value_or_empty(api::driver::annotation::kVictims));
}

std::string victims_left(std::string_view annotation, const std::vector<std::string>& gone) {
  std::string left;
  for (const std::string& name : named_in(annotation)) {
    if (std::ranges::find(gone, name) == gone.end()) left += (left.empty() ? "" : ",") + name;
  }
  return left;
}

}  // namespace capstan::infrastructure::pool
