// What a request is about, once it is looked up: the kind, the version, the object. Plain values.
#pragma once

#include <cstdint>
#include <expected>
#include <string>

#include "apiserver/request.h"
#include "apiserver/status_error.h"
#include "apiserver/store/resource_type.h"
#include "apiserver/store/stored_key.h"
#include "apiserver/store/strategy.h"

namespace capstan::apiserver {

struct Target {
  TypePtr type = {};
  const Strategy* strategy = nullptr;
  const ServedVersion* version = nullptr;  // inside *type
  std::uint64_t since = 0;
  std::string collection = {};
  StoredKey key = {};
  std::string subresource = {};

  std::string api_version() const { return type->api_version(version->name); }
  // For refusals: machines.cluster.x-k8s.io "a".
  StatusSubject subject() const { return {.group = type->group, .plural = type->plural, .name = key.name}; }
  // For Invalid: Machine.cluster.x-k8s.io "a".
  StatusSubject kind_subject() const {
    return {.group = type->group, .plural = type->kind, .name = key.name};
  }
  bool status() const { return subresource == "status"; }
};

template <typename T>
using Answer = std::expected<T, Response>;
using Refusal = std::unexpected<Response>;

}  // namespace capstan::apiserver
