#include "kube/watch_protocol.h"

#include <gtest/gtest.h>

#include <array>
#include <set>

namespace capstan::kube {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr auto kLongLife = seconds(60);
constexpr auto kShortLife = milliseconds(20);

WatchProtocol machines(std::uint64_t seed = 1) {
  return {{"cluster.x-k8s.io/v1beta2", "Machine"}, WatchLimits(), seed};
}

ArrivedObject machine(std::string_view version) { return {"cluster.x-k8s.io/v1beta2", "Machine", version}; }
ArrivedPage page(std::string_view version, std::string_view continue_token = "") {
  return {"cluster.x-k8s.io/v1beta2", "MachineList", version, continue_token};
}

WatchProtocol watching_from(std::string_view version) {
  WatchProtocol protocol = machines();
  protocol.on_page(page(version));
  return protocol;
}

const RequestPage* page_request(const WatchProtocol& protocol) {
  return std::get_if<RequestPage>(&protocol.next_step());
}
const RequestWatch* watch_request(const WatchProtocol& protocol) {
  return std::get_if<RequestWatch>(&protocol.next_step());
}
std::chrono::nanoseconds wait_of(const WatchProtocol& protocol) {
  const auto* wait = std::get_if<WaitFor>(&protocol.next_step());
  return wait == nullptr ? std::chrono::nanoseconds(-1) : wait->span;
}
std::string watched_version(const WatchProtocol& protocol) {
  const auto* request = watch_request(protocol);
  return request == nullptr ? "not watching" : request->version;
}
Error error(Code code, std::optional<seconds> retry_after = {}) {
  return {.code = code, .message = "said the server", .retry_after = retry_after};
}

// --- listing ---

TEST(WatchProtocol, BeginsWithAPageOfFiveHundred) {
  const WatchProtocol protocol = machines();

  ASSERT_NE(page_request(protocol), nullptr);
  EXPECT_EQ(page_request(protocol)->limit, 500);
  EXPECT_EQ(page_request(protocol)->continue_token, "");
}

TEST(WatchProtocol, AnnouncesAListOnceBeforeItsFirstItem) {
  WatchProtocol protocol = machines();

  const Verdict first = protocol.on_item(machine("5"));
  const Verdict second = protocol.on_item(machine("6"));

  EXPECT_TRUE(first.init_start);
  EXPECT_EQ(first.delivery, Delivery::Item);
  EXPECT_FALSE(second.init_start);
  EXPECT_EQ(second.delivery, Delivery::Item);
}

TEST(WatchProtocol, AnnouncesAnEmptyListWithItsPage) {
  WatchProtocol protocol = machines();

  const Verdict verdict = protocol.on_page(page("7"));

  EXPECT_TRUE(verdict.init_start);
  EXPECT_EQ(verdict.delivery, Delivery::InitDone);
}

TEST(WatchProtocol, FollowsContinueTokensAndWatchesFromTheFirstPagesVersion) {
  WatchProtocol protocol = machines();

  const Verdict first = protocol.on_page(page("100", "next"));
  const std::string asked = page_request(protocol)->continue_token;
  const Verdict last = protocol.on_page(page("103"));

  EXPECT_EQ(first.delivery, Delivery::Nothing);
  EXPECT_EQ(asked, "next");
  EXPECT_EQ(last.delivery, Delivery::InitDone);
  EXPECT_FALSE(last.init_start);
  EXPECT_EQ(watched_version(protocol), "100");
}

TEST(WatchProtocol, RepeatsAFailedPageFromItsOwnToken) {
  WatchProtocol protocol = machines();
  protocol.on_page(page("100", "next"));

  protocol.on_failure(error(Code::Unavailable), kShortLife);
  const auto waited = wait_of(protocol);
  protocol.on_waited();

  EXPECT_GE(waited, milliseconds(800));
  EXPECT_EQ(page_request(protocol)->continue_token, "next");
  EXPECT_FALSE(protocol.on_item(machine("3")).init_start);
}

TEST(WatchProtocol, AFirstPageCutInTheMiddleIsListedAndAnnouncedAnew) {
  WatchProtocol protocol = machines();
  protocol.on_item(machine("5"));

  protocol.on_failure(error(Code::Unavailable), kShortLife);
  protocol.on_waited();

  EXPECT_EQ(page_request(protocol)->continue_token, "");
  EXPECT_TRUE(protocol.on_item(machine("6")).init_start);
}

TEST(WatchProtocol, AListThatEndsBeforeItsPageIsCompleteFails) {
  WatchProtocol protocol = machines();
  protocol.on_item(machine("5"));

  protocol.on_end(kLongLife);

  EXPECT_GT(wait_of(protocol), milliseconds(0));
  ASSERT_TRUE(protocol.trouble());
  EXPECT_EQ(protocol.trouble()->code, Code::Unavailable);
}

TEST(WatchProtocol, AnExpiredContinueTokenIsListedAnewInOnePiece) {
  WatchProtocol protocol = machines();
  protocol.on_page(page("100", "next"));

  protocol.on_failure(error(Code::Gone), kShortLife);

  ASSERT_NE(page_request(protocol), nullptr) << "the first expiry is no reason to wait";
  EXPECT_EQ(page_request(protocol)->continue_token, "");
  EXPECT_EQ(page_request(protocol)->limit, 0);
  EXPECT_TRUE(protocol.on_item(machine("3")).init_start);
}

TEST(WatchProtocol, PagesAgainAfterAListInOnePieceSucceeded) {
  WatchProtocol protocol = machines();
  protocol.on_page(page("100", "next"));
  protocol.on_failure(error(Code::Gone), kShortLife);
  protocol.on_page(page("110"));

  protocol.on_failure(error(Code::Gone), kLongLife);

  ASSERT_NE(page_request(protocol), nullptr);
  EXPECT_EQ(page_request(protocol)->limit, 500);
}

TEST(WatchProtocol, ASilentListIsDeadAndRepeated) {
  WatchProtocol protocol = machines();

  protocol.on_silence();

  EXPECT_EQ(protocol.trouble()->code, Code::Timeout);
  protocol.on_waited();
  EXPECT_NE(page_request(protocol), nullptr);
}

// --- a list that lies ---

TEST(WatchProtocol, RefusesAListOfAnotherKind) {
  WatchProtocol protocol = machines();

  const Verdict verdict = protocol.on_page({"v1", "ConfigMapList", "100", ""});

  EXPECT_TRUE(verdict.drop_stream);
  EXPECT_EQ(verdict.delivery, Delivery::Nothing);
  EXPECT_GT(wait_of(protocol), milliseconds(0));
  EXPECT_EQ(protocol.trouble()->message,
            "expected a MachineList of cluster.x-k8s.io/v1beta2, got something else");
}

TEST(WatchProtocol, RefusesAListOfAnotherVersionOfTheKind) {
  WatchProtocol protocol = machines();

  EXPECT_TRUE(protocol.on_page({"cluster.x-k8s.io/v1beta1", "MachineList", "100", ""}).drop_stream);
}

TEST(WatchProtocol, RefusesAListWithoutAVersion) {
  WatchProtocol protocol = machines();

  const Verdict verdict = protocol.on_page(page(""));

  EXPECT_TRUE(verdict.drop_stream);
  EXPECT_NE(protocol.trouble()->message.find("resourceVersion"), std::string::npos);
}

TEST(WatchProtocol, RefusesAPageThatContinuesWithItself) {
  WatchProtocol protocol = machines();
  protocol.on_page(page("100", "again"));

  const Verdict verdict = protocol.on_page(page("100", "again"));

  EXPECT_TRUE(verdict.drop_stream);
  EXPECT_EQ(protocol.state(), WatchState(Empty{}));
}

TEST(WatchProtocol, RefusesAListOlderThanWhatWasSeen) {
  WatchProtocol protocol = watching_from("100");
  protocol.on_error_event(error(Code::Gone), kLongLife);

  const Verdict verdict = protocol.on_page(page("90"));

  EXPECT_TRUE(verdict.drop_stream);
  EXPECT_EQ(verdict.delivery, Delivery::Nothing);
  EXPECT_NE(protocol.trouble()->message.find("90"), std::string::npos);
}

TEST(WatchProtocol, BelievesTheThirdOlderListInARow) {
  WatchProtocol protocol = watching_from("100");
  protocol.on_error_event(error(Code::Gone), kLongLife);
  protocol.on_page(page("90"));
  protocol.on_page(page("90"));

  const Verdict verdict = protocol.on_page(page("91"));

  EXPECT_EQ(verdict.delivery, Delivery::InitDone);
  EXPECT_TRUE(verdict.rewound);
  EXPECT_EQ(watched_version(protocol), "91");
}

TEST(WatchProtocol, BelievesAPagedListAfterARewindOnItsLastPage) {
  WatchProtocol protocol = watching_from("100");
  protocol.on_error_event(error(Code::Gone), kLongLife);
  protocol.on_page(page("90"));
  protocol.on_page(page("90"));

  const Verdict first = protocol.on_page(page("90", "next"));
  const Verdict last = protocol.on_page(page("90"));

  EXPECT_FALSE(first.drop_stream);
  EXPECT_EQ(last.delivery, Delivery::InitDone);
  EXPECT_TRUE(last.rewound);
}

TEST(WatchProtocol, AnEqualOrNewerListIsNoRewind) {
  WatchProtocol protocol = watching_from("100");
  protocol.on_error_event(error(Code::Gone), kLongLife);

  const Verdict verdict = protocol.on_page(page("100"));

  EXPECT_EQ(verdict.delivery, Delivery::InitDone);
  EXPECT_FALSE(verdict.rewound);
}

TEST(WatchProtocol, NeverComparesVersionsThatAreNoNumbers) {
  WatchProtocol protocol = watching_from("zebra");

  const Verdict verdict = protocol.on_event(EventType::Modified, machine("aardvark"));

  EXPECT_EQ(verdict.delivery, Delivery::Apply);
  EXPECT_EQ(watched_version(protocol), "aardvark");
}

TEST(WatchProtocol, QuarantinesItemsThatLie) {
  WatchProtocol protocol = machines();

  const Verdict foreign = protocol.on_item({"v1", "Pod", "5"});
  const Verdict versionless = protocol.on_item(machine(""));
  const Verdict garbled = protocol.on_item({.unreadable = "spec: expected object"});

  EXPECT_EQ(foreign.delivery, Delivery::Quarantine);
  EXPECT_EQ(versionless.delivery, Delivery::Quarantine);
  EXPECT_EQ(garbled.delivery, Delivery::Quarantine);
  EXPECT_EQ(garbled.why, "spec: expected object");
}

TEST(WatchProtocol, ItemsNeedNotRepeatTheirKind) {
  WatchProtocol protocol = machines();

  EXPECT_EQ(protocol.on_item({.version = "5"}).delivery, Delivery::Item);
}

// --- watching ---

TEST(WatchProtocol, AsksForFiveToTenMinutesAndSpreadsRenewals) {
  std::set<std::int64_t> timeouts;

  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    WatchProtocol protocol = machines(seed);
    protocol.on_page(page("1"));
    timeouts.insert(watch_request(protocol)->timeout.count());
  }

