// What /debug shows of controllers and caches, and the certificate of the diagnostics server. Used by wiring.
#pragma once

#include <boost/json/fwd.hpp>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "net/tls.h"
#include "runtime/controller.h"
#include "runtime/informer.h"

namespace capstan::manager {

// Workers, queued keys, and what the consistency gate waits for.
boost::json::value controllers_page(const std::vector<const runtime::Controller*>& controllers);
boost::json::value caches_page(const std::vector<runtime::InformerState*>& informers);

// In memory, for a year, as upstream's: who reads diagnostics checks the token, not the certificate.
Result<std::shared_ptr<net::TlsContext>> self_signed_tls(const Clock& clock, const std::string& host,
                                                         net::TlsVersion oldest = net::TlsVersion::Tls12);

}  // namespace capstan::manager
