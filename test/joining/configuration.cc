#include "test/joining/configuration.h"

#include <fmt/format.h>

#include "agent/checksum.h"

namespace capstan::joining {
namespace {

constexpr std::string_view kDownloads = "https://downloads/kubelet-";

std::string file_content(std::string_view name, std::uint64_t number) {
  return fmt::format("{} = {}\n", name, number);
}

std::string unit_content(std::uint64_t number) { return fmt::format("[Service]\n# {}\n", number); }

std::string program_text(std::string_view number) {
  return fmt::format("the first half of program {}, and the second half of program {}", number, number);
}

api::NodeConfigUnit unit_of(std::string_view name, std::string_view content, std::string_view file) {
  api::NodeConfigUnit unit{.name = Text(name)};
  if (!content.empty()) unit.content = FreeText(content);
  if (!file.empty()) unit.file_paths.push_back(Text(file));
  return unit;
}

}  // namespace

api::NodeConfigSpec spec_of(const Draft& draft) {
  api::NodeConfigSpec spec{.cluster_name = "c1"_text};
  for (const std::string_view path : {"/etc/app-a.conf", "/etc/app-b.conf"})
    spec.files.push_back({.path = Text(path), .content = FreeText(files_of(draft).at(std::string(path)))});
  spec.units.push_back(unit_of("a.service", {}, "/etc/app-a.conf"));
  spec.units.push_back(unit_of("b.service", unit_content(draft.unit), "/etc/app-b.conf"));
  spec.units.push_back(unit_of("quiet.service", unit_content(0), {}));
  const std::string number = std::to_string(draft.program);
  spec.kubelet.binaries.push_back({.version = "v1.35.0"_text,
                                   .url = Text(std::string(kDownloads) + number),
                                   .sha256 = Text(agent::checksum_of(program_text(number)))});
  spec.apply = {.max_delay_seconds = 30, .max_failed = 100};
  return spec;
}

std::map<std::string, std::string> files_of(const Draft& draft) {
  return {{"/etc/app-a.conf", file_content("a", draft.a)},
          {"/etc/app-b.conf", file_content("b", draft.b)},
          {"/etc/systemd/system/b.service", unit_content(draft.unit)},
          {"/etc/systemd/system/quiet.service", unit_content(0)},
          {std::string(kKubelet), program_text(std::to_string(draft.program))}};
}

std::string program_at(std::string_view url) { return program_text(url.substr(kDownloads.size())); }

}  // namespace capstan::joining