  EXPECT_GE(*timeouts.begin(), 300);
  EXPECT_LE(*timeouts.rbegin(), 600);
  EXPECT_GT(timeouts.size(), 100U);
}

TEST(WatchProtocol, GivesAWatchItsServersTimeoutAndFiveSecondsOfSilence) {
  const WatchProtocol protocol = watching_from("1");

  EXPECT_EQ(watch_request(protocol)->silent_after, watch_request(protocol)->timeout + seconds(5));
}

TEST(WatchProtocol, EventsAreAppliedAndMoveTheVersion) {
  WatchProtocol protocol = watching_from("100");

  const Verdict added = protocol.on_event(EventType::Added, machine("101"));
  const Verdict modified = protocol.on_event(EventType::Modified, machine("102"));
  const Verdict deleted = protocol.on_event(EventType::Deleted, machine("103"));

  EXPECT_EQ(added.delivery, Delivery::Apply);
  EXPECT_EQ(modified.delivery, Delivery::Apply);
  EXPECT_EQ(deleted.delivery, Delivery::Delete);
  EXPECT_EQ(protocol.version(), "103");
}

TEST(WatchProtocol, ResumesFromTheLastVersionAfterACut) {
  WatchProtocol protocol = watching_from("100");
  protocol.on_event(EventType::Added, machine("107"));

  protocol.on_failure(error(Code::Unavailable), kLongLife);
  protocol.on_waited();

  EXPECT_EQ(watched_version(protocol), "107");
}

