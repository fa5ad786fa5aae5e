#include "net/cert_reload.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "net/test_support.h"

namespace capstan::net {
namespace {

using testing::HasSubstr;

class Folder {
 public:
  Folder()
      : path_(testing::TempDir() + "/capstan-" +
              testing::UnitTest::GetInstance()->current_test_info()->name()) {
    std::filesystem::create_directories(path_);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  std::string file(const std::string& name) const { return path_ + "/" + name; }
  // As a careful writer does: a new file takes the place of the old one.
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(file(name + ".new")) << text;
    std::filesystem::rename(file(name + ".new"), file(name));
  }
  void write_pair(const KeyAndCertificate& pair) const {
    write("tls.crt", pair.certificate_pem);
    write("tls.key", pair.private_key_pem.reveal());
  }

 private:
  std::string path_;
};

TlsFiles server_files(std::string certificate, std::string private_key) {
  return TlsFiles({std::move(certificate), std::move(private_key)}, [](const TlsFiles::Contents& contents) {
    return server_tls({.certificate_pem = contents[0], .private_key_pem = Secret(contents[1])});
  });
}

constexpr SteadyTime kStart{std::chrono::hours(1)};

TEST(TlsFiles, GivesANewContextOnlyAfterAChange) {
  const TestPki pki;
  const Folder folder;
  folder.write_pair(pki.server_certificate());
  TlsFiles files = server_files(folder.file("tls.crt"), folder.file("tls.key"));
  ASSERT_NE(value_of(files.load()), nullptr);

  EXPECT_EQ(value_of(files.poll(kStart)), nullptr);
  folder.write_pair(pki.server_certificate());
  EXPECT_EQ(value_of(files.poll(kStart + std::chrono::seconds(1))), nullptr) << "asked again too early";
  EXPECT_NE(value_of(files.poll(kStart + TlsFiles::kEvery)), nullptr);
  EXPECT_EQ(value_of(files.poll(kStart + 2 * TlsFiles::kEvery)), nullptr);
}

TEST(TlsFiles, AHalfExchangedPairIsAnErrorAndIsTriedAgain) {
  const TestPki pki;
  const Folder folder;
  folder.write_pair(pki.server_certificate());
  TlsFiles files = server_files(folder.file("tls.crt"), folder.file("tls.key"));
  ASSERT_TRUE(files.load());
  const auto next = pki.server_certificate();

  folder.write("tls.crt", next.certificate_pem);
  const auto half = files.poll(kStart);
  folder.write("tls.key", next.private_key_pem.reveal());
  const auto whole = files.poll(kStart + TlsFiles::kEvery);

  ASSERT_FALSE(half);
  EXPECT_THAT(half.error().message,
              HasSubstr("tls.crt: the private key does not belong to certificate \"CN=server\""));
  EXPECT_NE(value_of(whole), nullptr);
}

TEST(TlsFiles, NamesTheFileThatIsMissing) {
  TlsFiles files = server_files("/nonexistent/tls.crt", "/nonexistent/tls.key");

  const auto loaded = files.load();

  ASSERT_FALSE(loaded);
  EXPECT_THAT(loaded.error().message, HasSubstr("/nonexistent/tls.crt"));
}

}  // namespace
}  // namespace capstan::net
