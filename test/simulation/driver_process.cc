#include "test/simulation/driver_process.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "base/hash.h"
#include "infrastructure/remote/respond.h"

namespace capstan::simulation {
namespace {

using infrastructure::driver_failure;
using infrastructure::DriverCode;
using infrastructure::DriverResult;
using infrastructure::remote::Answer;

constexpr std::uint64_t kMishapsPerHundred = 6;
constexpr std::uint64_t kLongestAway = 30;        // seconds
constexpr Nanoseconds kLooksEvery = Seconds(10);  // a call that hangs, whether the faults are over

bool is_about_one_vm(std::string_view verb) { return verb == "create" || verb == "status"; }

}  // namespace

bool has_remote_driver(std::uint64_t seed) { return (mix64(seed) >> 8 & 3U) == 0; }

DriverProcess::Mishap DriverProcess::draw_mishap() {
  if (!deps_.raging() || deps_.baton.draw(100) >= kMishapsPerHundred) return Mishap::None;
  static constexpr std::array kMishaps = {Mishap::Away,      Mishap::Hangs,   Mishap::HangsAfter,
                                          Mishap::EndsAfter, Mishap::Garbage, Mishap::UnknownCode,
                                          Mishap::AnotherVm};
  static constexpr std::array<std::string_view, kMishaps.size()> kNames = {"goes away",
                                                                           "hangs",
                                                                           "hangs after it",
                                                                           "ends after it",
                                                                           "answers garbage",
                                                                           "answers an unknown code",
                                                                           "answers for another VM"};
  const auto which = deps_.baton.draw(kMishaps.size());
  deps_.tell(fmt::format("the driver {}", kNames.at(which)));
  ++acts_[fmt::format("driver {}", kNames.at(which))];
  return kMishaps.at(which);
}

Answer DriverProcess::serve(std::string_view verb, const std::string& body, const Deadline& deadline) {
  return infrastructure::remote::respond(deps_.cloud, verb, body, deps_.baton, deadline);
}

DriverResult<Answer> DriverProcess::hang(const Deadline& deadline) {
  const fakes::Baton& clock = deps_.baton;
  while (deps_.raging() && !deadline.passed(clock.steady_now()))
    deps_.baton.pause(deadline.no_later_than(clock.steady_now() + kLooksEvery));
  return driver_failure(DriverCode::DeadlineExceeded, "no answer in time");
}

DriverResult<Answer> DriverProcess::post(std::string_view verb, const std::string& body,
                                         const Deadline& deadline) {
  deps_.baton.switch_point("call of the driver");
  const SteadyTime now = deps_.baton.steady_now();
  const Mishap mishap = draw_mishap();
  if (mishap == Mishap::Away)
    back_at_ = now + Nanoseconds(Seconds(1)) * static_cast<std::int64_t>(1 + deps_.baton.draw(kLongestAway));
  if (now < back_at_ && deps_.raging()) return driver_failure(DriverCode::Unavailable, "connection refused");
  if (mishap == Mishap::Hangs) return hang(deadline);
  Answer answer = serve(verb, body, deadline);
  if (mishap == Mishap::HangsAfter) return hang(deadline);
  if (mishap == Mishap::EndsAfter) return driver_failure(DriverCode::Unknown, "the connection ended");
  return spoilt(verb, std::move(answer), mishap);
}

Answer DriverProcess::spoilt(std::string_view verb, Answer answer, Mishap mishap) {
  const bool of_one = is_about_one_vm(verb) && answer.status == infrastructure::remote::kOk;
  const std::string before = of_one ? std::exchange(last_vm_, answer.body) : std::string();
  if (mishap == Mishap::AnotherVm && !before.empty()) answer.body = before;
  if (mishap == Mishap::Garbage) answer.body.resize(answer.body.size() / 2);
  if (mishap == Mishap::UnknownCode)
    return {.status = infrastructure::remote::kFailed,
            .body = R"({"code": "OutOfBreath", "message": "try later"})"};
  return answer;
}

}  // namespace capstan::simulation
