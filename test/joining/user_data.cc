#include "test/joining/user_data.h"

#include <boost/json.hpp>

#include "api/schema/yaml.h"
#include "base/base64.h"

namespace capstan::joining {
namespace {

namespace json = boost::json;
using Files = std::map<std::string, std::string>;

std::string text_of(const json::value& value) { return std::string(value.as_string()); }

Files files_of_cloud_config(std::string_view text) {
  Files files;
  const auto document = api::parse_yaml(std::string(text));
  for (const json::value& file : document->at("write_files").as_array())
    files[text_of(file.at("path"))] = text_of(file.at("content"));
  return files;
}

Files files_of_ignition(std::string_view text) {
  constexpr std::string_view kData = "data:;base64,";
  Files files;
  const json::value config = json::parse(text);
  for (const json::value& file : config.at("storage").at("files").as_array())
    files[text_of(file.at("path"))] =
        *base64_decode(text_of(file.at("contents").at("source")).substr(kData.size()));
  return files;
}

// What stands between the two, from `at` on; `at` is then behind it.
std::string_view between(std::string_view text, std::string_view first, std::string_view second,
                         std::size_t& at) {
  const std::size_t found = text.find(first, at);
  if (found == std::string_view::npos) return {};
  const std::size_t begin = found + first.size();
  const std::size_t end = text.find(second, begin);
  at = end;
  return text.substr(begin, end - begin);
}

Files files_of_script(std::string_view text) {
  Files files;
  for (std::size_t at = 0;;) {
    const std::string_view content = between(text, "printf %s ", " | base64 -d", at);
    if (content.empty()) return files;
    const std::string_view path = between(text, "> '", "')", at);
    files[std::string(path)] = *base64_decode(content);
  }
}

}  // namespace

Files files_in(std::string_view format, std::string_view text) {
  if (format == "ignition") return files_of_ignition(text);
  if (format == "script") return files_of_script(text);
  return files_of_cloud_config(text);
}

}  // namespace capstan::joining
