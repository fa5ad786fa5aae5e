// What crosses the wire, without a wire: pages, answers that are believed or not, endpoints, masks.
#include "infrastructure/remote/messages.h"

#include <gmock/gmock.h>

#include "api/driver/names.h"
#include "api/schema/decode.h"
#include "api/schema/encode.h"
#include "base/base64.h"
#include "infrastructure/remote/answers.h"
#include "infrastructure/remote/credentials_wire.h"
#include "infrastructure/remote/endpoint.h"
#include "infrastructure/remote/masking.h"
#include "infrastructure/remote/pages.h"
#include "infrastructure/remote/wire.h"

namespace capstan::infrastructure::remote {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr std::string_view kVm = R"({"vm":{"providerID":"x:///1","name":"m1","state":"Running"}})";

Vm a_vm(std::string provider_id) {
  return {.provider_id = std::move(provider_id), .name = "m", .state = VmState::Running};
}

DriverResult<Vm> answered(const VmId& asked, std::string body) {
  const auto answer = read_answer<VmAnswer>({.body = std::move(body)});
  return answer ? vm_asked_for(asked, *answer) : DriverResult<Vm>(std::unexpected(answer.error()));
}

std::string wrong(const DriverResult<Vm>& answer) {
  if (answer) return "no error";
  return answer.error().describe();
}

TEST(DriverAnswer, IsTheVmThatWasAskedFor) {
  const auto vm = answered({.provider_id = "x:///1"}, std::string(kVm));

  ASSERT_TRUE(vm) << vm.error().describe();
  EXPECT_EQ(vm->name, "m1");
}

TEST(DriverAnswer, OfAnotherVmIsNotBelieved) {
  EXPECT_EQ(wrong(answered({.provider_id = "x:///2"}, std::string(kVm))),
            "Unknown: the driver's answer is wrong: VM x:///1 where x:///2 was asked for");
  const std::string keyed =
      R"({"vm":{"providerID":"x:///1","name":"m1","state":"Running","tags":{"capstan.dev/instance-key":"b"}}})";
  EXPECT_EQ(wrong(answered({.instance_key = "a"}, keyed)),
            "Unknown: the driver's answer is wrong: a VM of instance key b where a was asked for");
}

TEST(DriverAnswer, ByProviderIdMayHaveAnotherKey) {
  const std::string keyed =
      R"({"vm":{"providerID":"x:///1","name":"m1","state":"Running","tags":{"capstan.dev/instance-key":"b"}}})";

  EXPECT_TRUE(answered({.provider_id = "x:///1", .instance_key = "a"}, keyed));
}

TEST(DriverAnswer, NamesTheFieldThatIsWrong) {
  EXPECT_THAT(wrong(answered({}, R"({"vm":{"name":"m1","state":"Running"}})")), HasSubstr("vm.providerID"));
  EXPECT_THAT(wrong(answered({}, R"({"vm":{"providerID":"x","name":"m1","state":"Asleep"}})")),
              HasSubstr("vm.state"));
  EXPECT_THAT(wrong(answered({}, R"({"vm":{"providerID":7}})")), HasSubstr("vm.providerID"));
  EXPECT_THAT(wrong(answered({}, "<html>")), HasSubstr("Unknown: the driver's answer is wrong"));
  EXPECT_THAT(wrong(answered({}, "")), HasSubstr("Unknown: the driver's answer is wrong"));
}

TEST(DriverAnswer, OfAnotherVersionSaysSo) {
  const auto error = failure_in({.status = 404, .body = "Not Found"});

  EXPECT_EQ(error.code, DriverCode::Unknown);
  EXPECT_THAT(error.message, HasSubstr("HTTP 404 without a code; does it speak version 1"));
}

TEST(DriverAnswer, WithAnUnknownCodeIsUnknown) {
  const auto error =
      failure_in({.status = 500, .body = R"({"code":"TeaPot","message":"short","retryAfterSeconds":9})"});

  EXPECT_EQ(error.describe(), "Unknown: unknown code \"TeaPot\": short");
  EXPECT_EQ(error.retry_after, Seconds(9));
}

TEST(DriverAnswer, BringsAStateThatIsNotTooLong) {
  const auto state_of = [](std::size_t size) {
    const std::string body = R"({"code":"Aborted","lastKnownState":")" + std::string(size, 's') + "\"}";
    return failure_in({.status = 500, .body = body}).last_known_state.size();
  };

