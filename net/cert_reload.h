// Certificates that live in files and are exchanged there (cert-manager, kubelet, a Secret mount). Asked now
// and then, it looks at the files' stamps and makes a new TlsContext when they changed; the old one stays in
// use until then. One thread at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "net/tls.h"

namespace capstan::net {

class TlsFiles {
 public:
  using Contents = std::vector<std::string>;
  using Make = std::function<Result<std::shared_ptr<TlsContext>>(const Contents&)>;

  static constexpr Nanoseconds kEvery = std::chrono::seconds(10);

  TlsFiles(std::vector<std::string> paths, Make make, Nanoseconds every = kEvery);

  // Reads the files now.
  Result<std::shared_ptr<TlsContext>> load();
  // A new context when the files changed since the last good one, null when not (or when asked again within
  // `every`). An error leaves everything as it was: a half-written pair is tried again next time.
  Result<std::shared_ptr<TlsContext>> poll(SteadyTime now);

 private:
  struct Stamp {
    std::int64_t modified = 0;
    std::uint64_t inode = 0;
    std::int64_t size = 0;
    bool operator==(const Stamp&) const = default;
  };
  std::vector<Stamp> stamps() const;

  std::vector<std::string> paths_;
  Make make_;
  Nanoseconds every_;
  SteadyTime next_ = SteadyTime::min();
  std::vector<Stamp> loaded_;
};

}  // namespace capstan::net
