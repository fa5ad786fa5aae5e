#include "kube/quoting.h"

#include <algorithm>

namespace capstan::kube {

Error without_quotes(Error error, Quoting quoting) {
  if (quoting != Quoting::Everything) error.message = "an answer that can't be decoded";
  return error;
}

// A DNS subdomain, as the names of Nodes are.
bool is_object_name(std::string_view text) {
  constexpr std::size_t kLongest = 253;
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.';
  };
  return !text.empty() && text.size() <= kLongest && std::ranges::all_of(text, fits);
}

}  // namespace capstan::kube