  EXPECT_EQ(state_of(4096), 4096U);
  EXPECT_EQ(state_of(4097), 0U);
  EXPECT_EQ(answered({}, R"({"vm":{"providerID":"x","name":"m1","state":"Running"},"lastKnownState":"s"})")
                .value()
                .last_known_state,
            "s");
}

TEST(DriverList, IsRefusedWithAVmTwiceAGapOrAPageAgain) {
  const Tags none;
  const auto added = [&](const std::vector<std::string>& pages) -> std::string {
    Listing listing(none);
    for (const std::string& page : pages) {
      const auto read = read_answer<ListAnswer>({.body = page});
      if (!read) return read.error().describe();
      if (const auto more = listing.add(*read); !more) return more.error().describe();
    }
    return {};
  };
  const std::string one = R"({"providerID":"x:///1","name":"m1","state":"Running"})";

  EXPECT_EQ(added({"{\"vms\":[" + one + "],\"continue\":\"a\"}", R"({"vms":[]})"}), "");
  EXPECT_THAT(added({"{\"vms\":[" + one + "," + one + "]}"}),
              HasSubstr("VM x:///1 stands in the list twice"));
  EXPECT_THAT(added({"{\"vms\":[" + one + ",null]}"}), HasSubstr("vms[1]: expected object, found null"));
  EXPECT_THAT(added({R"({"vms":[],"continue":"a"})", R"({"vms":[],"continue":"a"})"}),
              HasSubstr("a page of the list comes a second time"));
}

TEST(DriverList, IsRefusedWithMoreVmsThanAnyAccountHas) {
  const Tags none;
  Listing listing(none);
  for (int page = 0; page < 100; ++page) {
    ListAnswer some{.continue_ = Text(std::to_string(page))};
    for (int vm = 0; vm < 1000; ++vm)
      some.vms.push_back(message_of(a_vm(std::to_string(page) + "/" + std::to_string(vm))));
    ASSERT_TRUE(listing.add(some));
  }
  ListAnswer last;
  last.vms.push_back(message_of(a_vm("one more")));

  const auto added = listing.add(last);

  ASSERT_FALSE(added);
  EXPECT_THAT(added.error().message, HasSubstr("more than 100000 VMs"));
}

TEST(DriverList, IsRefusedWithAVmThatLacksATag) {
  const Tags wanted = {{"pool", "p"}};
  Listing listing(wanted);
  ListAnswer page;
  page.vms.push_back(message_of(a_vm("x:///1")));

  const auto added = listing.add(page);

  ASSERT_FALSE(added);
  EXPECT_THAT(added.error().message, HasSubstr("lacks a tag that was asked for"));
}

TEST(DriverPages, EachFitIntoAnAnswerAndMissNoVm) {
  std::vector<Vm> vms;
  for (int i = 0; i < 3000; ++i) {
    vms.push_back(a_vm(std::to_string(10000 + i)));
    vms.back().tags["filler"] = std::string(500, 'x');
  }
  const Tags none;
  Listing listing(none);
  std::size_t pages = 0;
  for (Text after; pages == 0 || !after.empty(); ++pages) {
    const ListAnswer page = page_of(vms, after);
    EXPECT_LE(api::encode(page).size(), kMostPageBytes);
    ASSERT_TRUE(listing.add(page));
    after = page.continue_;
  }

  EXPECT_GT(pages, 2U);
  EXPECT_EQ(std::move(listing).vms().size(), vms.size());
}

TEST(DriverEndpoint, IsASocketOrTls) {
  EXPECT_EQ(parse_endpoint("unix:/run/d.sock").value(), Endpoint{.socket = "/run/d.sock"});
  EXPECT_EQ(parse_endpoint("https://d:8443").value(), (Endpoint{.host = "d", .port = 8443}));
  EXPECT_EQ(parse_endpoint("https://d/").value().describe(), "https://d:443");
}