TEST(WatchProtocol, ABookmarkAdvancesTheVersionToResumeFrom) {
  WatchProtocol protocol = watching_from("100");

  const Verdict verdict = protocol.on_event(EventType::Bookmark, machine("250"));
  protocol.on_end(kLongLife);

  EXPECT_EQ(verdict.delivery, Delivery::Version);
  EXPECT_EQ(watched_version(protocol), "250");
}

TEST(WatchProtocol, RenewsAtOnceWhenTheServersTimeoutEndedTheWatch) {
  WatchProtocol protocol = watching_from("100");

  protocol.on_end(kLongLife);

  EXPECT_EQ(watched_version(protocol), "100");
  EXPECT_FALSE(protocol.trouble());
}

TEST(WatchProtocol, AWatchThatEndsAtOnceBacksOffLongerEachTime) {
  WatchProtocol protocol = watching_from("100");
  std::vector<std::chrono::nanoseconds> waits;

  for (int i = 0; i < 12; ++i) {
    protocol.on_end(kShortLife);
    waits.push_back(wait_of(protocol));
    protocol.on_waited();
  }

  EXPECT_GE(waits.front(), milliseconds(800));
  EXPECT_LE(waits.front(), milliseconds(1600));
  EXPECT_GE(waits.back(), seconds(30));
  EXPECT_LE(waits.back(), seconds(60));
}

