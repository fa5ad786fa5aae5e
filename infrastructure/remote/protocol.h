// The verbs of the driver protocol and its limits: one POST /v1/<verb> with a JSON object, one JSON object
// back. Constants and plain values.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

namespace capstan::infrastructure::remote {

namespace verb {
inline constexpr std::string_view kCreate = "create";
inline constexpr std::string_view kInitialize = "initialize";
inline constexpr std::string_view kDelete = "delete";
inline constexpr std::string_view kStatus = "status";
inline constexpr std::string_view kList = "list";
inline constexpr std::string_view kTag = "tag";
inline constexpr std::string_view kVolumeIds = "volumeIds";
inline constexpr std::string_view kIdentity = "identity";
}  // namespace verb
inline constexpr std::array kVerbs = {verb::kCreate, verb::kInitialize, verb::kDelete,    verb::kStatus,
                                      verb::kList,   verb::kTag,        verb::kVolumeIds, verb::kIdentity};

inline constexpr std::string_view kPathPrefix = "/v1/";
inline constexpr int kOk = 200;

// Of the body of an answer.
inline constexpr std::size_t kMostAnswerBytes = 64U << 10;
inline constexpr std::size_t kMostPageBytes = 1U << 20;  // of list

inline constexpr std::size_t kMostVms = 100'000;  // of all pages of a list

inline constexpr std::size_t most_bytes(std::string_view verb) {
  return verb == verb::kList ? kMostPageBytes : kMostAnswerBytes;
}

struct Answer {
  int status = kOk;
  std::string body = {};
};

}  // namespace capstan::infrastructure::remote
