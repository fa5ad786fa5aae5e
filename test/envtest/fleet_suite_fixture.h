// What the suites that run the whole product on real servers share: a bed with kubectl for both of its
// servers, the sample's manifests under a name of one's own, and the end of the core's log when a test fails.
// At the end of a suite nothing was refused for want of a right, and what was asked for is noted for
// roles_test.cc. For gtest; one thread.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <regex>
#include <string>
#include <utility>
#include <vector>

#include "test/envtest/audit.h"
#include "test/envtest/fleet_bed.h"
#include "test/envtest/kubectl.h"
#include "test/envtest/rights_expectation.h"

namespace capstan::envtest {

using Lines = std::vector<std::string>;

inline Lines lines_of(const std::string& text) {
  Lines lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    if (end > begin) lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

class FleetSuite : public ::testing::Test {
 protected:
  static constexpr auto kShort = std::chrono::seconds(10);

  // One bed for all tests of the suite.
  static void make_bed(FleetBedOptions options = {.audit = FleetBedOptions::Audit::Requests}) {
    options.programs = std::filesystem::read_symlink("/proc/self/exe").parent_path();
    auto started = FleetBed::start(std::move(options));
    ASSERT_TRUE(started) << started.error().describe();
    bed_ = std::move(*started);
  }
  static void TearDownTestSuite() {
    if (bed_) expect_rights_suffice(bed_->management());
    bed_.reset();
  }
  void TearDown() override {
    if (HasFailure() && bed_)
      std::fputs(text_of(run({.argv = {"tail", "-n", "60", bed_->core().log()}}, kShort)).c_str(), stderr);
  }

  static std::string kubectl(std::vector<std::string> arguments, std::string input = {}) {
    return envtest::kubectl(bed_->management(), std::move(arguments), std::move(input));
  }
  static std::string refused(std::vector<std::string> arguments) {
    return envtest::refused(bed_->management(), std::move(arguments));
  }
  static std::string workload(std::vector<std::string> arguments, std::string input = {}) {
    return envtest::kubectl(bed_->workload(), std::move(arguments), std::move(input));
  }
  static std::string until(const std::string& what, const std::string& object) {
    return kubectl({"wait", "--for=" + what, "--timeout=50s", object});
  }
  // The sample, with everything in it named after `cluster`.
  static void apply_sample(const std::string& cluster, const std::vector<std::string>& flags = {}) {
    ASSERT_NE(bed_, nullptr);
    const auto manifests = bed_->sample(flags);
    ASSERT_TRUE(manifests) << manifests.error().describe();
    const auto mine = std::regex_replace(*manifests, std::regex("demo"), cluster);
    ASSERT_THAT(kubectl({"apply", "-f", "-"}, mine), ::testing::Not(::testing::StartsWith("failed")));
  }
  // A field of each Node whose name begins so.
  static Lines field_of_nodes(const std::string& prefix, const std::string& field) {
    Lines mine = lines_of(workload(
        {"get", "nodes", "-o=jsonpath={range .items[*]}{.metadata.name} {" + field + "}{\"\\n\"}{end}"}));
    std::erase_if(mine, [&](const std::string& line) { return !line.starts_with(prefix); });
    for (auto& line : mine) line = line.substr(line.find(' ') + 1);
    return mine;
  }
  static Lines field_of_machines(const std::string& label, const std::string& field) {
    return lines_of(kubectl(
        {"get", "machines", "-l", label, "-o=jsonpath={range .items[*]}{" + field + "}{\"\\n\"}{end}"}));
  }

  static inline std::unique_ptr<FleetBed> bed_;
};

}  // namespace capstan::envtest
