#include "test/simulation/write_history.h"

#include <gmock/gmock.h>

#include <boost/json.hpp>

namespace capstan::simulation {
namespace {

namespace json = boost::json;
using namespace std::chrono_literals;

constexpr SteadyTime kBegin = SteadyTime(1h);

json::value written(int version, std::string_view label, std::string_view reported = "ok") {
  return {{"metadata", {{"resourceVersion", std::to_string(version)}, {"labels", {{"whose", label}}}}},
          {"status", {{"says", reported}, {"lastTransitionTime", version}}}};
}

TEST(WriteHistory, CountsALabelThatIsPutBackAgainAndAgain) {
  WriteHistory history;

  for (int i = 0; i < 9; ++i) history.note("Machine a", written(i, "ours"), kBegin + i * 2s);

  EXPECT_EQ(history.note("Machine a", written(9, "ours"), kBegin + 20s), 9U)
      << "the first one made the state";
  EXPECT_EQ(history.note("Machine b", written(10, "ours"), kBegin + 20s), 0U);
}

TEST(WriteHistory, ForgetsWhatIsOlderThanAMinute) {
  WriteHistory history;

  std::size_t counted = 0;
  for (int i = 0; i < 20; ++i) counted = history.note("Machine a", written(i, "ours"), kBegin + i * 30s);

  EXPECT_EQ(counted, 3U);
}

TEST(WriteHistory, CountsNothingThatReportsSomethingNewOrChangesNothing) {
  WriteHistory history;
  history.note("Machine a", written(0, "ours", "0"), kBegin);

  for (int i = 1; i < 9; ++i)
    history.note("Machine a", written(i, "ours", std::to_string(i)), kBegin + i * 1s);
  for (int i = 1; i < 9; ++i) history.note("Machine a", written(8, "ours", "8"), kBegin + 10s);

  EXPECT_EQ(history.note("Machine a", written(8, "ours", "8"), kBegin + 10s), 0U);
}

TEST(WriteHistory, CountsNoReportThatFlipsToAndFro) {
  WriteHistory history;

  for (int i = 0; i < 9; ++i)
    history.note("Machine a", written(i, "ours", i % 2 == 0 ? "yes" : "no"), kBegin + i * 1s);

  EXPECT_EQ(history.note("Machine a", written(9, "ours", "no"), kBegin + 10s), 0U)
      << "a cloud that errs now and then is reported so";
}

}  // namespace
}  // namespace capstan::simulation
