// The drivers of a provider by name, as spec.driver of its objects names them. Made once, read by every
// controller; safe from any thread.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "infrastructure/driver.h"

namespace capstan::infrastructure {

class Drivers {
 public:
  // One for all objects, whatever they name: the simulated cloud stands in for every other one.
  Drivers(Driver& only) : only_(&only) {}  // NOLINT(google-explicit-constructor)
  // Each lives longer. An object that names none has the only one there is.
  explicit Drivers(std::map<std::string, Driver*, std::less<>> by_name);

  // Of a name that is not there: a driver that fails every call and says which names there are, so that the
  // object waits, and keeps its finalizer.
  Driver& of(std::string_view name) const;

 private:
  std::map<std::string, Driver*, std::less<>> by_name_ = {};
  Driver* only_ = nullptr;  // null: several
  std::shared_ptr<Driver> missing_ = {};
};

}  // namespace capstan::infrastructure
