// A folder for throw-away files, in memory where there is room, removed with its object. What a killed test
// process left behind is removed by the next one. Move-only value.
#pragma once

#include <filesystem>
#include <string>

#include "base/result.h"

namespace capstan::envtest {

class ScratchFolder {
 public:
  static Result<ScratchFolder> create();

  ScratchFolder(ScratchFolder&& other) noexcept;
  ScratchFolder& operator=(ScratchFolder&& other) noexcept;
  ~ScratchFolder();

  const std::filesystem::path& path() const { return path_; }

 private:
  explicit ScratchFolder(std::filesystem::path path) : path_(std::move(path)) {}
  std::filesystem::path path_;
};

// The whole of a file; empty when there is none.
std::string content_of(const std::filesystem::path& file);

}  // namespace capstan::envtest
