// The document of the protocol says what the codec does.
#include "infrastructure/remote/openapi.h"

#include <gmock/gmock.h>

#include <boost/json.hpp>

#include "api/schema/yaml.h"
#include "infrastructure/codes.h"
#include "infrastructure/remote/protocol.h"

namespace capstan::infrastructure::remote {
namespace {

namespace json = boost::json;

json::value document() { return api::parse_yaml(openapi_text()).value(); }

json::value schema_of_create() {
  return document()
      .at("paths")
      .at("/v1/create")
      .at("post")
      .at("requestBody")
      .at("content")
      .at("application/json")
      .at("schema");
}

TEST(DriverOpenApi, HasEveryVerb) {
  const json::value read = document();
  const auto& paths = read.at("paths").as_object();

  EXPECT_EQ(paths.size(), kVerbs.size());
  for (const auto verb : kVerbs)
    EXPECT_TRUE(paths.contains(std::string(kPathPrefix) + std::string(verb))) << verb;
}

TEST(DriverOpenApi, NamesWhatACreateNeeds) {
  EXPECT_EQ(json::serialize(schema_of_create().at("required")),
            R"(["instanceKey","name","timeoutMilliseconds"])");
}

TEST(DriverOpenApi, SaysThatEachCredentialIsInBase64) {
  const json::value schema = schema_of_create();
  const auto& credentials = schema.at("properties").at("credentials").as_object();

  EXPECT_EQ(credentials.at("type"), "object");
  EXPECT_EQ(json::serialize(credentials.at("additionalProperties")), R"({"format":"byte","type":"string"})");
}

TEST(DriverOpenApi, NamesEveryCode) {
  const json::value read = document();
  const auto& codes = read.at("paths")
                          .at("/v1/status")
                          .at("post")
                          .at("responses")
                          .at("default")
                          .at("content")
                          .at("application/json")
                          .at("schema")
                          .at("properties")
                          .at("code")
                          .at("enum")
                          .as_array();

  ASSERT_EQ(codes.size(), kDriverCodes);
  for (const auto& code : codes) EXPECT_TRUE(parse_driver_code(std::string(code.as_string()))) << code;
}

}  // namespace
}  // namespace capstan::infrastructure::remote
