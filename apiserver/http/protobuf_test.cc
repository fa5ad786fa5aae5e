#include "apiserver/http/protobuf.h"

#include <gtest/gtest.h>

#include <utility>

#include "apiserver/http/body.h"

namespace capstan::apiserver {
namespace {

// A field with bytes; everything here is shorter than 128.
std::string field(int number, std::string_view bytes) {
  return std::string{static_cast<char>(number * 8 + 2), static_cast<char>(bytes.size())} + std::string(bytes);
}
std::string number(int field, char value) { return {static_cast<char>(field * 8), value}; }
std::string envelope(std::string_view api_version, std::string_view kind, std::string_view raw) {
  return std::string("k8s\0", 4) + field(1, field(1, api_version) + field(2, kind)) + field(2, raw) +
         field(3, "") + field(4, "");
}
std::string decoded(std::string_view bytes) {
  const auto document = decode_protobuf(bytes);
  if (document) return json::serialize(*document);
  return document.error() == ProtobufFault::Malformed ? "malformed" : "unknown kind";
}

const std::string kMetadata =
    field(1, field(1, "s") + field(2, "") + field(11, field(1, "a") + field(2, "b")));

TEST(Protobuf, ReadsASecret) {
  EXPECT_EQ(
      decoded(
          envelope("v1", "Secret",
                   kMetadata + field(2, field(1, "k") + field(2, "v")) + field(3, "Opaque") + number(5, 1))),
      R"({"apiVersion":"v1","kind":"Secret","metadata":{"name":"s","labels":{"a":"b"}},"data":{"k":"dg=="},"type":"Opaque","immutable":true})");
}

TEST(Protobuf, ReadsAConfigMap) {
  EXPECT_EQ(
      decoded(envelope("v1", "ConfigMap", kMetadata + field(2, field(1, "k") + field(2, "v")))),
      R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"s","labels":{"a":"b"}},"data":{"k":"v"}})");
}

TEST(Protobuf, ReadsAnEviction) {
  EXPECT_EQ(
      decoded(envelope("policy/v1", "Eviction",
                       field(1, field(1, "p")) + field(2, number(1, 5) + field(5, "All")))),
      R"({"apiVersion":"policy/v1","kind":"Eviction","metadata":{"name":"p"},"deleteOptions":{"gracePeriodSeconds":5,"dryRun":["All"]}})");
}

TEST(Protobuf, ReadsTheTimesOfALease) {
  const auto time = number(1, 10) + std::string("\x10\xc0\x84\x3d", 4);  // 10 s and 1,000,000 ns

  EXPECT_EQ(
      decoded(envelope("coordination.k8s.io/v1", "Lease",
                       field(2, field(1, "me") + number(2, 15) + field(3, time) + field(4, "")))),
      R"({"apiVersion":"coordination.k8s.io/v1","kind":"Lease","spec":{"holderIdentity":"me","leaseDurationSeconds":15,"acquireTime":"1970-01-01T00:00:10.001000Z"}})");
}

TEST(Protobuf, ReadsAnEvent) {
  EXPECT_EQ(
      decoded(
          envelope("v1", "Event",
                   field(2, field(1, "Machine")) + field(3, "Why") + field(6, number(1, 1)) + number(8, 2))),
      R"({"apiVersion":"v1","kind":"Event","involvedObject":{"kind":"Machine"},"reason":"Why","firstTimestamp":"1970-01-01T00:00:01Z","count":2})");
}

TEST(Protobuf, ReadsARoleBinding) {
  EXPECT_EQ(
      decoded(envelope("rbac.authorization.k8s.io/v1", "RoleBinding",
                       field(2, field(1, "User") + field(3, "u")) + field(3, field(3, "r")))),
      R"({"apiVersion":"rbac.authorization.k8s.io/v1","kind":"RoleBinding","subjects":[{"kind":"User","name":"u"}],"roleRef":{"name":"r"}})");
}

