#include "test/envtest/older_storage.h"

#include <fmt/format.h>

#include <boost/json.hpp>

#include "base/base64.h"

namespace capstan::envtest {
namespace {

namespace json = boost::json;

constexpr std::string_view kOldSet = R"(
apiVersion: cluster.x-k8s.io/v1beta1
kind: MachineSet
metadata: {{name: set-{0}, namespace: default, labels: {{number: "{0}"}}}}
spec:
  clusterName: none
  replicas: 0
  minReadySeconds: 7
  selector: {{matchLabels: {{set: "{0}"}}}}
  template:
    metadata: {{labels: {{set: "{0}"}}}}
    spec:
      clusterName: none
      nodeDrainTimeout: 1m30s
      bootstrap: {{dataSecretName: d}}
      infrastructureRef: {{apiVersion: infrastructure.cluster.x-k8s.io/v1beta2, kind: DriverMachineTemplate, name: t}}
---
)";

}  // namespace

json::value stored_as_v1beta1(json::value crd) {
  for (json::value& version : crd.at("spec").at("versions").as_array()) {
    version.as_object()["storage"] = version.at("name").as_string() == "v1beta1";
    version.as_object()["served"] = true;
  }
  return crd;
}

json::value converted_by(json::value crd, const Converter& converter) {
  json::object& spec = crd.at("spec").as_object();
  spec["versions"].as_array().at(1).as_object()["served"] = true;
  spec["conversion"] = {
      {"strategy", "Webhook"},
      {"webhook",
       {{"clientConfig", {{"url", converter.url}, {"caBundle", base64_encode(converter.ca_pem)}}},
        {"conversionReviewVersions", {"v1"}}}}};
  return crd;
}

std::string machine_sets_of_v1beta1(int count) {
  std::string manifests;
  for (int i = 0; i < count; ++i) manifests += fmt::format(fmt::runtime(kOldSet), i);
  return manifests;
}

}  // namespace capstan::envtest
