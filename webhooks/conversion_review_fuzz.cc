// Any bytes as a ConversionReview: an answer is a ConversionReview with the uid that was asked, with as many
// objects as came or a message, and what was converted can be converted on.
#include <boost/json.hpp>

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "webhooks/conversion_review.h"

namespace json = boost::json;
using capstan::Result;

namespace {

Result<std::string> api_version_of(std::string_view group, std::string_view kind) {
  if (kind == "Gone") return capstan::fail(capstan::Code::NotFound, "no such definition");
  return fmt::format("{}/v1beta2", group);
}

// Objects that we made are understood by us, in whatever version they are asked for next.
void convert_on(const json::array& objects, const char* version) {
  const json::object review{
      {"apiVersion", "apiextensions.k8s.io/v1"},
      {"kind", "ConversionReview"},
      {"request", {{"uid", "u"}, {"desiredAPIVersion", version}, {"objects", objects}}}};
  if (!capstan::webhooks::answer_conversion(json::serialize(review), api_version_of)) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(bytes), size);
  const auto answer = capstan::webhooks::answer_conversion(text, api_version_of);
  if (!answer) {
    if (answer.error().message.empty()) std::abort();
    return 0;
  }
  const json::value document = json::parse(*answer, {}, {.max_depth = 80});
  const json::object& response = document.at("response").as_object();
  const bool success = response.at("result").at("status") == "Success";
  if (!success && response.at("result").at("message").as_string().empty()) std::abort();
  const auto* converted = response.if_contains("convertedObjects");
  if (converted == nullptr) return 0;
  if (!success) std::abort();
  convert_on(converted->as_array(), "cluster.x-k8s.io/v1beta1");
  convert_on(converted->as_array(), "cluster.x-k8s.io/v1beta2");
  return 0;
}
