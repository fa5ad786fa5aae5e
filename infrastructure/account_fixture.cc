#include "infrastructure/account_fixture.h"

#include "api/conditions/conditions.h"

namespace capstan::infrastructure {

void AccountFixture::lead_to(Management& on, const std::string& account, const std::string& secret) {
  const json::value object = {{"apiVersion", "v1"},
                              {"kind", "Secret"},
                              {"metadata", {{"name", secret}, {"namespace", "default"}}},
                              {"stringData", {{"account", account}}}};
  const auto& secrets = kube::resources::secrets();
  (void)on.user.remove(secrets, named(secret), {}, kNever);
  must(on.user.create(secrets, named(secret), object, {}, kNever), "create the credentials");
}

void AccountFixture::lose_credentials(const std::string& secret) {
  must(management.user.remove(kube::resources::secrets(), named(secret), {}, kNever), "delete the Secret");
}

void AccountFixture::bring_up(const std::vector<std::string>& machines) {
  bring_cluster_up();
  for (const std::string& name : machines) {
    api::DriverMachineSpec spec;
    spec.credentials_ref = cloud_credentials();
    management.add_machine(name, spec);
  }
  for (const std::string& name : machines)
    EXPECT_TRUE(eventually([&] { return management.provisioned(name); }));
}

void AccountFixture::annotate(const std::string& machine, std::string_view key, const std::string& value) {
  management.change<api::DriverMachine>(
      machine, [&](api::DriverMachine& object) { object.metadata.annotations.set(Text(key), Text(value)); });
}

std::string AccountFixture::ready_message(const std::string& machine) {
  const auto object = management.get<api::DriverMachine>(machine);
  const auto ready = object ? api::conditions::find(object->status.conditions, "Ready") : nullptr;
  return ready == nullptr ? std::string() : ready->message.str();
}

std::string AccountFixture::told_of(const std::string& vm) {
  const auto cluster = management.get<api::DriverCluster>("c1");
  if (!cluster) return {};
  for (const auto& orphan : cluster->status.orphans) {
    if (orphan.name == vm) return orphan.why.str();
  }
  return {};
}

// Paused first, so that the provider does not take the VM along.
void AccountFixture::lose_object_of(const std::string& machine) {
  annotate(machine, api::annotation::kPaused, "");
  pause(std::chrono::seconds(1));  // the provider says that it is
  management.remove<api::DriverMachine>(machine);
  management.change<api::DriverMachine>(machine,
                                        [](api::DriverMachine& object) { object.metadata.finalizers = {}; });
  management.remove<api::Machine>(machine);
}

api::CredentialsRef cloud_credentials(std::string_view secret) { return {.name = Text(secret)}; }

}  // namespace capstan::infrastructure
