// crdgen: prints the CustomResourceDefinitions of our kinds, writes them into a folder, or checks that a
// folder has them.
#include <boost/json.hpp>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "api/schema/yaml.h"
#include "cmd/crdgen/kinds.h"

namespace {

namespace fs = std::filesystem;
using Files = std::map<std::string, std::string>;

constexpr std::string_view kUsage = "usage: crdgen [--out FOLDER | --check FOLDER]\n";
constexpr std::string_view kHeader = "# written by crdgen from the structs in api/; do not edit\n---\n";

Files render();
int print(const Files& files);
int write(const Files& files, const fs::path& folder);
int check(const Files& files, const fs::path& folder);

}  // namespace

int main(int argc, char** argv) {
  const std::span<char*> arguments(argv, static_cast<std::size_t>(argc));
  if (argc == 1) return print(render());
  const std::string_view option = arguments[1];
  if (argc == 3 && option == "--out") return write(render(), arguments[2]);
  if (argc == 3 && option == "--check") return check(render(), arguments[2]);
  const bool asked = option == "--help" || option == "-h";
  (asked ? std::cout : std::cerr) << kUsage;
  return asked ? 0 : 2;
}

namespace {

Files render() {
  Files files;
  for (const auto& versions : capstan::crdgen::kinds()) {
    files[capstan::api::crd_file_name(*versions.front().resource)] =
        std::string(kHeader) + capstan::api::write_yaml(capstan::api::crd(versions));
  }
  return files;
}

int print(const Files& files) {
  for (const auto& [name, text] : files) std::cout << text;
  return 0;
}

int write(const Files& files, const fs::path& folder) {
  fs::create_directories(folder);
  for (const auto& [name, text] : files) {
    std::ofstream out(folder / name, std::ios::binary);
    out << text;
    if (!out.flush()) {
      std::cerr << "crdgen: cannot write " << (folder / name).string() << "\n";
      return 1;
    }
  }
  return 0;
}

int complain(const fs::path& file, std::string_view what) {
  std::cerr << "crdgen: " << file.string() << " " << what << ": run crdgen --out "
            << file.parent_path().string() << "\n";
  return 1;
}

int check(const Files& files, const fs::path& folder) {
  int faults = 0;
  for (const auto& [name, text] : files) {
    std::ifstream in(folder / name, std::ios::binary);
    const std::string have{std::istreambuf_iterator<char>(in), {}};
    if (have != text) faults += complain(folder / name, in ? "is not what the structs say" : "is missing");
  }
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (!files.contains(entry.path().filename().string()))
      faults += complain(entry.path(), "belongs to no kind of ours");
  }
  return faults == 0 ? 0 : 1;
}

}  // namespace
