// Drivers that lie, hang or break off: each call ends in time with an error that says what was wrong, and
// none is taken for a VM or for the absence of one.
#include <gmock/gmock.h>

#include "infrastructure/remote/raw_driver_fixture.h"

namespace capstan::infrastructure::remote {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

constexpr std::string_view kVm =
    R"({"vm":{"providerID":"x:///1","name":"m1","state":"Running","tags":{"capstan.dev/instance-key":"k1"}}})";
const VmId kAsked{.instance_key = "k1"};

// What one call of status comes to with a driver that does so.
DriverResult<Vm> status_of(const std::function<void(RawConnection&)>& driver, Nanoseconds within = 10s) {
  const RawDriver raw(socket_path("bad"), driver);
  DriverAt at(socket_path("bad"));
  return at.driver.status(kAsked, {}, at.within(within));
}

std::string said(const DriverResult<Vm>& result) { return result ? "a VM" : result.error().describe(); }

DriverResult<Vm> status_answered(std::string body, int status = 200) {
  return status_of([&](RawConnection& connection) {
    connection.read_request();
    connection.answer(status, body);
  });
}

TEST(BadDriver, AnHonestOneIsBelieved) {
  const auto vm = status_answered(std::string(kVm));

  ASSERT_TRUE(vm) << vm.error().describe();
  EXPECT_EQ(vm->provider_id, "x:///1");
}

TEST(BadDriver, ThatIsNotThereHasDoneNothing) {
  DriverAt at(socket_path("nobody-listens"));

  const auto made = at.driver.create({.instance_key = "k1", .name = "m1"}, {}, at.within(10s));

  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code, DriverCode::Unavailable);
  EXPECT_THAT(made.error().message, HasSubstr("nobody-listens"));
}

TEST(BadDriver, ThatHangsIsGivenUpAtTheDeadline) {
  const auto vm = status_of(
      [](RawConnection& connection) {
        connection.read_request();
        connection.hang();
      },
      200ms);

  EXPECT_THAT(said(vm), HasSubstr("DeadlineExceeded: the driver at unix:"));
}