TEST(DriverEndpoint, IsNeverPlainTcp) {
  for (const auto* const text : {"http://d:80", "tcp:d:80", "d:80", "", "unix:d.sock", "https://",
                                 "https://d:x", "https://d/path", "https://d:0"}) {
    EXPECT_FALSE(parse_endpoint(text)) << text;
  }
}

Credentials secret(std::string value) {
  Credentials credentials;
  credentials.values.emplace("token", Secret<std::string>(std::move(value)));
  return credentials;
}

TEST(DriverMessage, HidesCredentialsHoweverTheyAreSpelt) {
  const std::string token = "s3cr3t/to ken";

  const auto shown = presentable(
      "login with s3cr3t/to ken (" + base64_encode(token) + ", s3cr3t%2Fto%20ken) failed", secret(token));

  EXPECT_EQ(shown, "login with *** (***, ***) failed");
}

TEST(DriverMessage, HidesEachLineOfAKey) {
  const auto shown = presentable("bad key: MIIEvQIBADAN", secret("BEGIN KEY\nMIIEvQIBADAN\nEND KEY\n"));

  EXPECT_EQ(shown, "bad key: ***");
}

TEST(DriverMessage, HidesUserDataAndEachOfItsLines) {
  const std::string user_data = "#cloud-config\nrun:\n    - token: abcdef.0123456789\r\n";

  EXPECT_EQ(presentable("in " + base64_encode(user_data) + " line 3, - token: abcdef.0123456789, run:", {},
                        user_data),
            "in *** line 3, ***, run:");
}

TEST(DriverMessage, IsOneShortLine) {
  const auto shown = presentable("a\nb\x1b[31m" + std::string(5000, 'c'), {});

  EXPECT_EQ(shown.size(), kMostMessageBytes);
  EXPECT_TRUE(shown.starts_with("a b [31mccc"));
  EXPECT_TRUE(shown.ends_with("c..."));
}

TEST(DriverWire, CarriesWhatAVmIs) {
  Vm vm = a_vm("x:///1");
  vm.state = VmState::Stopping;
  vm.tags = {{"a", "b"}};
  vm.addresses = {{.type = "InternalIP"_text, .address = "10.0.0.1"_text}};
  vm.failure_domain = "zone-a";
  vm.interruptible = true;

  EXPECT_EQ(vm_of(message_of(vm)).value(), vm);
}

TEST(DriverWire, CarriesBytesOfCredentials) {
  const auto back = credentials_of(message_of(secret(std::string("\0\xff", 2))));

  ASSERT_TRUE(back);
  EXPECT_EQ(back->values.at("token").reveal(), std::string("\0\xff", 2));
  EXPECT_FALSE(credentials_of(RawJson::from_compact(R"({"token":"not base64!"})")));
  EXPECT_FALSE(credentials_of(RawJson::from_compact(R"({"token":5})")));
  EXPECT_FALSE(credentials_of(RawJson::from_compact("[]")));
}

// They were interned, with names and tags, in the table that holds what all objects of the process share.
TEST(DriverWire, InternsNothingOfCredentials) {
  const std::size_t before = Text::interned_count();

  const IdentityRequest request{.credentials = message_of(secret("hunter2-hunter2"))};
  const auto read = api::decode<IdentityRequest>(api::encode(request));
  const auto back = credentials_of(read->credentials);

  EXPECT_EQ(back->values.at("token").reveal(), "hunter2-hunter2");
  EXPECT_EQ(Text::interned_count(), before);
}

TEST(DriverWire, LeavesOutCredentialsThatThereAreNot) {
  EXPECT_EQ(api::encode(IdentityRequest{.timeout_milliseconds = 1, .credentials = message_of(Credentials())}),
            R"({"timeoutMilliseconds":1})");
}

}  // namespace
}  // namespace capstan::infrastructure::remote