TEST(Protobuf, ReadsAClusterRole) {
  const auto selector =
      field(1, field(1, "a") + field(2, "b")) + field(2, field(1, "k") + field(2, "In") + field(3, "v"));

  EXPECT_EQ(
      decoded(envelope("rbac.authorization.k8s.io/v1", "ClusterRole",
                       field(1, field(1, "r")) + field(2, field(1, "get") + field(3, "pods")) +
                           field(3, field(1, selector)))),
      R"({"apiVersion":"rbac.authorization.k8s.io/v1","kind":"ClusterRole","metadata":{"name":"r"},"rules":[{"verbs":["get"],"resources":["pods"]}],"aggregationRule":{"clusterRoleSelectors":[{"matchLabels":{"a":"b"},"matchExpressions":[{"key":"k","operator":"In","values":["v"]}]}]}})");
}

TEST(Protobuf, ReadsATokenRequest) {
  EXPECT_EQ(
      decoded(envelope("authentication.k8s.io/v1", "TokenRequest",
                       field(1, "") + field(2, field(1, "api") + field(3, field(1, "Pod") + field(3, "p")) +
                                                   number(4, 60)))),
      R"({"apiVersion":"authentication.k8s.io/v1","kind":"TokenRequest","metadata":{},"spec":{"audiences":["api"],"boundObjectRef":{"kind":"Pod","name":"p"},"expirationSeconds":60}})");
}

TEST(Protobuf, RefusesTimesThatAreNone) {
  const std::string endless = std::string("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 11);

  EXPECT_EQ(decoded(envelope("v1", "Event", field(6, endless))), "malformed");
}

TEST(Protobuf, ReadsAnAccessReview) {
  EXPECT_EQ(
      decoded(envelope("authorization.k8s.io/v1", "SelfSubjectAccessReview",
                       field(1, "") + field(2, field(1, field(2, "get") + field(5, "pods"))))),
      R"({"apiVersion":"authorization.k8s.io/v1","kind":"SelfSubjectAccessReview","metadata":{},"spec":{"resourceAttributes":{"verb":"get","resource":"pods"}}})");
}

TEST(Protobuf, SkipsFieldsItDoesNotKnow) {
  EXPECT_EQ(decoded(envelope("v1", "Namespace",
                             field(1, field(1, "n") + field(8, "")) + field(2, "x") + number(9, 1))),
            R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":"n"}})");
}

TEST(Protobuf, ReadsDeleteOptionsOfAnyGroup) {
  EXPECT_EQ(decoded(envelope("apps/v1", "DeleteOptions", field(4, "Orphan"))),
            R"({"apiVersion":"apps/v1","kind":"DeleteOptions","propagationPolicy":"Orphan"})");
}

TEST(Protobuf, IsABodyLikeAnyOther) {
  const auto read = decode_body(kProtobufType, envelope("v1", "Namespace", kMetadata));
  const auto other = decode_body(kProtobufType, envelope("apps/v1", "Deployment", ""));
  const auto broken = decode_body(kProtobufType, "{}");

  ASSERT_TRUE(read);
  EXPECT_EQ(read->value.at("kind"), "Namespace");
  EXPECT_EQ(other.error().status, 415);
  EXPECT_EQ(broken.error().status, 400);
}

TEST(Protobuf, RefusesOtherKinds) {
  EXPECT_EQ(decoded(envelope("apps/v1", "Deployment", "")), "unknown kind");
}

TEST(Protobuf, RefusesWhatIsNoEnvelope) {
  EXPECT_EQ(decoded("{}"), "malformed");
  EXPECT_EQ(decoded(std::string("k8s\0", 4) + "\x0a\x7fshort"), "malformed");
  EXPECT_EQ(decoded(std::string("k8s\0", 4) + "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"), "malformed");
}

TEST(Protobuf, RefusesNumbersWhereTextBelongs) {
  EXPECT_EQ(decoded(envelope("v1", "Secret", number(3, 1))), "malformed");
}

}  // namespace
}  // namespace capstan::apiserver
