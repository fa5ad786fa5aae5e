// The tree as the lint sees it: every text file with its includes and with its code and its comments
// apart. Read once, then only looked at; used by the rules beside this file.
#pragma once

#include <compare>
#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace capstan::lint {

struct Include {
  std::size_t line = 0;
  std::string name = {};
  bool angled = false;  // <name> instead of "name"
};

struct SourceFile {
  std::string path = {};  // from the root of the repository, "net/tls.h"
  std::string text = {};
  std::string code =
      {};  // C++ only: the text with comments and the insides of literals blanked, lines as they were
  std::string comments = {};  // C++ only: the text with all but the words of comments blanked, likewise
  std::vector<Include> includes = {};

  static SourceFile of(std::string path, std::string text);

  std::string_view folder() const;  // "net"
  std::string_view name() const;    // "tls.h"
  bool is_header() const { return path.ends_with(".h"); }
  bool is_cpp() const { return is_header() || path.ends_with(".cc"); }
  bool is_test() const;  // under test/, or beside its source
  std::size_t line_at(std::size_t offset) const;
};

struct Tree {
  std::vector<SourceFile> files = {};  // by path

  static Tree read(const std::filesystem::path& root);
  const SourceFile* find(std::string_view path) const;
};

struct Finding {
  std::string file = {};
  std::size_t line = 0;
  std::string rule = {};
  std::string message = {};

  std::string describe() const;  // "net/tls.h:7: floors: ..."
  auto operator<=>(const Finding&) const = default;
};

using Findings = std::vector<Finding>;

}  // namespace capstan::lint
