#include "kube/auth.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "test/fakes/fake_clock.h"

namespace capstan::kube {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::Pair;

// Files that a test changes under the credentials' feet.
struct Files {
  std::map<std::string, std::string> texts = {};
  int reads = 0;
  ReadFile reader() {
    return [this](const std::string& path) -> Result<std::string> {
      ++reads;
      const auto found = texts.find(path);
      if (found == texts.end()) return fail(Code::Invalid, path + ": no such file");
      return found->second;
    };
  }
};

Connection with_token_file() {
  Connection connection;
  connection.server = "https://api.example.com";
  connection.token_file = "/token";
  return connection;
}
Connection with_certificate_files() {
  Connection connection;
  connection.server = "https://api.example.com";
  connection.ca_pem = "CA";
  connection.certificate_file = "/crt";
  connection.private_key_file = "/key";
  return connection;
}

TEST(Credentials, SendsATokenAsBearer) {
  const fakes::FakeClock clock;
  Connection connection;
  connection.server = "https://api.example.com";
  connection.token = Secret<std::string>("t0k");
  Credentials credentials(connection, clock);

  ASSERT_TRUE(credentials.load());

  EXPECT_THAT(credentials.headers(), ElementsAre(Pair("Authorization", "Bearer t0k")));
}

TEST(Credentials, SendsNothingWhenTheCertificateIsTheIdentity) {
  const fakes::FakeClock clock;
  Files files{{{"/crt", "CRT"}, {"/key", "KEY"}}};
  Credentials credentials(with_certificate_files(), clock, files.reader());

  ASSERT_TRUE(credentials.load());

  EXPECT_THAT(credentials.headers(), IsEmpty());
  EXPECT_EQ(credentials.tls().ca_pem, "CA");
  EXPECT_EQ(credentials.tls().certificate_pem, "CRT");
  EXPECT_EQ(credentials.tls().private_key_pem.reveal(), "KEY");
}

TEST(Credentials, ReadsATokenFileAgainEveryMinute) {
  fakes::FakeClock clock;
  Files files{{{"/token", "one\n"}}};
  Credentials credentials(with_token_file(), clock, files.reader());
  ASSERT_TRUE(credentials.load());
  files.texts["/token"] = "two\n";

  clock.advance(seconds(59));
  const auto before = credentials.headers();
  clock.advance(seconds(1));
  const auto after = credentials.headers();

  EXPECT_THAT(before, ElementsAre(Pair("Authorization", "Bearer one")));
  EXPECT_THAT(after, ElementsAre(Pair("Authorization", "Bearer two")));
}

TEST(Credentials, DoesNotReadForEveryRequest) {
  const fakes::FakeClock clock;
  Files files{{{"/token", "one"}}};
  Credentials credentials(with_token_file(), clock, files.reader());
  ASSERT_TRUE(credentials.load());

  for (int i = 0; i < 100; ++i) credentials.headers();

  EXPECT_EQ(files.reads, 1);
}

TEST(Credentials, KeepsTheLastTokenWhileItsFileCannotBeRead) {
  fakes::FakeClock clock;
  Files files{{{"/token", "one"}}};
  Credentials credentials(with_token_file(), clock, files.reader());
  ASSERT_TRUE(credentials.load());
  files.texts.clear();

  clock.advance(seconds(61));

  EXPECT_THAT(credentials.headers(), ElementsAre(Pair("Authorization", "Bearer one")));
}

TEST(Credentials, ARefusalReadsAgainAtOnceAndTellsWhetherItHelps) {
  fakes::FakeClock clock;
  Files files{{{"/token", "one"}}};
  Credentials credentials(with_token_file(), clock, files.reader());
  ASSERT_TRUE(credentials.load());

  const bool same = credentials.changed_after_refusal();
  clock.advance(seconds(2));
  files.texts["/token"] = "two";
  const bool other = credentials.changed_after_refusal();

  EXPECT_FALSE(same);
  EXPECT_TRUE(other);
  EXPECT_THAT(credentials.headers(), ElementsAre(Pair("Authorization", "Bearer two")));
}

TEST(Credentials, AFloodOfRefusalsReadsOnceASecond) {
  fakes::FakeClock clock;
  Files files{{{"/token", "one"}}};
  Credentials credentials(with_token_file(), clock, files.reader());
  ASSERT_TRUE(credentials.load());

  for (int i = 0; i < 100; ++i) credentials.changed_after_refusal();

  EXPECT_EQ(files.reads, 2);
}

TEST(Credentials, ARefusalWithoutFilesCannotHelp) {
  fakes::FakeClock clock;
  Connection connection;
  connection.server = "https://api.example.com";
  connection.token = Secret<std::string>("t0k");
  Credentials credentials(connection, clock);
  ASSERT_TRUE(credentials.load());

  EXPECT_FALSE(credentials.changed_after_refusal());
}

TEST(Credentials, NoticesExchangedCertificates) {
  fakes::FakeClock clock;
  Files files{{{"/crt", "CRT"}, {"/key", "KEY"}}};
  Credentials credentials(with_certificate_files(), clock, files.reader());
  ASSERT_TRUE(credentials.load());
  files.texts["/crt"] = "CRT2";

  const bool too_early = credentials.tls_changed();
  clock.advance(seconds(60));
  const bool in_time = credentials.tls_changed();
  clock.advance(seconds(60));
  const bool again = credentials.tls_changed();

  EXPECT_FALSE(too_early);
  EXPECT_TRUE(in_time);
  EXPECT_FALSE(again);
  EXPECT_EQ(credentials.tls().certificate_pem, "CRT2");
}

TEST(Credentials, APairThatDidNotFitIsTriedAgain) {
  fakes::FakeClock clock;
  Files files{{{"/crt", "CRT"}, {"/key", "KEY"}}};
  Credentials credentials(with_certificate_files(), clock, files.reader());
  ASSERT_TRUE(credentials.load());
  files.texts["/crt"] = "CRT2";
  clock.advance(seconds(60));
  ASSERT_TRUE(credentials.tls_changed());

  credentials.tls_failed();
  clock.advance(seconds(60));

  EXPECT_TRUE(credentials.tls_changed());
}

TEST(Credentials, FailsToLoadWithTheNameOfTheFile) {
  const fakes::FakeClock clock;
  Files files;
  Credentials missing(with_token_file(), clock, files.reader());
  Files blank{{{"/token", " \n"}}};
  Credentials empty(with_token_file(), clock, blank.reader());

  const auto loaded = missing.load();
  const auto loaded_empty = empty.load();

  EXPECT_THAT(loaded.error().message, HasSubstr("/token"));
  EXPECT_THAT(loaded_empty.error().message, HasSubstr("/token"));
}

TEST(Credentials, ATokenThatCouldSmuggleAHeaderIsRefusedAndNotRepeated) {
  const fakes::FakeClock clock;
  Files files{{{"/token", "secret\r\nX-Evil: 1"}}};
  Credentials credentials(with_token_file(), clock, files.reader());

  const auto loaded = credentials.load();

  ASSERT_FALSE(loaded);
  EXPECT_THAT(loaded.error().message, Not(HasSubstr("secret")));
}

TEST(Credentials, FallsBackToTheInlineTokenOfAnUnreadableFile) {
  const fakes::FakeClock clock;
  Files files;
  Connection connection = with_token_file();
  connection.token = Secret<std::string>("inline");
  Credentials credentials(connection, clock, files.reader());

  ASSERT_TRUE(credentials.load());

  EXPECT_THAT(credentials.headers(), ElementsAre(Pair("Authorization", "Bearer inline")));
}

TEST(Credentials, ImpersonatesAsTheKubeconfigSays) {
  const fakes::FakeClock clock;
  Connection connection;
  connection.server = "https://api.example.com";
  connection.impersonate = {.user = "jane", .uid = "7", .groups = {"a", "b"}};
  Credentials credentials(connection, clock);
  ASSERT_TRUE(credentials.load());

  EXPECT_THAT(credentials.headers(),
              ElementsAre(Pair("Impersonate-User", "jane"), Pair("Impersonate-Uid", "7"),
                          Pair("Impersonate-Group", "a"), Pair("Impersonate-Group", "b")));
}

TEST(CheckConnection, RefusesWhatCannotBeMeant) {
  const auto why = [](const std::function<void(Connection&)>& change) {
    Connection connection;
    connection.server = "https://api.example.com:6443/prefix";
    change(connection);
    const auto checked = check(connection);
    return checked ? std::string("fine") : checked.error().message;
  };
  const Secret<std::string> token("t");

  EXPECT_EQ(why([](Connection&) {}), "fine");
  EXPECT_THAT(why([](Connection& c) { c.server = "ftp://x"; }), HasSubstr("https or http"));
  EXPECT_THAT(why([](Connection& c) { c.server = "https://user:pw@x"; }), HasSubstr("user name"));
  EXPECT_THAT(why([](Connection& c) { c.server = "https://x/?a=b"; }), HasSubstr("query"));
  EXPECT_NE(why([](Connection& c) { c.server = "not a url"; }), "fine");
  EXPECT_NE(why([](Connection& c) { c.token = Secret<std::string>("a\nb"); }), "fine");
  EXPECT_NE(why([](Connection& c) { c.impersonate.groups = {"system:masters"}; }), "fine");
  EXPECT_NE(why([](Connection& c) { c.impersonate.user = "a\r\nb"; }), "fine");
}

TEST(CheckConnection, SendsNoTokenInClearToAnotherMachine) {
  Connection far;
  far.server = "http://10.0.0.1:8080";
  far.token = Secret<std::string>("t");
  Connection near = far;
  near.server = "http://127.0.0.1:8080";

  EXPECT_FALSE(check(far));
  EXPECT_TRUE(check(near));
}

TEST(InCluster, IsMadeOfTheServiceAccount) {
  const auto connection =
      in_cluster({.service_host = "10.96.0.1", .service_port = "443", .service_account_directory = "/sa"});
  const auto six = in_cluster({.service_host = "fd00::1", .service_port = "443"});

  EXPECT_EQ(connection->server, "https://10.96.0.1:443");
  EXPECT_EQ(connection->ca_file, "/sa/ca.crt");
  EXPECT_EQ(connection->token_file, "/sa/token");
  EXPECT_EQ(six->server, "https://[fd00::1]:443");
  EXPECT_EQ(six->token_file, "/var/run/secrets/kubernetes.io/serviceaccount/token");
}

TEST(InCluster, SaysWhatIsMissingOutside) {
  const auto outside = in_cluster({});

  EXPECT_THAT(outside.error().message, HasSubstr("KUBERNETES_SERVICE_HOST"));
}

TEST(ReadWholeFile, NamesThePathItCannotRead) {
  EXPECT_THAT(read_whole_file("/nowhere/at/all").error().message, HasSubstr("/nowhere/at/all"));
}

}  // namespace
}  // namespace capstan::kube
