#include "cmd/program/diagnostics.h"

#include <fmt/format.h>

#include <boost/json.hpp>
#include <charconv>

#include "base/try.h"
#include "cmd/program/log_level.h"
#include "net/pki.h"

namespace capstan::program {
namespace {

namespace json = boost::json;

constexpr std::size_t kMostKeys = 200;
constexpr auto kLife = std::chrono::hours(24 * 365);
constexpr auto kSkew = std::chrono::hours(1);

double seconds(Nanoseconds span) { return std::chrono::duration<double>(span).count(); }

json::array turns(const runtime::Controller& controller) {
  json::array rows;
  for (const auto& turn : controller.turns())
    rows.push_back({{"key", turn.key.describe()},
                    {"reconcileID", turn.reconcile_id},
                    {"seconds", seconds(turn.running)}});
  return rows;
}

json::array keys(const runtime::Queue& queue) {
  json::array rows;
  for (const auto& key : queue.keys(kMostKeys))
    rows.push_back({{"key", key.key.describe()},
                    {"state", std::string(to_string(key.where))},
                    {"seconds", seconds(key.span)},
                    {"failures", key.failures}});
  return rows;
}

json::array debts(const runtime::Consistency& consistency) {
  json::array rows;
  for (const auto& debt : consistency.debts(kMostKeys))
    rows.push_back({{"key", debt.key.describe()}, {"waitsFor", debt.waits_for}});
  return rows;
}

// A number as it is sent by `curl --data 4`, with or without a line break.
Result<int> verbosity_of(std::string_view body) {
  while (!body.empty() && (body.back() == '\n' || body.back() == '\r' || body.back() == ' '))
    body.remove_suffix(1);
  int number = 0;
  const auto read = std::from_chars(body.data(), body.data() + body.size(), number);
  const bool whole = read.ec == std::errc() && read.ptr == body.data() + body.size();
  if (!whole || number < 0) return fail(Code::Invalid, "expected a whole number in the body, as -v takes it");
  return number;
}

}  // namespace

runtime::Setting verbosity_setting(const Log& root) {
  return {.name = "flags/v", .put = [root](std::string_view body) -> Result<std::string> {
            const int verbosity = TRY(verbosity_of(body));
            root.set_level(level_of(verbosity));
            return fmt::format("successfully set klog.logging.verbosity to {}", verbosity);
          }};
}

json::value controllers_page(const std::vector<const runtime::Controller*>& controllers) {
  json::object page;
  for (const auto* controller : controllers) {
    page[controller->name()] = {{"workers", controller->workers()},
                                {"turns", turns(*controller)},
                                {"keys", keys(controller->queue())},
                                {"gate", debts(controller->consistency())}};
  }
  return page;
}

json::value caches_page(const std::vector<runtime::InformerState*>& informers) {
  json::object page;
  for (const auto* informer : informers) {
    json::array unreadable;
    for (const auto& bad : informer->quarantined())
      unreadable.push_back({{"key", bad.key.describe()}, {"why", bad.error.describe()}});
    const auto progress = informer->progress();
    page[informer->cache().kind()] = {{"objects", informer->cache().size()},
                                      {"synced", informer->cache().synced()},
                                      {"version", progress.version},
                                      {"trouble", progress.trouble ? progress.trouble->describe() : ""},
                                      {"quarantine", unreadable}};
  }
  return page;
}

Result<std::shared_ptr<net::TlsContext>> self_signed_tls(const Clock& clock, const std::string& host,
                                                         net::TlsVersion oldest) {
  const WallTime now = clock.now();
  const auto ca = TRY(net::new_ca("capstan-diagnostics", now - kSkew, now + kLife));
  const auto own = TRY(net::issue(ca, {.subject = {.common_name = host},
                                       .dns_names = {host, "localhost"},
                                       .ip_addresses = {"127.0.0.1"},
                                       .server = true,
                                       .not_before = now - kSkew,
                                       .not_after = now + kLife}));
  return net::server_tls(
      {.certificate_pem = own.certificate_pem, .private_key_pem = own.private_key_pem, .oldest = oldest});
}

}  // namespace capstan::program
