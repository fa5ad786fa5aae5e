// The part of a round that is about the agent's certificate.
#include "agent/agent.h"
#include "agent/connections.h"
#include "base/try.h"

namespace capstan::agent {
namespace {

std::int64_t seconds_since_epoch(WallTime time) {
  return std::chrono::floor<std::chrono::seconds>(time).time_since_epoch().count();
}

}  // namespace

Result<void> Agent::renew_certificate() {
  if (certificate_.standing == Standing::Good) {
    drop_request(root());
    return {};
  }
  const auto credentials = askers(certificate_.standing, !facts_.token.empty(), joined_);
  if (credentials.empty())
    return fail(Code::Unauthorized, "no credentials are left to ask for a certificate with");
  return ask_for_certificate(credentials);
}

Result<void> Agent::ask_for_certificate(const std::vector<Credential>& credentials) {
  const std::string request =
      TRY(next_request(root(), subject_of(facts_, options_.host_name), deps_.tools.own));
  Result<void> last = {};
  for (const Credential credential : credentials) {
    const auto asking = client(credential);
    if (!asking) {
      last = fail(asking.error().context(to_string(credential)));
      continue;
    }
    auto answer = signed_certificate(**asking, request, soon());
    if (answer && *answer) return receive(**answer);
    if (answer) {
      round_.waiting = true;
      return {};
    }
    if (answer.error().code == Code::Invalid) drop_request(root());
    last = fail(answer.error().context(to_string(credential)));
  }
  return last;
}

Result<void> Agent::receive(const std::string& certificate_pem) {
  const auto whole = with_its_key(root(), certificate_pem);
  if (!whole) {
    drop_request(root());
    return fail(whole.error());
  }
  // First when it came: a certificate whose age is not known would count as old at once.
  State next = state_;
  next.certificate_received = seconds_since_epoch(now());
  TRY(save(next));
  TRY(take_certificate(root(), *whole, deps_.tools.own));
  certificate_ = own_certificate(root(), certificate_, now(), now());
  deps_.tools.log.info("has a certificate", {{"standing", certificate_.standing}});
  return {};
}

}  // namespace capstan::agent
