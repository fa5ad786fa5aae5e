#include "infrastructure/remote/credentials_wire.h"

#include "base/base64.h"

namespace capstan::infrastructure::remote {

TextMap message_of(const Credentials& credentials) {
  TextMap::Entries entries;
  for (const auto& [name, value] : credentials.values)
    entries.emplace_back(Text(name), Text(base64_encode(value.reveal())));
  return TextMap(std::move(entries));
}

Result<Credentials> credentials_of(const TextMap& message) {
  Credentials credentials;
  for (const auto& [name, value] : message) {
    auto decoded = base64_decode(value);
    if (!decoded) return fail(Code::Invalid, "credentials." + name.str() + " is no base64");
    credentials.values.emplace(name.str(), Secret<std::string>(std::move(*decoded)));
  }
  return credentials;
}

}  // namespace capstan::infrastructure::remote
