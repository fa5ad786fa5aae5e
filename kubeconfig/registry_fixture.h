// The world of the registry's tests: a management server with kubeconfig Secrets, workload servers that can
// be switched off, made slow or strict, and a Dial that reaches them by name. Everything in memory and under
// a Baton, so that a minute costs nothing.
#pragma once

#include <boost/json.hpp>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "apiserver/api.h"
#include "kube/stub_client.h"
#include "kubeconfig/dial.h"
#include "test/fakes/memory_client.h"

namespace capstan::kubeconfig {

namespace json = boost::json;

// A workload cluster's API server, and how it behaves just now.
class TestServer {
 public:
  enum class Mood { Well, Down, Hangs, Broken, Busy };  // Broken: it answers 500; Busy: "in 5 minutes"

  TestServer(Threads& threads, const Clock& clock);

  void put_node(const std::string& name, const std::string& provider_id);
  // The Node changes in something we look at: its watch brings bytes.
  void touch_node(const std::string& name);

  apiserver::Api api;
  fakes::MemoryClient admin;
  Mood mood = Mood::Well;
  std::string token = "good";  // the only one it accepts
  bool lists_nodes = true;     // false: 403
  bool reads_pods = true;      // false: 403
  bool knows_pods = true;      // false: 404 without a Status, as upstream's in-memory provider answers
  int probes = 0;
  int dials = 0;
  int requests = 0;  // others than probes, answered or not
  int touched = 0;
};

// What a dial gives: one identity at one server.
class TestLine final : public kube::StubClient {
 public:
  TestLine(TestServer& server, Threads& threads, std::string token);

  Result<json::value> get(const kube::Resource& resource, const kube::ObjectKey& key,
                          const Deadline& deadline) override;
  Result<json::value> get_path(std::string_view path, const Deadline& deadline) override;
  std::unique_ptr<kube::Stream> list_stream(const kube::Resource& resource, const kube::ListOptions& options,
                                            kube::StreamSink& sink) override;
  std::unique_ptr<kube::Stream> watch(const kube::Resource& resource, const kube::WatchOptions& options,
                                      kube::StreamSink& sink) override;

 private:
  std::optional<Error> refused(const Deadline& deadline);
  std::optional<Error> stream_refused();

  TestServer& server_;
  Threads& threads_;
  const std::string token_;
  fakes::MemoryClient inner_;
};

class RegistryFixture {
 public:
  RegistryFixture(Threads& threads, const Clock& clock);

  // https://<name>
  TestServer& server(const std::string& name);
  void put_secret(const std::string& cluster, const std::string& kubeconfig);
  static std::string kubeconfig(const std::string& server, const std::string& user = "{token: good}",
                                const std::string& more = "");
  // A Secret with the usual credentials, and the server it leads to.
  TestServer& cluster(const std::string& name);
  Dial dial();

  apiserver::Api management_api;
  fakes::MemoryClient management;

 private:
  Threads& threads_;
  const Clock& clock_;
  std::map<std::string, std::unique_ptr<TestServer>> servers_;
};

}  // namespace capstan::kubeconfig
