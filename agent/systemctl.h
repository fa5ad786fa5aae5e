// The program that speaks to systemd. One thread at a time.
#pragma once

#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"

namespace capstan::agent {

class Systemctl {
 public:
  virtual ~Systemctl() = default;
  // {"restart", "--", "a.service"}. The error is what it said last.
  virtual Result<void> run(const std::vector<std::string>& words) = 0;
};

class SystemctlProgram final : public Systemctl {
 public:
  // A path, or a name that is looked up in PATH.
  SystemctlProgram(std::string program, const Clock& clock) : program_(std::move(program)), clock_(clock) {}
  Result<void> run(const std::vector<std::string>& words) override;

 private:
  std::string program_;
  const Clock& clock_;
};

}  // namespace capstan::agent
