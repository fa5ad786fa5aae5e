// Admission and conversion webhooks over HTTPS, by URL: reads the webhook configurations of the Api it serves
// and asks those that match, as kube-apiserver does. Wiring makes it before the Api, which gets it in its
// options, and calls serve() then. Safe from any thread; calls block until the webhook has answered or its
// time is up.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "apiserver/admission/admission.h"
#include "apiserver/admission/webhook_rules.h"
#include "base/clock.h"
#include "base/guarded.h"
#include "base/randomness.h"
#include "base/result.h"

namespace capstan::net {
class HttpClient;
class IoPool;
}  // namespace capstan::net

namespace capstan::apiserver {

class Api;

class Webhooks final : public Admission, public Converter {
 public:
  Webhooks(net::IoPool& io, const Clock& clock);
  ~Webhooks() override;

  // Whose configurations and namespaces count. Until then nothing is asked. `api` must outlive the calls.
  void serve(const Api& api);

  std::expected<ObjectPtr, Response> mutate(const AdmissionReviewRequest& request,
                                            std::vector<std::string>& warnings) override;
  std::optional<Response> validate(const AdmissionReviewRequest& request,
                                   std::vector<std::string>& warnings) override;
  std::expected<std::vector<ObjectPtr>, Response> convert(const ResourceType& type,
                                                          const std::string& api_version,
                                                          const std::vector<ObjectPtr>& objects) override;

 private:
  struct Hooks {
    std::string versions = {};  // the resource versions they were read at
    std::shared_ptr<const std::vector<Webhook>> list = {};
  };
  std::shared_ptr<const std::vector<Webhook>> hooks(const std::string& plural, Guarded<Hooks>& kept);
  // Asks one mutating webhook and puts what it makes of the object into `current`.
  enum class Asked { NotConcerned, Unchanged, Changed };
  std::expected<Asked, Response> mutate_by(const Webhook& hook, AdmissionReviewRequest& current,
                                           std::vector<std::string>& warnings);
  // The version this webhook wants to be asked about; nothing when it is not concerned.
  std::optional<std::string> concerned_at(const Webhook& hook, const AdmissionReviewRequest& request) const;
  bool namespace_selected(const Webhook& hook, const AdmissionReviewRequest& request) const;
  std::expected<AdmissionReviewRequest, Response> at_version(const AdmissionReviewRequest& request,
                                                             const std::string& version);
  std::expected<ObjectPtr, Response> object_at_version(const ResourceType& type, const std::string& version,
                                                       const ObjectPtr& object);
  Result<json::object> ask(const Webhook& hook, const AdmissionReviewRequest& request,
                           std::string_view version);
  Result<json::value> post(const WebhookClient& client, const json::object& review, Nanoseconds timeout);
  Result<std::shared_ptr<net::HttpClient>> client_for(const WebhookClient& client, const std::string& host,
                                                      const std::string& port);

  net::IoPool& io_;
  const Clock& clock_;
  std::atomic<const Api*> api_ = nullptr;
  SystemRandomness randomness_;
  Guarded<Hooks> mutating_;
  Guarded<Hooks> validating_;
  Guarded<std::map<std::pair<std::string, std::string>, std::shared_ptr<net::HttpClient>>>
      clients_;  // by origin and CA
};

}  // namespace capstan::apiserver
