#include "api/core/lease.h"

namespace capstan::api {

MicroTime LeaseSpec::acquired() const { return MicroTime::parse(acquire_time).value_or(MicroTime()); }

MicroTime LeaseSpec::renewed() const { return MicroTime::parse(renew_time).value_or(MicroTime()); }

}  // namespace capstan::api
