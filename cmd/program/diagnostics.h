// What /debug shows of controllers and caches, and the certificate of the diagnostics server. Used by wiring.
#pragma once

#include <boost/json/fwd.hpp>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/log.h"
#include "net/tls.h"
#include "runtime/controller.h"
#include "runtime/endpoints.h"
#include "runtime/informer.h"

namespace capstan::program {

// Workers, queued keys, and what the consistency gate waits for.
boost::json::value controllers_page(const std::vector<const runtime::Controller*>& controllers);
boost::json::value caches_page(const std::vector<runtime::InformerState*>& informers);

// PUT /debug/flags/v with a new verbosity, until the process ends. Components of --vmodule keep theirs.
runtime::Setting verbosity_setting(const Log& root);

// In memory, for a year, as upstream's: who reads diagnostics checks the token, not the certificate.
Result<std::shared_ptr<net::TlsContext>> self_signed_tls(const Clock& clock, const std::string& host,
                                                         net::TlsVersion oldest = net::TlsVersion::Tls12);

}  // namespace capstan::program
