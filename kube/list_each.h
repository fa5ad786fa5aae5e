// A list for a caller that keeps few of its items: page by page, none of them held. What kube/typed.h reads
// whole lists by. Blocks as the client does.
#pragma once

#include <boost/json/fwd.hpp>
#include <functional>
#include <string>

#include "kube/client.h"

namespace capstan::kube {

// `take` gets every item of a consistent list as it came. The answer is the version of the list.
Result<std::string> list_each(Client& client, const Resource& resource, ListOptions options,
                              const Deadline& deadline, const std::function<void(json::value&&)>& take);

}  // namespace capstan::kube
