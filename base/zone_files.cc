#include "base/zone_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace capstan {
namespace {

constexpr std::string_view kZoneFiles = "/usr/share/zoneinfo/";

// A name is a path below the folder of zones, and leads nowhere else.
bool is_zone_name(std::string_view name) {
  const bool plain = std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '/' ||
           c == '_' || c == '-' || c == '+';
  });
  return plain && !name.empty() && name.front() != '/' && name.back() != '/';
}

std::string bytes_of_zone(std::string_view name) {
  const std::string path = std::string(kZoneFiles).append(name);
  std::error_code missing;
  if (!is_zone_name(name) || !std::filesystem::is_regular_file(path, missing)) return {};
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

}  // namespace

Result<TimeZone> read_time_zone(std::string_view name) {
  if (name == "UTC") return TimeZone();
  const std::string bytes = bytes_of_zone(name);
  if (bytes.empty())
    return fail(Code::NotFound,
                fmt::format("there is no time zone \"{}\" in {}: take a name of the IANA database, "
                            "as \"Europe/Berlin\", or install tzdata",
                            name, kZoneFiles));
  auto zone = TimeZone::parse(bytes);
  if (!zone) return fail(zone.error().context(std::string(kZoneFiles).append(name)));
  return zone;
}

}  // namespace capstan