TEST(WatchProtocol, AWatchThatLivedForgetsEarlierFailures) {
  WatchProtocol protocol = watching_from("100");
  for (int i = 0; i < 8; ++i) protocol.on_end(kShortLife);

  protocol.on_failure(error(Code::Unavailable), kLongLife);

  EXPECT_LE(wait_of(protocol), milliseconds(1600));
}

TEST(WatchProtocol, ASilentWatchIsDeadAndResumesFromItsVersion) {
  WatchProtocol protocol = watching_from("100");
  protocol.on_event(EventType::Added, machine("101"));

  protocol.on_silence();
  const Code trouble = protocol.trouble()->code;
  protocol.on_waited();

  EXPECT_EQ(trouble, Code::Timeout);
  EXPECT_EQ(watched_version(protocol), "101");
}

TEST(WatchProtocol, GoneInsideAWatchListsAnewAtOnce) {
  WatchProtocol protocol = watching_from("100");

  const Verdict verdict = protocol.on_error_event(error(Code::Gone), kLongLife);

  EXPECT_TRUE(verdict.drop_stream);
  ASSERT_NE(page_request(protocol), nullptr);
  EXPECT_EQ(protocol.state(), WatchState(Empty{}));
}

TEST(WatchProtocol, GoneAsAnAnswerToAWatchListsAnewAtOnce) {
  WatchProtocol protocol = watching_from("100");

  protocol.on_failure(error(Code::Gone), kShortLife);

  EXPECT_NE(page_request(protocol), nullptr);
}

TEST(WatchProtocol, GoneAgainRightAfterAListWaitsBeforeTheNext) {
  WatchProtocol protocol = watching_from("100");
  protocol.on_failure(error(Code::Gone), kShortLife);
  protocol.on_page(page("120"));

  protocol.on_failure(error(Code::Gone), kShortLife);

  EXPECT_GE(wait_of(protocol), milliseconds(800));
}

TEST(WatchProtocol, GoneAgainAfterAWatchThatLivedDoesNotWait) {
  WatchProtocol protocol = watching_from("100");
  protocol.on_failure(error(Code::Gone), kShortLife);
  protocol.on_page(page("120"));
  protocol.on_end(kLongLife);

  protocol.on_failure(error(Code::Gone), kShortLife);

  EXPECT_NE(page_request(protocol), nullptr);
}

