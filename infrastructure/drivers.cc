#include "infrastructure/drivers.h"

namespace capstan::infrastructure {
namespace {

// Stands where an object names no driver of this provider.
class MissingDriver final : public Driver {
 public:
  explicit MissingDriver(std::string why) : why_(std::move(why)) {}

  DriverResult<Vm> create(const CreateVm&, const Credentials&, const Deadline&) override { return failure(); }
  DriverResult<Vm> initialize(const InitializeVm&, const Credentials&, const Deadline&) override {
    return failure();
  }
  DriverResult<void> remove(const VmId&, const Credentials&, const Deadline&) override { return failure(); }
  DriverResult<Vm> status(const VmId&, const Credentials&, const Deadline&) override { return failure(); }
  DriverResult<std::vector<Vm>> list(const Tags&, const Credentials&, const Deadline&) override {
    return failure();
  }
  DriverResult<void> tag(const VmId&, const Tags&, const Credentials&, const Deadline&) override {
    return failure();
  }
  DriverResult<std::vector<std::string>> volume_ids(std::span<const std::string>, const Deadline&) override {
    return failure();
  }
  DriverResult<Identity> identity(const Credentials&, const Deadline&) override { return failure(); }

 private:
  std::unexpected<DriverError> failure() const {
    return driver_failure(DriverCode::FailedPrecondition, why_);
  }

  const std::string why_;
};

std::string names_of(const std::map<std::string, Driver*, std::less<>>& drivers) {
  std::string names;
  for (const auto& [name, driver] : drivers) names += (names.empty() ? "" : ", ") + name;
  return names;
}

}  // namespace

Drivers::Drivers(std::map<std::string, Driver*, std::less<>> by_name)
    : by_name_(std::move(by_name)),
      missing_(std::make_shared<MissingDriver>("spec.driver names no driver of this provider; there are: " +
                                               names_of(by_name_))) {}

Driver& Drivers::of(std::string_view name) const {
  if (only_ != nullptr) return *only_;
  if (name.empty() && by_name_.size() == 1) return *by_name_.begin()->second;
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? *missing_ : *found->second;
}

}  // namespace capstan::infrastructure