// More than the socket holds: the call is stuck before it waits for an answer.
TEST(BadDriver, ThatReadsNothingIsGivenUpAtTheDeadline) {
  const RawDriver raw(socket_path("bad"),
                      [](RawConnection&) { SystemThreads().pause(Deadline::in(SystemClock(), 1s)); });
  DriverAt at(socket_path("bad"));

  const auto made =
      at.driver.create({.instance_key = "k1", .name = "m1", .user_data = Secret(std::string(700'000, 'x'))},
                       {}, at.within(300ms));

  EXPECT_THAT(said(made), HasSubstr("DeadlineExceeded: the driver at unix:"));
}

TEST(BadDriver, ThatDripsItsHeadIsGivenUpAtTheDeadline) {
  const auto vm = status_of(
      [](RawConnection& connection) {
        connection.read_request();
        connection.write("HTTP/1.1 200 OK\r\nX-Slow: ");
        connection.drip('z');
      },
      300ms);

  EXPECT_THAT(said(vm), HasSubstr("DeadlineExceeded"));
}

TEST(BadDriver, ThatDripsItsBodyIsGivenUpAtTheDeadline) {
  const auto vm = status_of(
      [](RawConnection& connection) {
        connection.read_request();
        connection.write("HTTP/1.1 200 OK\r\nContent-Length: 60000\r\n\r\n");
        connection.drip(' ');
      },
      300ms);

  EXPECT_THAT(said(vm), HasSubstr("DeadlineExceeded"));
}

TEST(BadDriver, IsLeftWhenTheCallerIsToldToStop) {
  std::stop_source stop;
  const RawDriver raw(socket_path("stop"), [&](RawConnection& connection) {
    connection.read_request();
    stop.request_stop();
    connection.hang();
  });
  DriverAt at(socket_path("stop"));

  const auto vm = at.driver.status(kAsked, {}, at.within(60s, stop.get_token()));

  EXPECT_EQ(said(vm), "Canceled: told to stop");
}

TEST(BadDriver, ThatSendsTenMegabytesIsCutOff) {
  const std::string much(10U << 20, ' ');

  EXPECT_THAT(said(status_answered(much)),
              HasSubstr("Unknown: the driver's answer has more than 65536 bytes"));
}

TEST(BadDriver, ThatSendsTenMegabytesInChunksIsCutOff) {
  const auto vm = status_of([](RawConnection& connection) {
    connection.read_request();
    connection.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
    const std::string chunk = "4000\r\n" + std::string(0x4000, ' ') + "\r\n";
    while (connection.write(chunk)) {
    }
  });

  EXPECT_THAT(said(vm), HasSubstr("has more than 65536 bytes"));
}

TEST(BadDriver, ThatDropsMidBodyLeavesTheOutcomeUnknown) {
  const auto vm = status_of([](RawConnection& connection) {
    connection.read_request();
    connection.write("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n" + std::string(kVm.substr(0, 40)));
  });

  EXPECT_THAT(said(vm), HasSubstr("Unknown: driver at unix:"));
}

TEST(BadDriver, ThatDropsMidBodyWithoutALengthIsNotBelieved) {
  const auto vm = status_of([](RawConnection& connection) {
    connection.read_request();
    connection.write("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n" + std::string(kVm.substr(0, 40)));
  });

  EXPECT_THAT(said(vm), HasSubstr("Unknown: the driver's answer is wrong"));
}

TEST(BadDriver, ThatAnswersGarbageIsNotBelieved) {
  EXPECT_THAT(said(status_answered("\x80\x81garbage")), HasSubstr("Unknown: the driver's answer is wrong"));
  EXPECT_THAT(said(status_answered(std::string(60000, '['))),
              HasSubstr("Unknown: the driver's answer is wrong"));
  EXPECT_THAT(said(status_of([](RawConnection& connection) {
                connection.read_request();
                connection.write("SSH-2.0-OpenSSH\r\n\r\n");
              })),
              HasSubstr("Unknown: driver at unix:"));
}

TEST(BadDriver, ThatLiesAboutTheVmIsNotBelieved) {
  const std::string another =
      R"({"vm":{"providerID":"x:///1","name":"m1","state":"Running","tags":{"capstan.dev/instance-key":"k2"}}})";

  EXPECT_THAT(said(status_answered(another)), HasSubstr("a VM of instance key k2 where k1 was asked for"));
}

TEST(BadDriver, ThatHasTwoVmsOfAKeyIsHeldUp) {
  EXPECT_EQ(said(status_answered(R"({"code":"OutOfRange","message":"2 VMs have key k1"})", 500)),
            "OutOfRange: 2 VMs have key k1");
}

TEST(BadDriver, OfAnotherVersionSaysSo) {
  EXPECT_THAT(said(status_answered("404 page not found", 404)),
              HasSubstr("Unknown: the driver's answer is wrong: HTTP 404 without a code"));
}

TEST(BadDriver, WithAnUnknownCodeIsUnknown) {
  EXPECT_EQ(said(status_answered(R"({"code":"Borked","message":"so it is"})", 500)),
            "Unknown: unknown code \"Borked\": so it is");
}

TEST(BadDriver, ThatRepeatsACredentialIsMasked) {
  const RawDriver raw(socket_path("leak"), [](RawConnection& connection) {
    connection.read_request();
    connection.answer(500, R"({"code":"Unauthenticated","message":"hunter2-hunter2 is no password"})");
  });
  DriverAt at(socket_path("leak"));
  Credentials credentials;
  credentials.values.emplace("password", Secret<std::string>("hunter2-hunter2"));

  EXPECT_EQ(said(at.driver.status(kAsked, credentials, at.within(10s))),
            "Unauthenticated: *** is no password");
}

TEST(BadDriver, ThatRepeatsTheUserDataIsMasked) {
  const RawDriver raw(socket_path("leak-of-user-data"), [](RawConnection& connection) {
    connection.read_request();
    connection.answer(500, R"({"code":"InvalidArgument","message":"line 2: token: abcdef.0123456789"})");
  });
  DriverAt at(socket_path("leak-of-user-data"));

  const auto made = at.driver.create({.instance_key = "k1",
                                      .name = "m1",
                                      .user_data = Secret<std::string>("a: b\n  token: abcdef.0123456789\n")},
                                     {}, at.within(10s));

  EXPECT_EQ(said(made), "InvalidArgument: line 2: ***");
}

TEST(BadDriver, ThatNamesAVmLikeACredentialIsMaskedToo) {
  const RawDriver raw(socket_path("leak-of-id"), [](RawConnection& connection) {
    connection.read_request();
    connection.answer(200, R"({"vm":{"providerID":"hunter2-hunter2","name":"m1","state":"Running"}})");
  });
  DriverAt at(socket_path("leak-of-id"));
  Credentials credentials;
  credentials.values.emplace("password", Secret<std::string>("hunter2-hunter2"));

  EXPECT_EQ(said(at.driver.status({.provider_id = "x:///1"}, credentials, at.within(10s))),
            "Unknown: the driver's answer is wrong: VM *** where x:///1 was asked for");
}

TEST(BadDriver, WhosePageOfAListIsTooLargeListsNothing) {
  const RawDriver raw(socket_path("large-page"), [](RawConnection& connection) {
    connection.read_request();
    connection.answer(200, std::string((1U << 20) + 1, ' '));
  });
  DriverAt at(socket_path("large-page"));

  const auto listed = at.driver.list({}, {}, at.within(10s));

  ASSERT_FALSE(listed);
  EXPECT_THAT(listed.error().describe(),
              HasSubstr("Unknown: the driver's answer has more than 1048576 bytes"));
}

TEST(BadDriver, WhoseListBreaksOffListsNothing) {
  std::atomic<int> pages = 0;
  const RawDriver raw(socket_path("list"), [&](RawConnection& connection) {
    for (std::string request = connection.read_request(); !request.empty();
         request = connection.read_request()) {
      if (pages++ == 0)
        connection.answer(
            200, R"({"vms":[{"providerID":"x:///1","name":"m1","state":"Running"}],"continue":"2"})");
      else
        return connection.answer(500, R"({"code":"Internal","message":"page 2 is gone"})");
    }
  });
  DriverAt at(socket_path("list"));

  const auto listed = at.driver.list({}, {}, at.within(10s));

  ASSERT_FALSE(listed);
  EXPECT_EQ(listed.error().describe(), "Internal: page 2 is gone");
  EXPECT_EQ(pages, 2);
}

TEST(BadDriver, ThatHangsHoldsNoMoreCallsThanItHasWorkers) {
  std::atomic<int> hanging = 0;
  const RawDriver raw(socket_path("busy"), [&](RawConnection& connection) {
    connection.read_request();
    ++hanging;
    connection.hang();
  });
  DriverAt at(TransportOptions{.endpoint = {.socket = socket_path("busy")}, .workers = 1, .patience = 200ms});
  std::stop_source enough;
  const auto first = at.threads.spawn("first call", [&](const std::stop_token&) {
    const auto hung = at.driver.status(kAsked, {}, at.within(60s, enough.get_token()));
    EXPECT_FALSE(hung);
  });
  while (hanging == 0) at.threads.pause(at.within(1ms));

  const SteadyTime before = at.clock.steady_now();
  const auto second = at.driver.status(kAsked, {}, at.within(60s));
  const Nanoseconds waited = at.clock.steady_now() - before;
  const auto listed = at.driver.list({}, {}, at.within(60s));
  const SteadyTime silent = at.clock.steady_now();
  const auto listed_again = at.driver.list({}, {}, at.within(60s));
  const Nanoseconds waited_again = at.clock.steady_now() - silent;
  enough.request_stop();
  first->join();

  EXPECT_THAT(said(second), HasSubstr("is busy: 1 calls have no answer yet"));
  EXPECT_EQ(second.error().code, DriverCode::Unavailable);
  EXPECT_TRUE(second.error().busy);
  EXPECT_LT(waited, 200ms) << "a call for one VM waits for no worker";
  EXPECT_FALSE(listed);
  EXPECT_FALSE(listed_again);
  EXPECT_LT(waited_again, 200ms) << "it was silent for so long already";
}

TEST(BadDriver, WithOneWorkerAnswersManyListsThatComeAtOnce) {
  const RawDriver raw(socket_path("one-worker"), [](RawConnection& connection) {
    while (!connection.read_request().empty()) connection.answer(200, "{}");
  });
  DriverAt at(TransportOptions{.endpoint = {.socket = socket_path("one-worker")}, .workers = 1});
  std::vector<std::unique_ptr<Thread>> calls;
  std::atomic<int> answered = 0;

  for (int i = 0; i < 20; ++i)
    calls.push_back(at.threads.spawn("call", [&](const std::stop_token&) {
      if (at.driver.list({}, {}, at.within(60s))) ++answered;
    }));
  for (const auto& call : calls) call->join();

  EXPECT_EQ(answered, 20);
}

}  // namespace
}  // namespace capstan::infrastructure::remote
