#include "webhooks/certificates/decide.h"

#include <algorithm>

#include "webhooks/certificates/pem.h"

namespace capstan::webhooks::certificates {
namespace {

// The authority of what is served, what is about to be, what was.
std::vector<std::string> trusted_by(const Stored& stored) {
  std::vector<std::string> trusted;
  if (stored.served) add_missing(trusted, certificates_in(stored.served->authority.certificate_pem));
  if (stored.next) add_missing(trusted, certificates_in(stored.next->authority.certificate_pem));
  add_missing(trusted, stored.retired);
  return trusted;
}

std::vector<std::size_t> outdated(const Observation& seen, const std::vector<std::string>& trusted) {
  const std::string wanted = one_text(trusted);
  std::vector<std::size_t> found;
  for (std::size_t at = 0; at < seen.targets.size(); ++at) {
    const Target& target = seen.targets[at];
    const bool differs =
        std::ranges::any_of(target.bundles, [&](const Bundle& bundle) { return bundle.pem != wanted; });
    if (differs || target.injected) found.push_back(at);
  }
  return found;
}

void take(Plan& plan, Step step, std::string why) {
  plan.step = step;
  plan.why = std::move(why);
}

// Where the Secret can't say which authority is in use, the bundles do: it stays trusted.
void prepare_next(const Observation& seen, Plan& plan, std::string why) {
  take(plan, Step::PrepareNext, std::move(why));
  if (seen.stored) plan.retired = seen.stored->retired;
  const bool says = seen.stored && seen.stored->served && !seen.stored->served->authority_fault;
  if (!says) add_missing(plan.retired, seen.found_trusted);
}

void distribute(const Observation& seen, Plan& plan) {
  const Stored& stored = *seen.stored;
  const bool marked = stored.phase == Phase::Distributed;
  if (!plan.outdated.empty()) {
    if (marked) take(plan, Step::Redistribute, "a bundle has lost the new authority");
    return;
  }
  if (!marked) return take(plan, Step::MarkDistributed, "every bundle holds the new authority");
  if (seen.phase_age < seen.times.settle) {
    plan.again = seen.times.settle - seen.phase_age;
    return;
  }
  take(plan, Step::ServeNext, "every API server has had time to read the bundles");
  plan.retired = stored.retired;
  if (stored.served) add_missing(plan.retired, certificates_in(stored.served->authority.certificate_pem));
}

void drop_retired(const Observation& seen, Plan& plan) {
  if (seen.phase_age < seen.times.served()) {
    plan.again = seen.times.served() - seen.phase_age;
    return;
  }
  take(plan, Step::DropRetired, "every replica has had time to serve the new certificate");
}

std::optional<std::string> new_authority_is_due(const Observation& seen) {
  const Stored& stored = *seen.stored;
  if (!stored.served) return "the Secret holds none";
  if (stored.served->authority_fault) return stored.served->authority_fault;
  if (stored.rotation_asked) return "an annotation of the Secret asks for it";
  if (stored.served->authority_ends - seen.now < seen.times.authority_renewal)
    return "the authority ends soon";
  return std::nullopt;
}

std::optional<std::string> new_certificate_is_due(const Observation& seen) {
  const Pair& served = *seen.stored->served;
  if (served.serving_fault) return served.serving_fault;
  if (served.serving_ends - seen.now < seen.times.serving_renewal) return "the certificate ends soon";
  return std::nullopt;
}

void wait_for_renewal(const Observation& seen, Plan& plan) {
  const Pair& served = *seen.stored->served;
  plan.again = std::min(served.authority_ends - seen.times.authority_renewal,
                        served.serving_ends - seen.times.serving_renewal) -
               seen.now;
}

std::optional<std::string> fault_of_next(const Stored& stored) {
  if (!stored.next) return std::nullopt;
  return stored.next->authority_fault ? stored.next->authority_fault : stored.next->serving_fault;
}

}  // namespace

Plan decide(const Observation& seen) {
  Plan plan;
  if (!seen.stored) {
    prepare_next(seen, plan, "there is no Secret");
    return plan;
  }
  const Stored& stored = *seen.stored;
  plan.trusted = trusted_by(stored);
  if (!plan.trusted.empty()) plan.outdated = outdated(seen, plan.trusted);
  if (const auto fault = fault_of_next(stored))
    prepare_next(seen, plan, *fault);
  else if (stored.next)
    distribute(seen, plan);
  else if (stored.served && !stored.served->authority_fault && !stored.retired.empty())
    drop_retired(seen, plan);
  else if (const auto due = new_authority_is_due(seen))
    prepare_next(seen, plan, *due);
  else
    wait_for_renewal(seen, plan);
  if (plan.step == Step::Nothing && !stored.next && stored.served) {
    if (const auto due = new_certificate_is_due(seen)) take(plan, Step::ReissueServing, *due);
  }
  return plan;
}

std::string_view to_string(Step step) {
  switch (step) {
    case Step::Nothing: return "Nothing";
    case Step::PrepareNext: return "PrepareNext";
    case Step::MarkDistributed: return "MarkDistributed";
    case Step::Redistribute: return "Redistribute";
    case Step::ServeNext: return "ServeNext";
    case Step::DropRetired: return "DropRetired";
    case Step::ReissueServing: return "ReissueServing";
  }
  return "Nothing";
}

}  // namespace capstan::webhooks::certificates
