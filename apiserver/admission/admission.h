// The outer calls of the API server: admission webhooks and conversion webhooks, as seams. webhooks.h
// implements both over HTTP; Api calls them without holding any lock. Implementations are safe from any
// thread.
#pragma once

#include <expected>
#include <optional>
#include <string>
#include <vector>

#include "apiserver/request.h"

namespace capstan::apiserver {

// What a webhook is asked about.
struct AdmissionReviewRequest {
  std::string operation = {};  // CREATE, UPDATE, DELETE, CONNECT
  TypePtr type = {};
  std::string version = {};
  std::string subresource = {};
  std::string namespace_ = {};
  std::string name = {};
  ObjectPtr object = {};      // null for DELETE
  ObjectPtr old_object = {};  // null for CREATE
  ObjectPtr options = {};     // CreateOptions, PatchOptions ...
  User user = {};
  bool dry_run = false;
};

class Admission {
 public:
  virtual ~Admission() = default;
  // The object after every mutating webhook that matches; an error response refuses the request. `warnings`
  // grows.
  virtual std::expected<ObjectPtr, Response> mutate(const AdmissionReviewRequest& request,
                                                    std::vector<std::string>& warnings) = 0;
  // The refusal of a validating webhook.
  virtual std::optional<Response> validate(const AdmissionReviewRequest& request,
                                           std::vector<std::string>& warnings) = 0;
};

class Converter {
 public:
  virtual ~Converter() = default;
  // The objects at `api_version` ("group/version"), in order; asked only for types whose conversion strategy
  // is Webhook.
  virtual std::expected<std::vector<ObjectPtr>, Response> convert(const ResourceType& type,
                                                                  const std::string& api_version,
                                                                  const std::vector<ObjectPtr>& objects) = 0;
};

}  // namespace capstan::apiserver
