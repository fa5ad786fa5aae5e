// The container image of the programs that are measured: its size, and how soon its manager is ready on an
// empty server, started in nothing but the image's own file system.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <boost/json.hpp>
#include <filesystem>
#include <stdexcept>

#include "base/clock.h"
#include "test/bench/bench_fleet.h"
#include "test/bench/webhook_ground.h"
#include "test/envtest/child_process.h"
#include "test/envtest/scratch_folder.h"

namespace capstan::bench {
namespace {

namespace fs = std::filesystem;
namespace json = boost::json;
using std::chrono::seconds;

constexpr int kRounds = 3;
constexpr std::string_view kVersion = "v0.0.1";

fs::path image_in(const fs::path& folder, const Place& place) {
  must(envtest::output_of(
      {.argv = {"scripts/image", "--programs", place.programs, std::string(kVersion), folder}},
      seconds(120)));
  return folder / fmt::format("capstan-{}.oci.tar", kVersion);
}

// What an OCI layout names by its digest.
fs::path blob(const fs::path& layout, const json::value& named) {
  const std::string digest(named.at("digest").as_string());
  return layout / "blobs/sha256" / digest.substr(digest.find(':') + 1);
}

json::value document(const fs::path& file) { return json::parse(envtest::content_of(file)); }

void extract(const fs::path& archive, const fs::path& into) {
  fs::create_directories(into);
  must(envtest::output_of({.argv = {"tar", "--extract", "--same-permissions", "--directory=" + into.string(),
                                    "--file=" + archive.string()}},
                          seconds(60)));
}

// Layer over layer.
void unpack(const fs::path& archive, const fs::path& layout, const fs::path& root) {
  extract(archive, layout);
  const json::value index = document(layout / "index.json");
  const json::value manifest = document(blob(layout, index.at("manifests").at(0)));
  for (const json::value& layer : manifest.at("layers").as_array()) extract(blob(layout, layer), root);
}

double start_ms(const fs::path& root) {
  const SystemClock clock;
  const SteadyTime begun = clock.steady_now();
  const auto ended =
      must(envtest::run({.argv = {"env", "-i", "/usr/sbin/chroot", "--userspec=65532:65532", root, "/capstan",
                                  "--kubeconfig=/kubeconfig", "--exit-when-ready", "--health-addr=0",
                                  "--diagnostics-address=0", "--webhook-port=0"}},
                        seconds(30)));
  if (ended.exit_code != 0)
    throw std::runtime_error(fmt::format("capstan exits {}: {}", ended.exit_code, ended.err));
  return std::chrono::duration<double, std::milli>(clock.steady_now() - begun).count();
}

}  // namespace

Values image_costs(const Place& place) {
  if (::geteuid() != 0)
    throw std::runtime_error("only root may change the root folder of a process: run scripts/bench as root");
  const auto folder = must(envtest::ScratchFolder::create());
  const fs::path archive = image_in(folder.path(), place);
  const fs::path root = folder.path() / "root";
  unpack(archive, folder.path() / "layout", root);
  const auto server = embedded_with_crds(place);
  fs::copy_file(server->server().kubeconfig_path, root / "kubeconfig");
  fs::permissions(root / "kubeconfig", fs::perms::others_read, fs::perm_options::add);
  double best = start_ms(root);
  for (int round = 1; round < kRounds; ++round) best = std::min(best, start_ms(root));
  return {{"image.mb", static_cast<double>(fs::file_size(archive)) / 1e6}, {"image.start_ms", best}};
}

}  // namespace capstan::bench
