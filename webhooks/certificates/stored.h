// The Secret of the webhook certificates: read with a judgement of each part, and the writes that its steps
// are. A part that can't be used is a fault with a reason, never an error: the next step mends it. Pure but
// for the randomness of keys.
#pragma once

#include <boost/json/fwd.hpp>
#include <string>
#include <string_view>

#include "api/meta/object_key.h"
#include "base/result.h"
#include "webhooks/certificates/observation.h"
#include "webhooks/certificates/plan.h"

namespace capstan::webhooks::certificates {

Result<Stored> read_stored(const boost::json::value& secret, const ServedNames& names, WallTime now);

// A new authority, and a certificate of it for these names.
Result<Pair> new_pair(const ServedNames& names, const Times& times, WallTime now);
// Another certificate of the same authority.
Result<net::KeyAndCertificate> new_serving(const Pair& pair, const ServedNames& names, const Times& times,
                                           WallTime now);

// What makes the Secret, with `next` to be served first.
boost::json::value secret_with(const api::ObjectKey& key, const Pair& next, const Plan& plan);
// Merge patches, each for the version that was read.
boost::json::value next_patch(const Stored& stored, const Pair& next, const Plan& plan);
boost::json::value serving_patch(const Stored& stored, const net::KeyAndCertificate& serving);
boost::json::value serve_next_patch(const Stored& stored, const Plan& plan, std::string_view phase_text);
boost::json::value drop_retired_patch(const Stored& stored);
boost::json::value phase_patch(const Stored& stored, std::string_view phase_text);  // empty: none

// "Distributed 2026-01-02T03:04:05.000000Z"
std::string phase_text(Phase phase, WallTime now);

}  // namespace capstan::webhooks::certificates
