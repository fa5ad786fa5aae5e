// A Driver in another process: each verb is one call of the protocol, list one for each page. What comes back
// is believed only as far as it answers the question: another VM than the one asked about, a VM listed twice
// or a list whose pages do not end are failures of unknown outcome, after which the controllers ask for the
// status before they create again. Safe from any thread.
#pragma once

#include <string>
#include <string_view>
#include <type_traits>

#include "base/clock.h"
#include "infrastructure/driver.h"
#include "infrastructure/remote/messages.h"
#include "infrastructure/remote/transport.h"

namespace capstan::infrastructure::remote {

class RemoteDriver final : public Driver {
 public:
  // Both live longer.
  RemoteDriver(Transport& transport, const Clock& clock) : transport_(transport), clock_(clock) {}

  DriverResult<Vm> create(const CreateVm& wanted, const Credentials& credentials,
                          const Deadline& deadline) override;
  DriverResult<Vm> initialize(const InitializeVm& wanted, const Credentials& credentials,
                              const Deadline& deadline) override;
  DriverResult<void> remove(const VmId& id, const Credentials& credentials,
                            const Deadline& deadline) override;
  DriverResult<Vm> status(const VmId& id, const Credentials& credentials, const Deadline& deadline) override;
  DriverResult<std::vector<Vm>> list(const Tags& tags, const Credentials& credentials,
                                     const Deadline& deadline) override;
  DriverResult<void> tag(const VmId& id, const Tags& tags, const Credentials& credentials,
                         const Deadline& deadline) override;
  DriverResult<std::vector<std::string>> volume_ids(std::span<const std::string> volume_specs,
                                                    const Deadline& deadline) override;
  DriverResult<Identity> identity(const Credentials& credentials, const Deadline& deadline) override;

 private:
  struct Call {
    std::string_view verb = {};
    const Credentials& credentials;
    const Deadline& deadline;
    std::string_view user_data = {};  // of a create
  };
  // What `meaning` makes of the answer.
  template <typename Answered, typename Request, typename Meaning>
  auto call(const Call& how, Request request, const Meaning& meaning)
      -> std::invoke_result_t<const Meaning&, const Answered&>;

  Transport& transport_;
  const Clock& clock_;
};

}  // namespace capstan::infrastructure::remote
