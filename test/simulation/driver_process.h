// The driver of the simulated cloud as a process of its own: the provider reaches it by the protocol of
// drivers alone (infrastructure/remote/). While faults rage it is away for some seconds, hangs, ends with a
// call half done, and answers garbage, with an unknown code, or for another VM than the one that was
// asked about. One simulated thread at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "infrastructure/remote/remote_driver.h"
#include "infrastructure/remote/transport.h"
#include "test/fakes/baton.h"

namespace capstan::simulation {

// Of a fleet whose driver is another process: every fourth.
bool has_remote_driver(std::uint64_t seed);

class DriverProcess final : public infrastructure::remote::Transport {
 public:
  struct Deps {
    fakes::Baton& baton;
    infrastructure::Driver& cloud;
    std::function<bool()> raging;
    std::function<void(std::string_view)> tell;
  };
  explicit DriverProcess(Deps deps) : deps_(std::move(deps)) {}

  infrastructure::Driver& driver() { return driver_; }
  // What befell calls, by sort.
  const std::map<std::string, std::uint64_t>& acts() const { return acts_; }

  infrastructure::DriverResult<infrastructure::remote::Answer> post(std::string_view verb,
                                                                    const std::string& body,
                                                                    const Deadline& deadline) override;

 private:
  enum class Mishap { None, Away, Hangs, HangsAfter, EndsAfter, Garbage, UnknownCode, AnotherVm };

  Mishap draw_mishap();
  infrastructure::remote::Answer serve(std::string_view verb, const std::string& body,
                                       const Deadline& deadline);
  infrastructure::remote::Answer spoilt(std::string_view verb, infrastructure::remote::Answer answer,
                                        Mishap mishap);
  infrastructure::DriverResult<infrastructure::remote::Answer> hang(const Deadline& deadline);

  Deps deps_;
  infrastructure::remote::RemoteDriver driver_{*this, deps_.baton};
  SteadyTime back_at_ = {};   // it is away until then
  std::string last_vm_ = {};  // the last answer about one VM
  std::map<std::string, std::uint64_t> acts_ = {};
};

}  // namespace capstan::simulation
