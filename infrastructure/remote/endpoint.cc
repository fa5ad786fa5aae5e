#include "infrastructure/remote/endpoint.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <charconv>

#include "base/try.h"

namespace capstan::infrastructure::remote {
namespace {

constexpr std::string_view kUnix = "unix:";
constexpr std::string_view kHttps = "https://";
constexpr std::size_t kLongestSocketPath = 107;  // of sockaddr_un
constexpr std::uint16_t kHttpsPort = 443;

Result<Endpoint> socket_at(std::string_view path) {
  if (!path.starts_with('/')) return fail(Code::Invalid, "unix: is followed by an absolute path");
  if (path.size() > kLongestSocketPath)
    return fail(Code::Invalid,
                fmt::format("the path of a socket has {} characters at most", kLongestSocketPath));
  return Endpoint{.socket = std::string(path)};
}

Result<std::uint16_t> port_in(std::string_view text) {
  std::uint16_t port = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (fault != std::errc() || end != text.data() + text.size() || port == 0)
    return fail(Code::Invalid, fmt::format("\"{}\" is no port", text));
  return port;
}

Result<Endpoint> server_at(std::string_view authority) {
  if (authority.ends_with('/')) authority.remove_suffix(1);
  if (authority.empty() || authority.contains('/'))
    return fail(Code::Invalid, "https:// is followed by a host and perhaps a port, and no path");
  const auto colon = authority.find(':');
  Endpoint endpoint{.host = std::string(authority.substr(0, colon)), .port = kHttpsPort};
  if (colon != std::string_view::npos) endpoint.port = TRY(port_in(authority.substr(colon + 1)));
  return endpoint;
}

std::string file_stamp(const std::string& path) {
  struct stat found = {};
  if (path.empty() || ::stat(path.c_str(), &found) != 0) return ";";
  return fmt::format("{}.{}.{}.{};", found.st_ino, found.st_size, found.st_mtim.tv_sec,
                     found.st_mtim.tv_nsec);
}

}  // namespace

Result<Endpoint> parse_endpoint(std::string_view text) {
  if (text.starts_with(kUnix)) return socket_at(text.substr(kUnix.size()));
  if (text.starts_with(kHttps)) return server_at(text.substr(kHttps.size()));
  return fail(Code::Invalid, fmt::format("\"{}\": a driver is at unix:/PATH or https://HOST:PORT", text));
}

std::string stamp_of(const TlsPaths& paths) {
  return file_stamp(paths.authority) + file_stamp(paths.certificate) + file_stamp(paths.key);
}

std::string Endpoint::describe() const {
  return socket.empty() ? fmt::format("https://{}:{}", host, port) : "unix:" + socket;
}

}  // namespace capstan::infrastructure::remote
