#include "infrastructure/controller/pool/refusal.h"

#include <gtest/gtest.h>

#include "test/builders/cluster.h"

namespace capstan::infrastructure::pool {
namespace {

using namespace std::chrono_literals;

const Time kNow = builders::noon();
const Trouble kFull = {.code = api::NoteCode::ResourceExhausted, .message = "full", .retry = 600s};

TEST(Refusal, StandsForItsTime) {
  const api::DriverMachinePool pool;
  const Refusal refusal = refusal_of(kFull, pool, kNow);

  EXPECT_EQ(still_standing(refusal, pool, kNow + 599s), refusal);
  EXPECT_EQ(still_standing(refusal, pool, kNow + 600s), std::nullopt);
  EXPECT_EQ(still_standing(std::nullopt, pool, kNow), std::nullopt);
}

TEST(Refusal, OutlastsNoClockThatIsSetBack) {
  const api::DriverMachinePool pool;
  EXPECT_EQ(still_standing(refusal_of(kFull, pool, kNow), pool, kNow + -3600s), std::nullopt);
}

TEST(Refusal, IsNotThatOfAPoolWhichIsMadeAgainUnderTheName) {
  api::DriverMachinePool pool;
  pool.metadata.uid = api::Uid("first");
  const Refusal refusal = refusal_of(kFull, pool, kNow);
  pool.metadata.uid = api::Uid("second");
  EXPECT_EQ(still_standing(refusal, pool, kNow), std::nullopt);
}

TEST(Refusal, SaysAllTheTimeWhatTheDriverSaid) {
  const Trouble later = as_trouble(refusal_of(kFull, {}, kNow), kNow + 200s);

  EXPECT_EQ(later.message, "full");
  EXPECT_EQ(later.retry, 400s);
}

TEST(Refusal, EndsWithAnotherWishAndNotWithAnotherVm) {
  api::DriverMachinePool pool;
  const Refusal refusal = refusal_of(kFull, pool, kNow);
  pool.spec.provider_id_list.push_back("sim:///1"_text);
  EXPECT_EQ(still_standing(refusal, pool, kNow), refusal);

  pool.spec.vm_class = "m5.large"_text;

  EXPECT_EQ(still_standing(refusal, pool, kNow), std::nullopt);
}

}  // namespace
}  // namespace capstan::infrastructure::pool
