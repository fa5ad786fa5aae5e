// Whether what a page names as shown by a test is there: stories of test/scenarios, and tests by suite and
// name. Used by the tests of pages with tables; reads the tree from its root.
#pragma once

#include <string>
#include <vector>

namespace capstan::lint {

// What stands between backquotes, but for keys and fields of an API.
std::vector<std::string> shown_by(const std::string& cell);
// Those of them that are neither a story nor a test of the controllers, of api/ or of real servers.
std::vector<std::string> not_there(const std::vector<std::string>& names);

}  // namespace capstan::lint
