#include "base/zone_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <string>

#include "base/guarded.h"
#include "base/try.h"

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

using Zones = std::map<std::string, TimeZone, std::less<>>;

Result<TimeZone> read_zone_file(std::string_view name) {
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

}  // namespace

Result<TimeZone> read_time_zone(std::string_view name) {
  // What was read before; a file that is missing or broken is looked for anew.
  static Guarded<Zones> known;
  if (name == "UTC") return TimeZone();
  const auto before = known.with([&](const Zones& zones) {
    const auto found = zones.find(name);
    return found == zones.end() ? std::nullopt : std::optional(found->second);
  });
  if (before) return *before;
  const TimeZone zone = TRY(read_zone_file(name));
  known.with([&](Zones& zones) { zones.emplace(name, zone); });
  return zone;
}

}  // namespace capstan
