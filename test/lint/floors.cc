#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "test/lint/rules.h"

namespace capstan::lint {
namespace {

struct Floor {
  std::string_view folder;
  int level;
};

constexpr std::array<Floor, 14> kFloors = {{{"base", 0},
                                            {"api", 1},
                                            {"net", 1},
                                            {"kube", 2},
                                            {"runtime", 3},
                                            {"kubeconfig", 4},
                                            {"agent", 5},
                                            {"bootstrap", 5},
                                            {"infrastructure", 5},
                                            {"controllers", 6},
                                            {"webhooks", 6},
                                            {"apiserver", 6},
                                            {"cmd", 7},
                                            {"test", 8}}};

// Downward, and still not allowed.
struct Wall {
  std::string_view from;
  std::string_view to;
  std::string_view why;
  std::string_view gate = {};
};

constexpr std::array<Wall, 5> kWalls = {{
    {"controllers/", "net/", "controllers reach the network through kube/ only"},
    {"controllers/", "infrastructure/", "controllers see infrastructure through api/contract only"},
    {"controllers/", "bootstrap/", "controllers see bootstrap providers through api/contract only"},
    {"api/schema/", "api/", "the schema engine knows no kind, only api/meta", "api/meta/"},
    {"cmd/manager/", "apiserver/", "the manager never carries the embedded API server"},
}};

// One controller each: every folder with a reconciler. What several of them need stands in a room beside
// them, as controllers/inplace, whose steps three kinds take in turns of their own.
constexpr std::array<std::string_view, 18> kKinds = {"bootstrap/access",
                                                     "bootstrap/approval",
                                                     "bootstrap/controller",
                                                     "bootstrap/nodeconfig",
                                                     "controllers/cluster",
                                                     "controllers/crdmigration",
                                                     "controllers/fleetpolicy",
                                                     "controllers/lifecyclepolicy",
                                                     "controllers/machine",
                                                     "controllers/machinedeployment",
                                                     "controllers/machinehealthcheck",
                                                     "controllers/machinepool",
                                                     "controllers/machineset",
                                                     "controllers/topology",
                                                     "controllers/unclaimed",
                                                     "infrastructure/controller/cluster",
                                                     "infrastructure/controller/machine",
                                                     "infrastructure/controller/pool"};

// Where such rooms are.
constexpr std::array<std::string_view, 3> kHouses = {"bootstrap/", "controllers/",
                                                     "infrastructure/controller/"};

// "controllers/machine" of controllers/machine/act.cc; empty for what is in no room, as the wiring of all.
std::string_view room_of(const SourceFile& file) {
  const std::string_view path = file.path;
  const auto house = std::ranges::find_if(kHouses, [&](auto each) { return path.starts_with(each); });
  if (house == kHouses.end()) return {};
  const auto end = path.find('/', house->size());
  return end == path.npos ? std::string_view() : path.substr(0, end);
}

bool is_sideways(const SourceFile& file, const SourceFile& included) {
  const std::string_view from = room_of(file);
  const std::string_view to = room_of(included);
  return !from.empty() && from != to && std::ranges::find(kKinds, to) != kKinds.end();
}

// A controller that the list does not know could be included by any other.
std::optional<std::string> missing_kind(const SourceFile& file) {
  const std::string_view room = room_of(file);
  const bool has_controller = !room.empty() && file.path.ends_with("/reconciler.h");
  if (!has_controller || std::ranges::find(kKinds, room) != kKinds.end()) return {};
  return fmt::format("{} has a controller: add it to kKinds in test/lint/floors.cc", room);
}

std::optional<int> level_of(std::string_view folder) {
  const auto found = std::ranges::find(kFloors, folder, &Floor::folder);
  if (found == kFloors.end()) return {};
  return found->level;
}

bool stands_between(const Wall& wall, const SourceFile& file, const SourceFile& included) {
  const bool through_gate = !wall.gate.empty() && included.path.starts_with(wall.gate);
  return file.path.starts_with(wall.from) && included.path.starts_with(wall.to) &&
         !included.path.starts_with(wall.from) && !through_gate;
}

// The fakes stand on the embedded API server, so a test that uses them may speak to it.
bool is_ground_of_fakes(const SourceFile& included) {
  return included.folder() == "test" || included.folder() == "apiserver";
}

std::optional<std::string> complaint(const SourceFile& file, const SourceFile& included) {
  const auto own = level_of(file.folder());
  const auto other = level_of(included.folder());
  if (!own) return fmt::format("{} has no floor: give it one in test/lint/floors.cc", file.folder());
  if (!other) return fmt::format("{} has no floor: give it one in test/lint/floors.cc", included.folder());
  if (file.is_test() && is_ground_of_fakes(included)) return {};
  if (included.folder() == "test") return fmt::format("{} is for tests", included.path);
  if (*other > *own)
    return fmt::format("{} (floor {}) includes {} (floor {}), include only downwards", file.folder(), *own,
                       included.path, *other);
  if (*other == *own && file.folder() != included.folder() && !file.is_test()) {
    return fmt::format("{} and {} share floor {} and must not know each other", file.folder(),
                       included.folder(), *own);
  }
  if (is_sideways(file, included)) {
    return fmt::format(
        "includes {}: controllers do not know each other, what several of them need gets a room "
        "beside theirs, as controllers/shared and controllers/drain",
        included.path);
  }
  if (file.is_test()) return {};
  for (const Wall& wall : kWalls) {
    if (stands_between(wall, file, included)) return fmt::format("includes {}: {}", included.path, wall.why);
  }
  return {};
}

}  // namespace

Findings check_floors(const Tree& tree) {
  Findings findings;
  for (const SourceFile& file : tree.files) {
    if (auto missing = missing_kind(file))
      findings.push_back({.file = file.path, .line = 1, .rule = "floors", .message = std::move(*missing)});
    for (const Include& include : file.includes) {
      if (include.angled) continue;
      const SourceFile* included = tree.find(include.name);
      const auto message =
          included == nullptr
              ? std::optional(
                    fmt::format("\"{}\" is not in this repository, includes start at its root", include.name))
              : complaint(file, *included);
      if (message)
        findings.push_back({.file = file.path, .line = include.line, .rule = "floors", .message = *message});
    }
  }
  return findings;
}

}  // namespace capstan::lint