TEST(WatchProtocol, RetryAfterIsObeyedWhenItIsLongerThanTheBackoff) {
  WatchProtocol protocol = watching_from("100");

  protocol.on_failure(error(Code::RateLimited, seconds(17)), kShortLife);
  const auto waited = wait_of(protocol);
  protocol.on_waited();

  EXPECT_EQ(waited, seconds(17));
  EXPECT_EQ(watched_version(protocol), "100");
}

TEST(WatchProtocol, RetryAfterCannotShortenTheBackoff) {
  WatchProtocol protocol = watching_from("100");
  for (int i = 0; i < 8; ++i) protocol.on_end(kShortLife);

  protocol.on_failure(error(Code::RateLimited, seconds(1)), kShortLife);

  EXPECT_GE(wait_of(protocol), seconds(30));
}

TEST(WatchProtocol, AnotherErrorInsideAWatchResumesInsteadOfListing) {
  WatchProtocol protocol = watching_from("100");

  const Verdict verdict = protocol.on_error_event(error(Code::Internal), kLongLife);
  protocol.on_waited();

  EXPECT_TRUE(verdict.drop_stream);
  EXPECT_EQ(watched_version(protocol), "100");
}

TEST(WatchProtocol, ARefusedVersionOrAVanishedKindListsAnew) {
  for (const Code code : {Code::Invalid, Code::NotFound}) {
    WatchProtocol protocol = watching_from("100");

    protocol.on_failure(error(code), kShortLife);
    const auto waited = wait_of(protocol);
    protocol.on_waited();

    EXPECT_GT(waited, seconds(0));
    EXPECT_NE(page_request(protocol), nullptr);
  }
}

// --- a watch that lies ---

TEST(WatchProtocol, QuarantinesAnObjectOfAnotherKindAndGoesOn) {
  WatchProtocol protocol = watching_from("100");

  const Verdict verdict = protocol.on_event(EventType::Added, {"v1", "Pod", "101"});

  EXPECT_EQ(verdict.delivery, Delivery::Quarantine);
  EXPECT_FALSE(verdict.drop_stream);
  EXPECT_EQ(protocol.version(), "100");
  EXPECT_EQ(protocol.on_event(EventType::Added, machine("102")).delivery, Delivery::Apply);
}

TEST(WatchProtocol, QuarantinesAnEventWithoutVersion) {
  WatchProtocol protocol = watching_from("100");

  EXPECT_EQ(protocol.on_event(EventType::Added, machine("")).delivery, Delivery::Quarantine);
}

TEST(WatchProtocol, QuarantinesAnUnreadableObjectButRemembersItsVersion) {
  WatchProtocol protocol = watching_from("100");

  const Verdict verdict =
      protocol.on_event(EventType::Modified, {.version = "101", .unreadable = "spec: expected object"});

  EXPECT_EQ(verdict.delivery, Delivery::Quarantine);
  EXPECT_EQ(verdict.why, "spec: expected object");
  EXPECT_EQ(protocol.version(), "101");
}

TEST(WatchProtocol, QuarantinesAnUnknownTypeOfEvent) {
  WatchProtocol protocol = watching_from("100");

  EXPECT_EQ(protocol.on_event(EventType::Unknown, machine("101")).delivery, Delivery::Quarantine);
}

TEST(WatchProtocol, AWatchThatGoesBackIsDroppedAndListedAnewWithoutHurry) {
  WatchProtocol protocol = watching_from("100");
  protocol.on_event(EventType::Added, machine("105"));

  const Verdict verdict = protocol.on_event(EventType::Modified, machine("104"));

  EXPECT_TRUE(verdict.drop_stream);
  EXPECT_EQ(verdict.delivery, Delivery::Nothing);
  EXPECT_GE(wait_of(protocol), milliseconds(800));
  EXPECT_EQ(protocol.state(), WatchState(Empty{}));
}

TEST(WatchProtocol, ABookmarkThatGoesBackMeansASetBackHistory) {
  WatchProtocol protocol = watching_from("100");

  EXPECT_TRUE(protocol.on_event(EventType::Bookmark, machine("60")).drop_stream);
}

TEST(WatchProtocol, ADeletionMayCarryTheVersionOfTheLastChange) {
  WatchProtocol protocol = watching_from("100");

  const Verdict verdict = protocol.on_event(EventType::Deleted, machine("40"));

  EXPECT_EQ(verdict.delivery, Delivery::Delete);
  EXPECT_EQ(protocol.version(), "100");
}

