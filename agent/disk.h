// What is known of files when the agent decides. Plain values.
#pragma once

#include <map>
#include <string>

namespace capstan::agent {

// Who may do what with a file.
struct Mark {
  unsigned mode = 0644;
  unsigned user = 0;
  unsigned group = 0;
  bool operator==(const Mark&) const = default;
};

struct FileFacts {
  std::string checksum = {};  // empty: a folder or a symbolic link, which is like no file that is wanted
  Mark mark = {};
  bool operator==(const FileFacts&) const = default;
};

// By path; what is not in it is not on the disk.
using Disk = std::map<std::string, FileFacts>;

}  // namespace capstan::agent
