// SHA-256 of what arrives in pieces: files and downloads that are never whole in memory. One thread.
#pragma once

#include <memory>
#include <string_view>

#include "net/digest.h"

namespace capstan::net {

class Sha256Stream {
 public:
  Sha256Stream();
  Sha256Stream(Sha256Stream&&) noexcept;
  Sha256Stream& operator=(Sha256Stream&&) noexcept;
  ~Sha256Stream();

  void add(std::string_view bytes);
  Sha256 finish();  // once

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace capstan::net
