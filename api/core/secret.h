// A Secret as read by name: used, then dropped. It is never cached, nothing of it ever becomes a Text (those
// live on in a pool), and its values only come out through reveal(). Made by hand, without descriptors, so
// that no store can hold it.
#pragma once

#include <boost/json/fwd.hpp>
#include <map>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/secret.h"

namespace capstan::api {

struct SecretContent {
  std::string namespace_ = {};
  std::string name = {};
  std::string resource_version = {};
  std::string type = {};
  std::map<std::string, std::string, std::less<>> labels = {};
  std::map<std::string, Secret<std::string>, std::less<>> data = {};  // decoded from base64

  // Null when there is no such key.
  const Secret<std::string>* find(std::string_view key) const;
};

// Invalid when it is no Secret or a value is no base64; the message names the key, never the value.
Result<SecretContent> read_secret(const boost::json::value& document);

}  // namespace capstan::api
