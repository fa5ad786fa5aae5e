// The admission hooks behind HTTP: what a client meets, and what a hostile one can't do.
#include "webhooks/admission.h"

#include <filesystem>
#include <fstream>

#include "net/test_support.h"
#include "webhooks/review_fixture.h"

namespace capstan::webhooks {
namespace {

using testing::HasSubstr;

net::ServerRequest posted(std::string body, std::string type = "application/json") {
  return {.method = "POST", .headers = {{"Content-Type", std::move(type)}}, .body = std::move(body)};
}

Answered answer_in(const net::HttpResponse& response) {
  EXPECT_EQ(response.status, 200);
  return read_answer(response.body, "");
}

TEST(Admission, RefusesWhatIsNoJsonByItsType) {
  const auto answered =
      answer_in(answer_admission(hook_at(validating("machine")), posted("{}", "text/plain"), {}));

  EXPECT_EQ(answered.code, 400);
  EXPECT_EQ(answered.message, "contentType=text/plain, expected application/json");
}

TEST(Admission, RefusesAReviewThatIsLargerThanTwoObjectsCanBe) {
  const auto answered = answer_in(
      answer_admission(hook_at(validating("machine")), posted(std::string(kMaxReviewBytes + 1, ' ')), {}));

  EXPECT_EQ(answered.code, 413);
  EXPECT_EQ(answered.message, "request entity is too large; limit is 7340032 bytes");
}

class AdmissionServer : public testing::Test {
 protected:
  AdmissionServer()
      : folder_(testing::TempDir() + "/capstan-admission-" +
                testing::UnitTest::GetInstance()->current_test_info()->name()) {
    std::filesystem::create_directories(folder_);
    const auto pair = pki_.server_certificate();
    std::ofstream(folder_ + "/tls.crt") << pair.certificate_pem;
    std::ofstream(folder_ + "/tls.key") << pair.private_key_pem.reveal();
    add_admission(server_, {});
  }
  ~AdmissionServer() override {
    server_.stop();
    std::filesystem::remove_all(folder_);
  }
  Result<net::HttpResponse> ask_server(const net::HttpRequest& request) {
    net::HttpClient client(io_, net::tls_client(server_.port(), pki_.client()));
    return client.request(request, net::soon());
  }

  std::string folder_;
  SystemClock clock_;
  SystemThreads threads_;
  net::IoPool io_{1};
  net::TestPki pki_;
  Server server_{{.io = io_, .clock = clock_, .threads = threads_},
                 {.address = "127.0.0.1", .port = 0, .certificate_folder = folder_}};
};

TEST_F(AdmissionServer, AnswersAReviewAtEveryPath) {
  ASSERT_TRUE(server_.start());

  for (const auto& hook : admission_hooks()) {
    const auto review = review_of(hook, {.operation = operation::kDelete});
    const auto response = ask_server({.method = "POST",
                                      .target = hook.path + "?timeout=10s",
                                      .headers = {{"Content-Type", "application/json"}},
                                      .body = json::serialize(review)});

    ASSERT_TRUE(response) << response.error().message;
    EXPECT_EQ(response->status, 200) << hook.path;
    EXPECT_TRUE(read_answer(response->body, review.at("request").at("uid").as_string()).allowed) << hook.path;
  }
}

TEST_F(AdmissionServer, RefusesTwoHundredMegabytesBeforeTheyAreSent) {
  ASSERT_TRUE(server_.start());

  const auto response =
      ask_server({.method = "POST",
                  .target = validating("machine"),
                  .headers = {{"Content-Type", "application/json"}, {"Content-Length", "209715200"}}});

  ASSERT_TRUE(response) << response.error().message;
  EXPECT_EQ(response->status, 413);
}

}  // namespace
}  // namespace capstan::webhooks
