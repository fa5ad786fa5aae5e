// Foreign: a provider's object, read by the paths of the contract: either the cached projection or a whole
// document from a GET. The typed views (infra_machine.h and the others) stand on it. Refers to the object it
// was made from, which has to live longer; reading is pure and safe from any thread.
#pragma once

#include <boost/json/fwd.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/contract/contract_object.h"
#include "api/contract/paths.h"
#include "base/result.h"

namespace capstan::api::contract {

class Foreign {
 public:
  explicit Foreign(const ContractObject& cached) : cached_(&cached) {}
  explicit Foreign(const boost::json::value& document) : document_(&document) {}

  std::string api_version() const;
  std::string kind() const;
  std::string namespace_() const;
  std::string name() const;
  bool deleting() const;
  // "DockerMachine default/md-0-x7k2p", for messages.
  std::string describe() const;

  // What stands there; nothing when it is absent or null.
  std::optional<boost::json::value> at(const Path& path) const;

 private:
  std::string metadata_text(std::string_view field) const;

  const ContractObject* cached_ = nullptr;
  const boost::json::value* document_ = nullptr;
};

// Absent is nothing; another type than asked for is Invalid, with the object and the path in the message.
Result<std::optional<bool>> read_bool(const Foreign& object, const Path& path);
Result<std::optional<std::string>> read_text(const Foreign& object, const Path& path);
Result<std::optional<std::int32_t>> read_int32(const Foreign& object, const Path& path);
Result<std::optional<std::vector<std::string>>> read_texts(const Foreign& object, const Path& path);

// status.failureReason and status.failureMessage, empty when absent. Old and without effect, but shown to
// users.
struct Failures {
  std::string reason = {};
  std::string message = {};
  bool any() const { return !reason.empty() || !message.empty(); }
  bool operator==(const Failures&) const = default;
};
Result<Failures> read_failures(const Foreign& object);

}  // namespace capstan::api::contract
