#include "kubeconfig/probe.h"

#include <algorithm>
#include <utility>

namespace capstan::kubeconfig {
namespace {

constexpr int kToleranceShare = 4;  // of a round

}  // namespace

std::string_view to_string(Health health) {
  switch (health) {
    case Health::Connected: return "Connected";
    case Health::Suspect: return "Suspect";
    case Health::Down: return "Down";
  }
  return "Down";
}

bool is_answer(const Error& error) {
  switch (error.code) {
    case Code::NotFound:
    case Code::AlreadyExists:
    case Code::Conflict:
    case Code::Invalid:
    case Code::Forbidden:
    case Code::RateLimited:
    case Code::Gone: return !error.reason.empty();
    case Code::Unauthorized:
    case Code::Timeout:
    case Code::Unavailable:
    case Code::NotConnected:
    case Code::Cancelled:
    case Code::Exhausted:
    case Code::Internal: return false;
  }
  return false;
}

Probe::Probe(const Moment& connected) : known_(connected.steady), last_success_(connected) {}

void Probe::answered(const Moment& at) {
  known_ = std::max(known_, at.steady);
  asked_ = true;
  if (at.steady >= last_success_.steady) last_success_ = at;  // the wall clock may have been set back
  failures_ = 0;
  first_failure_.reset();
  why_.clear();
}

void Probe::heard(const Moment& at) {
  if (at.steady <= known_) return;
  answered(at);
  asked_ = false;
}

void Probe::failed(const Moment& at, std::string why) {
  known_ = std::max(known_, at.steady);
  ++failures_;
  if (!first_failure_) first_failure_ = at.wall;
  why_ = std::move(why);
}

SteadyTime Probe::due(const ProbeRules& rules) const {
  const SteadyTime alone = known_ + rules.every;
  if (failures_ > 0 || rules.together <= Nanoseconds::zero()) return alone;
  // What the answer to a probe took to come must not cost a whole round.
  const Nanoseconds took = asked_ ? rules.together / kToleranceShare : Nanoseconds::zero();
  const Nanoseconds since_boot = (alone - took).time_since_epoch();
  const auto rounds = (since_boot + rules.together - Nanoseconds(1)) / rules.together;
  return SteadyTime(rounds * rules.together);
}

Health Probe::health(const ProbeRules& rules) const {
  if (failures_ == 0) return Health::Connected;
  return failures_ < rules.failures_until_down ? Health::Suspect : Health::Down;
}

}  // namespace capstan::kubeconfig
