// AccountFixture: the world of provider_fixture.h whose DriverMachines find their account through a Secret
// "cloud", so that a user can lead them elsewhere. Everything runs under the baton of one fixture.
#pragma once

#include <string>
#include <string_view>

#include "infrastructure/provider_fixture.h"

namespace capstan::infrastructure {

struct AccountFixture : InfrastructureFixture {
  using InfrastructureFixture::InfrastructureFixture;

  // The Secret leads to that account from now on.
  void lead_to(const std::string& account, const std::string& secret = "cloud") {
    lead_to(management, account, secret);
  }
  static void lead_to(Management& on, const std::string& account, const std::string& secret = "cloud");
  void lose_credentials(const std::string& secret = "cloud");
  // Machines with VMs.
  void bring_up(const std::vector<std::string>& machines);
  void annotate(const std::string& machine, std::string_view key, const std::string& value);
  std::string ready_message(const std::string& machine);
  // What the DriverCluster says of a VM that is no object's; empty: nothing.
  std::string told_of(const std::string& vm);
  // Takes the object away, so that nothing here knows its VM.
  void lose_object_of(const std::string& machine);
};

api::CredentialsRef cloud_credentials(std::string_view secret = "cloud");

}  // namespace capstan::infrastructure
