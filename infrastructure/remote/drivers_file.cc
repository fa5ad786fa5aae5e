#include "infrastructure/remote/drivers_file.h"

#include <boost/json.hpp>
#include <fstream>
#include <iterator>

#include "api/schema/decode.h"
#include "api/schema/validate.h"
#include "api/schema/yaml.h"
#include "base/try.h"

namespace capstan::infrastructure::remote {

struct TlsEntry {
  Text authority = {};
  Text certificate = {};
  Text key = {};
  api::UnknownFields unknown = {};
};

struct DriverEntry {
  Text name = {};
  Text endpoint = {};
  TlsEntry tls = {};
  std::optional<std::int64_t> workers = {};
  api::UnknownFields unknown = {};
};

struct DriversFile {
  std::vector<DriverEntry> drivers = {};
  api::UnknownFields unknown = {};
};

}  // namespace capstan::infrastructure::remote

namespace capstan::api {

namespace remote = infrastructure::remote;

template <>
inline constexpr auto members<remote::TlsEntry> = std::array{
    member<&remote::TlsEntry::authority>("caFile"),
    member<&remote::TlsEntry::certificate>("certFile"),
    member<&remote::TlsEntry::key>("keyFile"),
};
template <>
inline constexpr auto members<remote::DriverEntry> = std::array{
    member<&remote::DriverEntry::name>(
        "name",
        {.min_length = 1, .max_length = 63, .pattern = "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$", .required = true}),
    member<&remote::DriverEntry::endpoint>("endpoint", {.required = true}),
    member<&remote::DriverEntry::tls>("tls"),
    member<&remote::DriverEntry::workers>("workers", {.minimum = 1, .maximum = 1000}),
};
template <>
inline constexpr auto members<remote::DriversFile> = std::array{
    member<&remote::DriversFile::drivers>("drivers", {.min_items = 1, .list_keys = "name", .required = true}),
};

}  // namespace capstan::api

namespace capstan::infrastructure::remote {
namespace {

Result<void> check_known(const api::UnknownFields& unknown) {
  if (unknown.empty()) return {};
  return fail(Code::Invalid, "unknown: " + std::string(unknown.text()));
}

Result<TlsPaths> tls_of(const DriverEntry& entry, const Endpoint& endpoint) {
  TlsPaths paths{.authority = entry.tls.authority.str(),
                 .certificate = entry.tls.certificate.str(),
                 .key = entry.tls.key.str()};
  const bool all = !paths.authority.empty() && !paths.certificate.empty() && !paths.key.empty();
  if (endpoint.socket.empty() && !all)
    return fail(Code::Invalid, "https needs tls.caFile, tls.certFile and tls.keyFile");
  if (!endpoint.socket.empty() && paths != TlsPaths())
    return fail(Code::Invalid, "a unix socket has no tls: its file says who may use it");
  return paths;
}

Result<TransportOptions> transport_of(const DriverEntry& entry) {
  TRY(check_known(entry.unknown));
  TRY(check_known(entry.tls.unknown));
  TransportOptions options{.endpoint = TRY(parse_endpoint(entry.endpoint))};
  options.tls = TRY(tls_of(entry, options.endpoint));
  if (entry.workers) options.workers = static_cast<std::size_t>(*entry.workers);
  return options;
}

}  // namespace

Result<std::vector<NamedDriver>> parse_drivers(std::string_view yaml) {
  const auto document = TRY(api::parse_yaml(yaml));
  const auto file = TRY(api::from_json<DriversFile>(document));
  if (const auto causes = api::validate(file); !causes.empty())
    return fail(Code::Invalid, causes.front().field + ": " + causes.front().message);
  TRY(check_known(file.unknown));
  std::vector<NamedDriver> drivers;
  for (const DriverEntry& entry : file.drivers) {
    auto transport = transport_of(entry);
    if (!transport) return fail(transport.error().context("driver " + entry.name.str()));
    drivers.push_back({.name = entry.name.str(), .transport = std::move(*transport)});
  }
  return drivers;
}

Result<std::vector<NamedDriver>> read_drivers(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return fail(Code::NotFound, path + " can't be read");
  auto drivers = parse_drivers(std::string(std::istreambuf_iterator<char>(file), {}));
  if (!drivers) return fail(drivers.error().context(path));
  return drivers;
}

}  // namespace capstan::infrastructure::remote
