#include "cmd/manager/process.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace capstan::manager {
namespace {

// Another socket listens there.
class TakenPort {
 public:
  TakenPort() : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* any = reinterpret_cast<sockaddr*>(&address);
    if (::bind(socket_, any, size) != 0 || ::listen(socket_, 1) != 0 ||
        ::getsockname(socket_, any, &size) != 0)
      ADD_FAILURE() << "no port to take";
    number_ = ntohs(address.sin_port);
  }
  ~TakenPort() { ::close(socket_); }
  TakenPort(const TakenPort&) = delete;
  TakenPort& operator=(const TakenPort&) = delete;
  std::string address() const { return "127.0.0.1:" + std::to_string(number_); }

 private:
  const int socket_;
  int number_ = 0;
};

class Process : public testing::Test {
 public:
  ~Process() override { std::filesystem::remove_all(folder_); }

 protected:
  Process() {
    std::string name = (std::filesystem::temp_directory_path() / "process_test.XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) ADD_FAILURE() << "no folder for a kubeconfig";
    folder_ = name;
    std::ofstream(folder_ / "kubeconfig")
        << "apiVersion: v1\nkind: Config\ncurrent-context: c\n"
           "clusters: [{name: c, cluster: {server: 'http://127.0.0.1:9'}}]\n"
           "users: [{name: u, user: {token: t}}]\n"
           "contexts: [{name: c, context: {cluster: c, user: u}}]\n";
    line_.options.scope.kubeconfig = (folder_ / "kubeconfig").string();
    line_.options.servers.health_addr = "0";
    line_.options.servers.diagnostics_address = "0";
    line_.options.servers.webhook_port = 0;
  }

  std::filesystem::path folder_;
  CommandLine line_ = {};
};

TEST_F(Process, EndsAsFailedWhenItsPortIsTakenWhateverTheApiServerDoes) {
  const TakenPort taken;
  CommandLine probes = line_;
  probes.options.servers.health_addr = taken.address();
  CommandLine diagnostics = line_;
  diagnostics.options.servers.diagnostics_address = taken.address();
  diagnostics.options.servers.insecure_diagnostics = true;

  EXPECT_EQ(run(probes), kFailed);
  EXPECT_EQ(run(diagnostics), kFailed);
}

}  // namespace
}  // namespace capstan::manager
