// A ConversionReview of 500 Machines, as the API server posts it when a client lists them in v1beta1: posted
// to our endpoint and to upstream's, by turns, over TLS. The ratio of the medians says less about the machine
// than seconds do. What of it the client itself notices is printed beside it (convert_list.h).
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <boost/json.hpp>
#include <chrono>
#include <stdexcept>
#include <vector>

#include "net/io_pool.h"
#include "test/bench/bench_fleet.h"
#include "test/bench/convert_list.h"
#include "test/builders/documents.h"
#include "test/envtest/upstream_core.h"
#include "webhooks/conversion_review.h"
#include "webhooks/server.h"

namespace capstan::bench {
namespace {

namespace json = boost::json;

constexpr int kRounds = 15;
constexpr int kMachines = 500;

// Every field of the schema in each, and no field that upstream does not know.
json::object machine(int number) {
  json::object made = json::parse(builders::full_machine()).as_object();
  made["metadata"].as_object()["name"] = fmt::format("machine-{}", number);
  made["metadata"].as_object()["namespace"] = "default";
  for (const char* name : {"infrastructureRef", "bootstrap"}) made["spec"].as_object().erase(name);
  made["spec"].as_object()["infrastructureRef"] = {{"apiGroup", "infrastructure.cluster.x-k8s.io"},
                                                   {"kind", "DriverMachine"},
                                                   {"name", fmt::format("m-{}", number)}};
  made["spec"].as_object()["bootstrap"] = {{"dataSecretName", "s"}};
  return made;
}

std::string review() {
  json::array objects;
  for (int i = 0; i < kMachines; ++i) objects.push_back(machine(i));
  return json::serialize(json::object{
      {"apiVersion", "apiextensions.k8s.io/v1"},
      {"kind", "ConversionReview"},
      {"request",
       {{"uid", "u"}, {"desiredAPIVersion", "cluster.x-k8s.io/v1beta1"}, {"objects", std::move(objects)}}}});
}

Result<std::string> api_version_of(std::string_view group, std::string_view) {
  return fmt::format("{}/v1beta2", group);
}

std::atomic<int> reviews_answered = 0;

net::HttpResponse convert(const net::ServerRequest& request) {
  ++reviews_answered;
  auto answer = webhooks::answer_conversion(request.body, api_version_of);
  if (!answer) return {.status = 400, .body = answer.error().message};
  return {.status = 200, .headers = {{"Content-Type", "application/json"}}, .body = std::move(*answer)};
}

std::string expect_success(const Result<std::string>& answer) {
  if (!answer) throw std::runtime_error(answer.error().describe());
  const json::value status = json::parse(*answer).at("response").at("result").at("status");
  if (status != "Success") throw std::runtime_error("the review failed: " + answer->substr(0, 500));
  return *answer;
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

}  // namespace

double convert_ratio(const Place&) {
  auto theirs = envtest::UpstreamCore::start();
  if (!theirs) throw std::runtime_error(theirs.error().describe());
  const auto& management = (*theirs)->management();
  SystemClock clock;
  SystemThreads threads;
  net::IoPool io;
  webhooks::Server ours({io, clock, threads}, {.address = "127.0.0.1",
                                               .port = 0,
                                               .certificate_folder = management.certificates(),
                                               .certificate_name = "apiserver.crt",
                                               .key_name = "apiserver.key"});
  ours.add("/convert", convert);
  if (auto started = ours.start(); !started) throw std::runtime_error(started.error().describe());

  const std::string body = review();
  std::vector<double> our_seconds;
  std::vector<double> their_seconds;
  const auto timed = [&](std::vector<double>& seconds, auto&& post) {
    const auto begun = clock.steady_now();
    const auto answer = post();
    seconds.push_back(std::chrono::duration<double>(clock.steady_now() - begun).count());
    expect_success(answer);
  };
  for (int i = 0; i < kRounds; ++i) {
    timed(our_seconds,
          [&] { return envtest::post_over_tls(ours.port(), management.ca_pem(), "/convert", body); });
    timed(their_seconds, [&] { return (*theirs)->post("/convert", body); });
  }
  json::array machines;
  for (int i = 0; i < kMachines; ++i) machines.push_back(machine(i));
  print_list_times({.management = management,
                    .machines = std::move(machines),
                    .upstream_port = (*theirs)->port(),
                    .our_port = ours.port(),
                    .our_reviews = [] { return reviews_answered.load(); }});
  ours.stop();
  say(fmt::format("{} Machines ({} KB) to v1beta1: ours {:.1f} ms, upstream {:.1f} ms", kMachines,
                  body.size() / 1000, median(our_seconds) * 1000, median(their_seconds) * 1000));
  return median(our_seconds) / median(their_seconds);
}

}  // namespace capstan::bench
