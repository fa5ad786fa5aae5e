// What became of one request to an API server, for those who count requests and explain refusals. A plain
// value; its texts live as long as the call that hands it over.
#pragma once

#include <string_view>

namespace capstan::kube {

// For metrics and budgets; called once per HTTP request, from the thread that made it (streams: an io thread,
// at the end).
struct RequestRecord {
  std::string_view method = {};
  std::string_view path = {};  // without query
  int status = 0;              // 0: no answer
  bool stream = false;
  std::string_view refusal = {};  // the body of an answer of 400 and more; of streams none
};

}  // namespace capstan::kube
