// What an answer of a driver is worth: read against its descriptors, and compared with what was asked. Pure;
// a Listing belongs to one thread.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "api/schema/decode.h"
#include "api/schema/validate.h"
#include "infrastructure/codes.h"
#include "infrastructure/remote/messages.h"
#include "infrastructure/remote/protocol.h"
#include "infrastructure/vm.h"

namespace capstan::infrastructure::remote {

// What the driver did is not known.
DriverError unreadable(std::string_view why);
// Of an answer whose status is not 200.
DriverError failure_in(const Answer& answer);
// Nothing when the message keeps its rules.
std::optional<DriverError> breach(const std::vector<Cause>& causes);

template <typename Wanted>
DriverResult<Wanted> read_answer(const Answer& answer) {
  if (answer.status != kOk) return std::unexpected(failure_in(answer));
  auto read = api::decode<Wanted>(answer.body);
  if (!read) return std::unexpected(unreadable(read.error().message));
  if (auto broken = breach(api::validate(*read))) return std::unexpected(std::move(*broken));
  return std::move(*read);
}

// Unknown when it is another VM than `asked`.
DriverResult<Vm> vm_asked_for(const VmId& asked, const VmAnswer& answer);

// A list, page by page.
class Listing {
 public:
  explicit Listing(const Tags& tags) : tags_(tags) {}
  // Unknown when a VM was not asked for or stands there twice, a page was there before, or there are more
  // than kMostVms.
  DriverResult<void> add(const ListAnswer& page);
  std::vector<Vm> vms() && { return std::move(vms_); }

 private:
  const Tags& tags_;
  std::vector<Vm> vms_;
  std::set<std::string> provider_ids_;
  std::set<std::string> pages_;
};

}  // namespace capstan::infrastructure::remote
