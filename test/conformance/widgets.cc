#include "test/conformance/widgets.h"

#include "test/conformance/script.h"

namespace capstan::conformance {
namespace {

constexpr std::string_view kWidget = R"({
  "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
  "metadata": {"name": "widgets.conformance.capstan.dev"},
  "spec": {
    "group": "conformance.capstan.dev", "scope": "Namespaced",
    "names": {"kind": "Widget", "listKind": "WidgetList", "plural": "widgets", "singular": "widget",
              "shortNames": ["wd"], "categories": ["gear"]},
    "versions": [{
      "name": "v1", "served": true, "storage": true,
      "subresources": {"status": {}, "scale": {"specReplicasPath": ".spec.replicas",
        "statusReplicasPath": ".status.replicas", "labelSelectorPath": ".status.selector"}},
      "additionalPrinterColumns": [
        {"name": "Replicas", "type": "integer", "jsonPath": ".spec.replicas"},
        {"name": "Mode", "type": "string", "jsonPath": ".spec.mode", "description": "how it runs"},
        {"name": "Ready", "type": "string", "jsonPath": ".status.conditions[?(@.type==\"Ready\")].status"},
        {"name": "Note", "type": "string", "jsonPath": ".spec.note", "priority": 1},
        {"name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp"}],
      "selectableFields": [{"jsonPath": ".spec.mode"}],
      "schema": {"openAPIV3Schema": {
        "type": "object", "description": "Widget is a thing with every kind of rule.", "required": ["spec"],
        "properties": {
          "apiVersion": {"type": "string"}, "kind": {"type": "string"}, "metadata": {"type": "object"},
          "spec": {"type": "object", "description": "what is wanted", "properties": {
            "replicas": {"type": "integer", "format": "int32", "minimum": 0, "maximum": 100, "default": 1,
                         "description": "how many are wanted"},
            "mode": {"type": "string", "enum": ["Fast", "Slow"]},
            "note": {"type": "string", "maxLength": 10, "minLength": 1, "pattern": "^[a-z ]*$"},
            "even": {"type": "integer", "multipleOf": 2},
            "ratio": {"type": "number", "exclusiveMinimum": true, "minimum": 0},
            "when": {"type": "string", "format": "date-time"},
            "size": {"x-kubernetes-int-or-string": true, "anyOf": [{"type": "integer"}, {"type": "string"}]},
            "maybe": {"type": "string", "nullable": true},
            "flag": {"type": "boolean"},
            "tags": {"type": "array", "items": {"type": "string"}, "x-kubernetes-list-type": "set", "maxItems": 3},
            "args": {"type": "array", "items": {"type": "string"}, "x-kubernetes-list-type": "atomic"},
            "ports": {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"],
              "items": {"type": "object", "required": ["name", "port"], "properties": {
                "name": {"type": "string"}, "port": {"type": "integer", "minimum": 1, "maximum": 65535},
                "protocol": {"type": "string", "default": "TCP"}}}},
            "settings": {"type": "object", "additionalProperties": {"type": "string"}, "maxProperties": 3},
            "frozen": {"type": "object", "additionalProperties": {"type": "string"}, "x-kubernetes-map-type": "atomic"},
            "limits": {"type": "object", "required": ["cpu"], "properties": {
              "cpu": {"type": "string"}, "memory": {"type": "string"}}},
            "free": {"type": "object", "x-kubernetes-preserve-unknown-fields": true, "properties": {
              "known": {"type": "integer"}}}
          }},
          "status": {"type": "object", "properties": {
            "replicas": {"type": "integer"}, "selector": {"type": "string"}, "phase": {"type": "string"},
            "conditions": {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["type"],
              "items": {"type": "object", "required": ["type", "status"], "properties": {
                "type": {"type": "string"}, "status": {"type": "string"}, "reason": {"type": "string"},
                "message": {"type": "string"}}}}
          }}
        }}}
    }]
  }
})";

constexpr std::string_view kGadget = R"({
  "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
  "metadata": {"name": "gadgets.conformance.capstan.dev"},
  "spec": {
    "group": "conformance.capstan.dev", "scope": "Cluster",
    "names": {"kind": "Gadget", "listKind": "GadgetList", "plural": "gadgets", "singular": "gadget"},
    "versions": [
      {"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {"type": "object", "properties": {
        "spec": {"type": "object", "x-kubernetes-preserve-unknown-fields": true},
        "status": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}}}}},
      {"name": "v1alpha1", "served": true, "storage": false, "deprecated": true, "schema": {"openAPIV3Schema": {
        "type": "object", "properties": {
        "spec": {"type": "object", "x-kubernetes-preserve-unknown-fields": true},
        "status": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}}}}},
      {"name": "v0", "served": false, "storage": false, "schema": {"openAPIV3Schema": {"type": "object"}}}]
  }
})";

constexpr std::string_view kRuled = R"({
  "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
  "metadata": {"name": "ruleds.conformance.capstan.dev"},
  "spec": {
    "group": "conformance.capstan.dev", "scope": "Namespaced",
    "names": {"kind": "Ruled", "listKind": "RuledList", "plural": "ruleds", "singular": "ruled"},
    "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {"type": "object",
      "properties": {"spec": {"type": "object", "properties": {
        "low": {"type": "integer"}, "high": {"type": "integer"},
        "fixed": {"type": "string", "x-kubernetes-validations": [{"rule": "self == oldSelf", "message": "fixed never changes"}]}},
        "x-kubernetes-validations": [{"rule": "!has(self.low) || !has(self.high) || self.low <= self.high",
                                      "message": "low must not exceed high"}]}}}}}]
  }
})";

}  // namespace

std::vector<json::value> widget_definitions() { return {parse(kWidget), parse(kGadget), parse(kRuled)}; }

}  // namespace capstan::conformance
