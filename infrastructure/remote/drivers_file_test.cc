// The file that --drivers names.
#include "infrastructure/remote/drivers_file.h"

#include <gmock/gmock.h>

namespace capstan::infrastructure::remote {
namespace {

using testing::HasSubstr;

std::string fault(std::string_view yaml) {
  const auto parsed = parse_drivers(yaml);
  return parsed ? "" : parsed.error().message;
}

TEST(DriversFile, NamesSocketsAndServers) {
  const auto drivers = parse_drivers(R"(
drivers:
- {name: metal, endpoint: "unix:/run/metal.sock"}
- name: cloud
  endpoint: https://driver.example:8443
  tls: {caFile: /tls/ca.pem, certFile: /tls/tls.crt, keyFile: /tls/tls.key}
  workers: 20
)");

  ASSERT_TRUE(drivers) << drivers.error().describe();
  ASSERT_EQ(drivers->size(), 2U);
  EXPECT_EQ(drivers->at(0).transport.endpoint.socket, "/run/metal.sock");
  EXPECT_EQ(drivers->at(0).transport.workers, 40U);
  EXPECT_EQ(drivers->at(1).name, "cloud");
  EXPECT_EQ(drivers->at(1).transport.tls.key, "/tls/tls.key");
  EXPECT_EQ(drivers->at(1).transport.workers, 20U);
}

TEST(DriversFile, SaysWhatIsWrongWithWhichDriver) {
  EXPECT_THAT(fault("drivers: [{name: a, endpoint: 'http://d:80'}]"),
              HasSubstr("driver a: \"http://d:80\": a driver is at unix:/PATH or https://HOST:PORT"));
  EXPECT_THAT(fault("drivers: [{name: a, endpoint: 'https://d'}]"),
              HasSubstr("driver a: https needs tls.caFile"));
  EXPECT_THAT(fault("drivers: [{name: a, endpoint: 'unix:/s', tls: {caFile: /c}}]"),
              HasSubstr("driver a: a unix socket has no tls"));
  EXPECT_THAT(fault("drivers: [{name: a, endpoint: 'unix:/s', worker: 3}]"), HasSubstr("\"worker\":3"));
  EXPECT_THAT(fault("drivers: [{name: a, endpoint: 'unix:/s', workers: 0}]"),
              HasSubstr("drivers[0].workers"));
  EXPECT_THAT(fault("drivers: [{name: A/B, endpoint: 'unix:/s'}]"), HasSubstr("drivers[0].name"));
  EXPECT_THAT(fault("drivers: [{name: a, endpoint: 'unix:/s'}, {name: a, endpoint: 'unix:/t'}]"),
              HasSubstr("drivers[1]"));
  EXPECT_THAT(fault("drivers: []"), HasSubstr("drivers"));
  EXPECT_THAT(fault("driver: 7"), HasSubstr("drivers"));
}

}  // namespace
}  // namespace capstan::infrastructure::remote
