// Downloads of programs. The caller checks what came.
#pragma once

#include <functional>
#include <string>

#include "agent/root.h"
#include "base/clock.h"
#include "base/deadline.h"
#include "base/threads.h"
#include "net/io_pool.h"
#include "net/proxy.h"

namespace capstan::agent {

// Appends what stands at the URL to the file; blocks until it has come.
using Fetch =
    std::function<Result<void>(const std::string& url, PendingFile& into, const Deadline& deadline)>;

// Over https, verified by the system's roots; a redirection must be https, too.
Fetch https_fetch(net::IoPool& io, Threads& threads, net::ProxyRules proxies);

}  // namespace capstan::agent
