#include "agent/wanted.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "agent/checksum.h"
#include "agent/owners.h"
#include "agent/paths.h"
#include "agent/places.h"
#include "api/bootstrap/node_config.h"
#include "api/schema/decode.h"
#include "api/schema/validate.h"
#include "base/try.h"

namespace capstan::agent {
namespace {

constexpr unsigned kUsualMode = 0644;
constexpr unsigned kConfigurationMode = 0600;
constexpr std::int64_t kUsualDelay = 300;
constexpr std::array<std::string_view, 6> kUnitTypes = {".service", ".socket", ".timer",
                                                        ".path",    ".mount",  ".target"};

std::string or_else(const Text& given, std::string_view usual) {
  return given.empty() ? std::string(usual) : given.str();
}

std::set<std::string> units_of(const api::NodeConfigSpec& spec, std::string_view path) {
  std::set<std::string> units;
  for (const api::NodeConfigUnit& unit : spec.units)
    for (const Text& watched : unit.file_paths)
      if (watched == path) units.insert(unit.name.str());
  return units;
}

unsigned mode_of(const Text& permissions) {
  unsigned mode = kUsualMode;
  const std::string_view digits = permissions;
  std::from_chars(digits.begin(), digits.end(), mode, 8);
  return mode;
}

WantedFile file_with(std::string path, std::string content, const Mark& mark) {
  std::string checksum = checksum_of(content);
  return {
      .path = std::move(path), .content = std::move(content), .checksum = std::move(checksum), .mark = mark};
}

Result<WantedFile> plain_file(const api::CloudConfigFile& file, const MachineFacts& machine) {
  auto owner = owner_of(file.owner, machine);
  if (!owner) return fail(owner.error().context(file.path));
  owner->mode = mode_of(file.permissions);
  return file_with(file.path.str(), file.content.str(), *owner);
}

WantedFile unit_file(const api::NodeConfigUnit& unit, Mark owner) {
  owner.mode = kUsualMode;
  return file_with(std::string(kUnitFolder) + unit.name.str(), unit.content.str(), owner);
}

WantedFile kubelet_configuration(const api::NodeConfigKubelet& kubelet, Mark owner) {
  owner.mode = kConfigurationMode;
  WantedFile file = file_with(or_else(kubelet.configuration_path, kKubeletConfiguration),
                              std::string(kubelet.configuration.text()) + "\n", owner);
  file.kept = true;
  return file;
}

Result<std::vector<WantedFile>> files_of(const api::NodeConfigSpec& spec, const MachineFacts& machine) {
  std::vector<WantedFile> files;
  for (const api::CloudConfigFile& file : spec.files) files.push_back(TRY(plain_file(file, machine)));
  for (const api::NodeConfigUnit& unit : spec.units)
    if (!unit.content.empty()) files.push_back(unit_file(unit, machine.own));
  if (!spec.kubelet.configuration.empty()) files.push_back(kubelet_configuration(spec.kubelet, machine.own));
  return files;
}

void name_units(const api::NodeConfigSpec& spec, const std::string& kubelet, std::vector<WantedFile>& files) {
  for (WantedFile& file : files) {
    file.units = units_of(spec, file.path);
    if (const auto own = unit_of(file.path)) file.units.insert(*own);
    if (file.kept) file.units.insert(kubelet);
  }
}

// The entry of the Machine's version, which may lead to a later patch; else that of the version that runs.
const api::KubeletBinary* binary_of(const api::NodeConfigKubelet& kubelet, const MachineFacts& machine) {
  for (const std::string& version : {machine.version, machine.running_version})
    for (const api::KubeletBinary& binary : kubelet.binaries)
      if (!version.empty() && binary.version == version) return &binary;
  return nullptr;
}

std::optional<WantedProgram> program_of(const api::NodeConfigKubelet& kubelet, const MachineFacts& machine) {
  const api::KubeletBinary* binary = binary_of(kubelet, machine);
  if (binary == nullptr) return {};
  return WantedProgram{.version = binary->version.str(),
                       .path = or_else(kubelet.binary_path, kKubeletBinary),
                       .url = binary->url.str(),
                       .checksum = binary->sha256.str()};
}

KubeletPlaces places_of(const api::NodeConfigKubelet& kubelet) {
  return {.unit = or_else(kubelet.unit, kKubeletUnit),
          .kubeconfig = or_else(kubelet.kubeconfig_path, kKubeletKubeconfig),
          .bootstrap_kubeconfig = or_else(kubelet.bootstrap_kubeconfig_path, kBootstrapKubeconfig)};
}

Result<void> check_path(std::string_view path, std::set<std::string, std::less<>>& taken) {
  if (const auto why = why_refused(path)) return fail(Code::Invalid, fmt::format("path {:?} {}", path, *why));
  if (!taken.emplace(path).second) return fail(Code::Invalid, fmt::format("path {:?} is named twice", path));
  return {};
}

Result<void> check_unit(const std::string& name) {
  if (unit_name(name) == name) return {};
  return fail(Code::Invalid, fmt::format("{:?} is no name of a unit", name));
}

Result<void> check(const Wanted& wanted) {
  std::set<std::string, std::less<>> taken;
  TRY(check_path(wanted.places.kubeconfig, taken));
  TRY(check_path(wanted.places.bootstrap_kubeconfig, taken));
  if (wanted.kubelet) TRY(check_path(wanted.kubelet->path, taken));
  for (const WantedFile& file : wanted.files) TRY(check_path(file.path, taken));
  TRY(check_unit(wanted.places.unit));
  for (const WantedUnit& unit : wanted.units) TRY(check_unit(unit.name));
  return {};
}

// The schema's rules: a Secret may be written by other hands than the provider's.
Result<api::NodeConfigSpec> decoded(std::string_view text) {
  auto spec = TRY(api::decode<api::NodeConfigSpec>(text));
  const auto causes = api::validate(spec);
  if (causes.empty()) return spec;
  return fail(Code::Invalid, causes.front().field + ": " + causes.front().message);
}

bool may_stand_in_a_unit_name(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
         std::string_view(":_.@-").contains(c);
}

}  // namespace

KubeletPlaces usual_places() { return places_of({}); }

bool Wanted::runs(std::string_view unit) const {
  const auto found = std::ranges::find(units, unit, &WantedUnit::name);
  return found == units.end() ? unit == places.unit : found->enabled;
}

Result<Wanted> read_wanted(std::string_view text, const MachineFacts& machine) {
  const api::NodeConfigSpec spec = TRY(decoded(text));
  Wanted wanted{.checksum = checksum_of(text),
                .files = TRY(files_of(spec, machine)),
                .kubelet = program_of(spec.kubelet, machine),
                .places = places_of(spec.kubelet),
                .max_delay_seconds = spec.apply.max_delay_seconds.value_or(kUsualDelay)};
  name_units(spec, wanted.places.unit, wanted.files);
  for (const api::NodeConfigUnit& unit : spec.units)
    wanted.units.push_back({.name = unit.name.str(), .enabled = unit.enabled.value_or(true)});
  TRY(check(wanted));
  return wanted;
}

bool is_of_systemd(std::string_view path) {
  constexpr std::array<std::string_view, 3> kFolders = {"/etc/systemd/", "/usr/lib/systemd/",
                                                        "/usr/local/lib/systemd/"};
  return std::ranges::any_of(kFolders, [&](std::string_view folder) { return path.starts_with(folder); });
}

std::optional<std::string> unit_of(std::string_view path) {
  if (!path.starts_with(kUnitFolder)) return {};
  const std::string_view name = path.substr(kUnitFolder.size());
  if (name.contains('/') || unit_name(name) != name) return {};
  return std::string(name);
}

std::optional<std::string> unit_name(std::string_view word) {
  constexpr std::size_t kLongestUnitName = 255;
  if (word.empty() || word.size() > kLongestUnitName || word.starts_with('-') || word.starts_with('.'))
    return {};
  if (!std::ranges::all_of(word, may_stand_in_a_unit_name)) return {};
  const bool typed =
      std::ranges::any_of(kUnitTypes, [&](std::string_view type) { return word.ends_with(type); });
  return std::string(word) + (typed ? "" : ".service");
}

}  // namespace capstan::agent
