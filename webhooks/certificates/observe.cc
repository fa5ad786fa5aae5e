#include "webhooks/certificates/observe.h"

#include <boost/json.hpp>

#include "base/try.h"
#include "kube/resources.h"
#include "webhooks/certificates/pem.h"
#include "webhooks/certificates/stored.h"

namespace capstan::webhooks::certificates {
namespace {

constexpr auto kReadAgain = std::chrono::minutes(10);

// Those that are there.
Result<std::vector<Target>> read_targets(const ObserveContext& context) {
  std::vector<Target> targets;
  for (const TargetName& name : target_names()) {
    const auto document = context.client.get(name.resource, name.key, context.deadline);
    if (!document && document.error().code == Code::NotFound) continue;
    if (!document) return fail(document.error().context("get " + name.resource.kind + " " + name.key.name));
    targets.push_back(read_target(name, *document, context.reached));
  }
  return targets;
}

Result<void> refresh_targets(const ObserveContext& context, Memory& memory) {
  memory.targets.reset();
  memory.targets_read = context.clock.steady_now();
  memory.targets = TRY(read_targets(context));
  return {};
}

bool must_read_targets(const ObserveContext& context, const Memory& memory) {
  return memory.rotating || !memory.targets || context.clock.steady_now() - memory.targets_read >= kReadAgain;
}

Result<std::optional<Stored>> read_secret_now(const ObserveContext& context) {
  const auto document = context.client.get(kube::resources::secrets(), context.secret, context.deadline);
  if (!document && document.error().code == Code::NotFound) return std::optional<Stored>();
  if (!document) return fail(document.error().context("get Secret " + context.secret.describe()));
  return TRY(read_stored(*document, served_names(context.reached), context.clock.now()));
}

bool is_at_rest(const std::optional<Stored>& stored) {
  return stored && stored->served && !stored->next && stored->retired.empty() && !stored->rotation_asked;
}

Nanoseconds age_of_phase(const ObserveContext& context, Memory& memory, const std::string& text) {
  const SteadyTime now = context.clock.steady_now();
  if (memory.phase_text != text || memory.phase_since == SteadyTime()) {
    memory.phase_text = text;
    memory.phase_since = now;
  }
  return now - memory.phase_since;
}

std::vector<std::string> found_trusted(const std::vector<Target>& targets, WallTime now) {
  std::vector<std::string> found;
  for (const Target& target : targets)
    for (const Bundle& bundle : target.bundles) add_missing(found, usable_certificates_in(bundle.pem, now));
  return found;
}

}  // namespace

Result<Observed> observe(const ObserveContext& context, Memory& memory) {
  Observed observed;
  if (must_read_targets(context, memory)) observed.targets_read = refresh_targets(context, memory);
  auto stored = TRY(read_secret_now(context));
  const bool begins = !memory.rotating && !is_at_rest(stored);
  memory.rotating = !is_at_rest(stored);
  if (begins) {  // what is remembered of the bundles is too old for it
    observed.targets_read = refresh_targets(context, memory);
    stored = TRY(read_secret_now(context));
  }
  Observation& seen = observed.seen;
  seen.now = context.clock.now();
  seen.times = context.times;
  seen.stored = std::move(stored);
  seen.phase_age = age_of_phase(context, memory, seen.stored ? seen.stored->phase_text : std::string());
  seen.targets = memory.targets.value_or(std::vector<Target>());
  seen.found_trusted = found_trusted(seen.targets, seen.now);
  return observed;
}

}  // namespace capstan::webhooks::certificates
