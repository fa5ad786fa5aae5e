// Files beneath one folder: / on a machine, a scratch folder in tests. Paths are absolute, as the machine
// names them. ".." and symbolic links are resolved beneath the folder by the kernel (openat2, Linux 5.6), so
// that nothing outside of it is read or written. A write is whole or is none. One thread at a time.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "agent/descriptor.h"
#include "agent/disk.h"
#include "base/result.h"
#include "base/threads.h"
#include "net/digest_stream.h"

namespace capstan::agent {

// The next content of a file, beside the one in force. What a killed process leaves of it is thrown away by
// the next one for the same path.
class PendingFile {
 public:
  Result<void> write(std::string_view bytes);
  // Of what was written; once.
  std::string checksum();
  // From now on it is the file, also after a power cut.
  Result<void> commit(const Mark& mark);
  void discard();

 private:
  friend class Root;
  PendingFile(Descriptor folder, std::string name, Threads& threads);
  Result<void> create();
  Failure failed(std::string_view doing);

  Descriptor folder_;
  Descriptor file_;
  std::string name_;
  std::string temporary_;
  Threads* threads_;
  net::Sha256Stream digest_;
};

class Root {
 public:
  // Each effect is a switch point of `threads`, before and after it.
  static Result<Root> open(const std::string& folder, Threads& threads);

  // Nothing: there is no such file. Symbolic links are followed, beneath the folder.
  Result<std::optional<std::string>> read(std::string_view path) const;
  // Of the file itself: a link is not followed.
  Result<std::optional<FileFacts>> facts(std::string_view path) const;
  bool exists(std::string_view path) const;

  Result<PendingFile> begin(std::string_view path) const;
  Result<void> write(std::string_view path, std::string_view content, const Mark& mark) const;
  // Nothing happens when there is none.
  Result<void> remove(std::string_view path) const;
  // Held until the descriptor is closed. Conflict: another process holds it.
  Result<Descriptor> lock(std::string_view path) const;

 private:
  struct Hashed {
    std::string stamp = {};
    std::string checksum = {};
  };

  Root(Descriptor folder, Threads& threads) : folder_(std::move(folder)), threads_(&threads) {}
  Result<Descriptor> parent(std::string_view path, bool make) const;
  Result<std::string> checksum(int file, std::string_view path) const;

  Descriptor folder_;
  Threads* threads_;
  mutable std::map<std::string, Hashed, std::less<>> hashed_ =
      {};  // large files, as long as they do not change
};

}  // namespace capstan::agent