TEST(WatchProtocol, AServerThatKeepsLyingIsAskedLessAndLessOften) {
  WatchProtocol protocol = watching_from("100");
  std::chrono::nanoseconds last = {};

  for (int i = 0; i < 10; ++i) {
    protocol.on_event(EventType::Modified, machine("1"));
    last = wait_of(protocol);
    protocol.on_waited();
    protocol.on_page(page("100"));
  }

  EXPECT_GE(last, seconds(30));
}

// --- the wrong input at the wrong time (found by the fuzzer) ---

TEST(WatchProtocol, IgnoresWhatDoesNotBelongToItsState) {
  WatchProtocol listing = machines();
  WatchProtocol watching = watching_from("100");

  const Verdict event = listing.on_event(EventType::Added, machine("5"));
  const Verdict item = watching.on_item(machine("5"));
  const Verdict another_page = watching.on_page(page("500"));
  watching.on_waited();

  EXPECT_EQ(event.delivery, Delivery::Nothing);
  EXPECT_EQ(item.delivery, Delivery::Nothing);
  EXPECT_EQ(another_page.delivery, Delivery::Nothing);
  EXPECT_EQ(watched_version(watching), "100");
}

// A reader that believes every verdict, and complains when two of them do not go together.
class Believer {
 public:
  void hear(const Verdict& verdict, const WatchProtocol& protocol) {
    if (verdict.init_start) listing_ = true;
    switch (verdict.delivery) {
      case Delivery::Nothing:
      case Delivery::Quarantine: break;
      case Delivery::Item: EXPECT_TRUE(listing_) << "an item outside a list"; break;
      case Delivery::InitDone:
        EXPECT_TRUE(listing_) << "a list that never began is complete";
        EXPECT_TRUE(verdict.rewound || number(protocol) >= newest_) << "an older list without a rewind";
        listing_ = false;
        synced_ = true;
        newest_ = number(protocol);
        break;
      case Delivery::Apply:
      case Delivery::Delete:
      case Delivery::Version:
        EXPECT_TRUE(synced_ && !listing_) << "an event before its list";
        EXPECT_GE(number(protocol), newest_) << "a version went back";
        newest_ = number(protocol);
        break;
    }
  }

 private:
  static long long number(const WatchProtocol& protocol) {
    return std::stoll(std::string(protocol.version()));
  }
  bool listing_ = false;
  bool synced_ = false;
  long long newest_ = 0;
};

TEST(WatchProtocol, NeverContradictsItselfWhateverArrives) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    WatchProtocol protocol = machines(seed);
    Believer believer;
    std::uint64_t chance = seed;
    const auto draw = [&](std::uint64_t bound) {
      chance = chance * 6364136223846793005ULL + 1442695040888963407ULL;
      return (chance >> 33U) % bound;
    };
    for (int i = 0; i < 500; ++i) {
      const std::string version = std::to_string(100 + draw(20));
      const auto lived =
          draw(2) == 0 ? std::chrono::nanoseconds(kShortLife) : std::chrono::nanoseconds(kLongLife);
      const Code code = std::array{Code::Gone, Code::Unavailable, Code::Invalid, Code::RateLimited}[draw(4)];
      switch (draw(9)) {
        case 0: believer.hear(protocol.on_item(machine(version)), protocol); break;
        case 1: believer.hear(protocol.on_page(page(version, draw(3) == 0 ? "more" : "")), protocol); break;
        case 2: believer.hear(protocol.on_event(EventType::Modified, machine(version)), protocol); break;
        case 3: believer.hear(protocol.on_event(EventType::Deleted, machine(version)), protocol); break;
        case 4: believer.hear(protocol.on_event(EventType::Bookmark, machine(version)), protocol); break;
        case 5: believer.hear(protocol.on_error_event(error(code), lived), protocol); break;
        case 6: protocol.on_failure(error(code), lived); break;
        case 7: protocol.on_end(lived); break;
        default: protocol.on_waited(); break;
      }
      EXPECT_LE(wait_of(protocol), seconds(60));
    }
  }
}

}  // namespace
}  // namespace capstan::kube
