// Runs one fuzz target over every input of its corpus folder, once: how finds stay fixed in builds without
// libFuzzer. An empty or missing folder fails, since it would prove nothing.
#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size);

namespace {

void replay(const std::filesystem::path& input) {
  std::ifstream file(input, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  fmt::print("{}\n", input.filename().string());
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    fmt::print(stderr, "usage: {} CORPUS_FOLDER\n", argv[0]);
    return 2;
  }
  int replayed = 0;
  std::error_code failed;
  for (const auto& entry : std::filesystem::directory_iterator(argv[1], failed)) {
    replay(entry.path());
    ++replayed;
  }
  fmt::print("{} inputs\n", replayed);
  return replayed > 0 ? 0 : 1;
}
