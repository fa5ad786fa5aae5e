#include "infrastructure/controller/pool/refusal.h"

namespace capstan::infrastructure::pool {
namespace {

api::DriverMachinePoolSpec asked_for(const api::DriverMachinePool& pool) {
  api::DriverMachinePoolSpec spec = pool.spec;
  spec.provider_id_list = {};
  return spec;
}

}  // namespace

Refusal refusal_of(const Trouble& trouble, const api::DriverMachinePool& pool, Time now) {
  return {
      .until = now + trouble.retry, .pool = pool.metadata.uid, .trouble = trouble, .spec = asked_for(pool)};
}

std::optional<Refusal> still_standing(const std::optional<Refusal>& refusal,
                                      const api::DriverMachinePool& pool, Time now) {
  if (!refusal || now >= refusal->until || refusal->until - now > refusal->trouble.retry) return std::nullopt;
  const bool is_same = refusal->pool == pool.metadata.uid && refusal->spec == asked_for(pool);
  return is_same ? refusal : std::nullopt;
}

Trouble as_trouble(const Refusal& refusal, Time now) {
  Trouble trouble = refusal.trouble;
  trouble.retry = refusal.until - now;
  return trouble;
}

}  // namespace capstan::infrastructure::pool
