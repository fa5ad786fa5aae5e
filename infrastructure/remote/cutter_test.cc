// When the thread that cuts connections is woken, and that no call outlives its deadline for it.
#include "infrastructure/remote/cutter.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <thread>

#include "test/fakes/fake_clock.h"

namespace capstan::infrastructure::remote {
namespace {

using namespace std::chrono_literals;

// Counts the waits of all threads.
class CountedWaits final : public Threads {
 public:
  explicit CountedWaits(Threads& inner) : inner_(inner) {}

  std::unique_ptr<Thread> spawn(std::string name, Body body) override {
    return inner_.spawn(std::move(name), std::move(body));
  }
  Woken wait(Signal& signal, std::uint64_t seen, const Deadline& deadline) override {
    ++count_;
    return inner_.wait(signal, seen, deadline);
  }
  void switch_point(std::string_view seam) override { inner_.switch_point(seam); }
  int count() const { return count_; }

 private:
  Threads& inner_;
  std::atomic<int> count_ = 0;
};

// A connection to a peer that never says anything.
class SilentPeer {
 public:
  SilentPeer() {
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends_.data()), 0);
    const timeval longest = {.tv_sec = 20, .tv_usec = 0};
    ::setsockopt(ends_[0], SOL_SOCKET, SO_RCVTIMEO, &longest, sizeof longest);
    connection_->watch(ends_[0]);
  }
  ~SilentPeer() {
    ::close(ends_[0]);
    ::close(ends_[1]);
  }
  SilentPeer(const SilentPeer&) = delete;
  SilentPeer& operator=(const SilentPeer&) = delete;

  const std::shared_ptr<Cuttable>& connection() const { return connection_; }
  bool is_cut() const {
    char byte = 0;
    return ::recv(ends_[0], &byte, 1, MSG_DONTWAIT) == 0;
  }
  // Within twenty seconds of real time.
  bool gets_cut() const {
    char byte = 0;
    return ::recv(ends_[0], &byte, 1, 0) == 0;
  }

 private:
  std::array<int, 2> ends_ = {-1, -1};
  std::shared_ptr<Cuttable> connection_ = std::make_shared<Cuttable>();
};

struct CutterStage {
  fakes::FakeClock clock = fakes::FakeClock();
  CountedWaits threads{clock};
  Cutter cutter{threads, clock};

  Deadline in(Nanoseconds span) const { return Deadline::in(clock, span); }
  // Its thread sleeps, for the `waits`th time.
  bool sleeps(int waits) {
    const SystemClock real;
    const Deadline limit = Deadline::in(real, 20s);
    while (threads.count() < waits && !limit.passed(real.steady_now())) std::this_thread::yield();
    return threads.count() >= waits && clock.await_waiting(1);
  }
};

// Each call woke the thread, and for nothing: most end in time.
TEST(Cutter, IsNotWokenByCallsThatEndInTime) {
  CutterStage stage;
  ASSERT_TRUE(stage.sleeps(1));
  const SilentPeer peer;
  {
    const Cutter::Call first(stage.cutter, peer.connection(), stage.in(60s));
  }
  ASSERT_TRUE(stage.sleeps(2));

  for (int i = 0; i < 100; ++i) const Cutter::Call call(stage.cutter, peer.connection(), stage.in(60s));
  ASSERT_TRUE(stage.sleeps(2));

  EXPECT_EQ(stage.threads.count(), 2);
  EXPECT_FALSE(peer.is_cut());
}

TEST(Cutter, CutsACallWhoseTimeIsOverBeforeThatOfOlderOnes) {
  CutterStage stage;
  const SilentPeer patient;
  const SilentPeer hasty;
  const Cutter::Call older(stage.cutter, patient.connection(), stage.in(60s));
  ASSERT_TRUE(stage.sleeps(1));
  const Cutter::Call call(stage.cutter, hasty.connection(), stage.in(1s));

  stage.clock.advance(1s);

  EXPECT_TRUE(hasty.gets_cut());
  EXPECT_FALSE(patient.is_cut());
}

TEST(Cutter, CutsACallThatBeganWhileItSleptForAnotherOne) {
  CutterStage stage;
  const SilentPeer over;
  const SilentPeer peer;
  {
    const Cutter::Call first(stage.cutter, over.connection(), stage.in(5s));
  }
  ASSERT_TRUE(stage.sleeps(1));
  const Cutter::Call call(stage.cutter, peer.connection(), stage.in(8s));

  stage.clock.advance(5s);
  stage.clock.advance(3s);

  EXPECT_TRUE(peer.gets_cut());
  EXPECT_FALSE(over.is_cut());
}

}  // namespace
}  // namespace capstan::infrastructure::remote
