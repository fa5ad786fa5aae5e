// What each suite that runs the product on a real server expects at its end. For gtest.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "test/envtest/audit.h"
#include "test/envtest/package_roles.h"

namespace capstan::envtest {

// Nothing was refused for want of a right; what was asked for is noted under the program's name, for
// roles_test.cc. The servers have an audit log.
inline void expect_rights_suffice(const RealServers& servers) {
  const auto entries = AuditReader(servers.audit_log()).more();
  ASSERT_TRUE(entries) << entries.error().describe();
  EXPECT_THAT(forbidden_requests(*entries), ::testing::IsEmpty());
  const std::string name = std::filesystem::read_symlink("/proc/self/exe").filename();
  // A suite that starts servers for each of its tests asks the sum of what these ask.
  static std::vector<AuditEntry> of_this_suite;
  of_this_suite.insert(of_this_suite.end(), entries->begin(), entries->end());
  const auto noted = note_requests(name, of_this_suite);
  EXPECT_TRUE(noted) << noted.error().describe();
}

}  // namespace capstan::envtest
