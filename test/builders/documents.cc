#include "test/builders/documents.h"

namespace capstan::builders {

std::string_view full_cluster() {
  return R"json({
  "apiVersion": "cluster.x-k8s.io/v1beta2",
  "kind": "Cluster",
  "metadata": {
    "name": "x1",
    "generateName": "x",
    "namespace": "default",
    "uid": "3f2504e0-4f89-41d3-9a0c-0305e82c3301",
    "resourceVersion": "4711",
    "generation": 3,
    "creationTimestamp": "2026-01-01T12:00:00Z",
    "deletionTimestamp": "2026-01-02T12:00:00Z",
    "deletionGracePeriodSeconds": 0,
    "labels": {"cluster.x-k8s.io/cluster-name": "c1"},
    "annotations": {"a": "b"},
    "ownerReferences": [
      {
        "apiVersion": "cluster.x-k8s.io/v1beta2",
        "kind": "Cluster",
        "name": "c1",
        "uid": "3f2504e0-4f89-41d3-9a0c-0305e82c3302",
        "controller": true,
        "blockOwnerDeletion": true,
        "futureField": {"kept": true}}],
    "finalizers": ["machine.cluster.x-k8s.io"],
    "futureField": {"kept": true}},
  "spec": {
    "paused": false,
    "clusterNetwork": {
      "apiServerPort": 6443,
      "services": {"cidrBlocks": ["10.96.0.0/12"], "futureField": {"kept": true}},
      "pods": {"cidrBlocks": ["10.0.0.0/16", "fd00::/108"], "futureField": {"kept": true}},
      "serviceDomain": "cluster.local",
      "futureField": {"kept": true}},
    "controlPlaneEndpoint": {"host": "example.com", "port": 6443, "futureField": {"kept": true}},
    "controlPlaneRef": {
      "apiGroup": "infrastructure.cluster.x-k8s.io",
      "kind": "KubeadmControlPlane",
      "name": "r1",
      "futureField": {"kept": true}},
    "infrastructureRef": {
      "apiGroup": "infrastructure.cluster.x-k8s.io",
      "kind": "DockerCluster",
      "name": "r1",
      "futureField": {"kept": true}},
    "topology": {"classRef": {"name": "quick-start"}, "version": "v1.36.3"},
    "availabilityGates": [
      {"conditionType": "example.com/Gate", "polarity": "Positive", "futureField": {"kept": true}}],
    "futureField": {"kept": true}},
  "status": {
    "conditions": [
      {
        "type": "Available",
        "status": "True",
        "observedGeneration": 3,
        "lastTransitionTime": "2026-01-01T12:00:00Z",
        "reason": "Ready",
        "message": "",
        "futureField": {"kept": true}}],
    "initialization": {
      "infrastructureProvisioned": true,
      "controlPlaneInitialized": false,
      "futureField": {"kept": true}},
    "controlPlane": {
      "desiredReplicas": 3,
      "replicas": 3,
      "upToDateReplicas": 2,
      "readyReplicas": 2,
      "availableReplicas": 1,
      "versions": [{"version": "v1.36.3", "replicas": 2, "futureField": {"kept": true}}],
      "upgradePlan": [{"version": "v1.37.0", "futureField": {"kept": true}}],
      "futureField": {"kept": true}},
    "workers": {
      "desiredReplicas": 3,
      "replicas": 3,
      "upToDateReplicas": 2,
      "readyReplicas": 2,
      "availableReplicas": 1,
      "versions": [{"version": "v1.36.3", "replicas": 2, "futureField": {"kept": true}}],
      "upgradePlan": [{"version": "v1.37.0", "futureField": {"kept": true}}],
      "futureField": {"kept": true}},
    "failureDomains": [
      {
        "name": "fd1",
        "controlPlane": false,
        "attributes": {"zone": "a"},
        "futureField": {"kept": true}}],
    "phase": "Provisioned",
    "observedGeneration": 3,
    "deprecated": {
      "v1beta1": {
        "conditions": [
          {
            "type": "Ready",
            "status": "False",
            "severity": "Error",
            "lastTransitionTime": "2026-01-01T12:00:00Z",
            "reason": "Broken",
            "message": "no disk",
            "futureField": {"kept": true}}],
        "failureReason": "InvalidConfiguration",
        "failureMessage": "gone",
        "futureField": {"kept": true}},
      "futureField": {"kept": true}},
    "futureField": {"kept": true}},
  "futureField": {"kept": true}})json";
}

std::string_view full_machine() {
  return R"json({
  "apiVersion": "cluster.x-k8s.io/v1beta2",
  "kind": "Machine",
  "metadata": {
    "name": "x1",
    "generateName": "x",
    "namespace": "default",
    "uid": "3f2504e0-4f89-41d3-9a0c-0305e82c3301",
    "resourceVersion": "4711",
    "generation": 3,
    "creationTimestamp": "2026-01-01T12:00:00Z",
    "deletionTimestamp": "2026-01-02T12:00:00Z",
    "deletionGracePeriodSeconds": 0,
    "labels": {"cluster.x-k8s.io/cluster-name": "c1"},
    "annotations": {"a": "b"},
    "ownerReferences": [
      {
        "apiVersion": "cluster.x-k8s.io/v1beta2",
        "kind": "Cluster",
        "name": "c1",
        "uid": "3f2504e0-4f89-41d3-9a0c-0305e82c3302",
        "controller": true,
        "blockOwnerDeletion": true,
        "futureField": {"kept": true}}],
    "finalizers": ["machine.cluster.x-k8s.io"],
    "futureField": {"kept": true}},
  "spec": {
    "clusterName": "c1",
    "bootstrap": {
      "configRef": {
        "apiGroup": "infrastructure.cluster.x-k8s.io",
        "kind": "KubeadmConfig",
        "name": "r1",
        "futureField": {"kept": true}},
      "dataSecretName": "s1",
      "futureField": {"kept": true}},
    "infrastructureRef": {
      "apiGroup": "infrastructure.cluster.x-k8s.io",
      "kind": "DockerMachine",
      "name": "r1",
      "futureField": {"kept": true}},
    "version": "v1.36.3",
    "providerID": "docker:////x1",
    "failureDomain": "fd1",
    "minReadySeconds": 5,
    "readinessGates": [
      {"conditionType": "example.com/Gate", "polarity": "Negative", "futureField": {"kept": true}}],
    "deletion": {
      "nodeDrainTimeoutSeconds": 1,
      "nodeVolumeDetachTimeoutSeconds": 2,
      "nodeDeletionTimeoutSeconds": 3,
      "futureField": {"kept": true}},
    "taints": [
      {
        "key": "example.com/t",
        "value": "v",
        "effect": "NoSchedule",
        "propagation": "Always",
        "futureField": {"kept": true}}],
    "futureField": {"kept": true}},
  "status": {
    "conditions": [
      {
        "type": "Ready",
        "status": "True",
        "observedGeneration": 3,
        "lastTransitionTime": "2026-01-01T12:00:00Z",
        "reason": "Ready",
        "message": "",
        "futureField": {"kept": true}}],
    "initialization": {
      "infrastructureProvisioned": true,
      "bootstrapDataSecretCreated": true,
      "futureField": {"kept": true}},
    "nodeRef": {"name": "n1", "futureField": {"kept": true}},
    "nodeInfo": {
      "machineID": "m",
      "systemUUID": "s",
      "bootID": "b",
      "kernelVersion": "k",
      "osImage": "o",
      "containerRuntimeVersion": "c",
      "kubeletVersion": "v1.36.3",
      "kubeProxyVersion": "",
      "operatingSystem": "linux",
      "architecture": "amd64",
      "swap": {"capacity": 1024, "futureField": {"kept": true}},
      "futureField": {"kept": true}},
    "lastUpdated": "2026-01-01T12:00:00Z",
    "addresses": [{"type": "InternalIP", "address": "10.0.0.1", "futureField": {"kept": true}}],
    "failureDomain": "fd1",
    "phase": "Running",
    "certificatesExpiryDate": "2027-01-01T12:00:00Z",
    "deletion": {
      "nodeDrainStartTime": "2026-01-01T12:00:00Z",
      "waitForNodeVolumeDetachStartTime": "2026-01-01T12:00:01Z",
      "waitForPreDrainHookStartTime": "2026-01-01T12:00:02Z",
      "waitForPreTerminateHookStartTime": "2026-01-01T12:00:03Z",
      "futureField": {"kept": true}},
    "observedGeneration": 3,
    "deprecated": {
      "v1beta1": {
        "conditions": [
          {
            "type": "Ready",
            "status": "False",
            "severity": "Error",
            "lastTransitionTime": "2026-01-01T12:00:00Z",
            "reason": "Broken",
            "message": "no disk",
            "futureField": {"kept": true}}],
        "failureReason": "InvalidConfiguration",
        "failureMessage": "gone",
        "futureField": {"kept": true}},
      "futureField": {"kept": true}},
    "futureField": {"kept": true}},
  "futureField": {"kept": true}})json";
}

std::string_view full_machine_set() {
  return R"json({
  "apiVersion": "cluster.x-k8s.io/v1beta2",
  "kind": "MachineSet",
  "metadata": {
    "name": "x1",
    "generateName": "x",
    "namespace": "default",
    "uid": "3f2504e0-4f89-41d3-9a0c-0305e82c3301",
    "resourceVersion": "4711",
    "generation": 3,
    "creationTimestamp": "2026-01-01T12:00:00Z",
    "deletionTimestamp": "2026-01-02T12:00:00Z",
    "deletionGracePeriodSeconds": 0,
    "labels": {"cluster.x-k8s.io/cluster-name": "c1"},
    "annotations": {"a": "b"},
    "ownerReferences": [
      {
        "apiVersion": "cluster.x-k8s.io/v1beta2",
        "kind": "Cluster",
        "name": "c1",
        "uid": "3f2504e0-4f89-41d3-9a0c-0305e82c3302",
        "controller": true,
        "blockOwnerDeletion": true,
        "futureField": {"kept": true}}],
    "finalizers": ["machine.cluster.x-k8s.io"],
    "futureField": {"kept": true}},
  "spec": {
    "clusterName": "c1",
    "replicas": 0,
    "selector": {
      "matchLabels": {"a": "b"},
      "matchExpressions": [
        {"key": "k", "operator": "In", "values": ["v"], "futureField": {"kept": true}}],
      "futureField": {"kept": true}},
    "template": {
      "metadata": {"labels": {"a": "b"}, "annotations": {"c": "d"}, "futureField": {"kept": true}},
      "spec": {
        "clusterName": "c1",
        "bootstrap": {
          "configRef": {
            "apiGroup": "infrastructure.cluster.x-k8s.io",
            "kind": "KubeadmConfig",
            "name": "r1",
            "futureField": {"kept": true}},
          "dataSecretName": "s1",
          "futureField": {"kept": true}},
        "infrastructureRef": {
          "apiGroup": "infrastructure.cluster.x-k8s.io",
          "kind": "DockerMachine",
          "name": "r1",
          "futureField": {"kept": true}},
        "version": "v1.36.3",
        "providerID": "docker:////x1",
        "failureDomain": "fd1",
        "minReadySeconds": 5,
        "readinessGates": [
          {"conditionType": "example.com/Gate", "polarity": "Negative", "futureField": {"kept": true}}],
        "deletion": {
          "nodeDrainTimeoutSeconds": 1,
          "nodeVolumeDetachTimeoutSeconds": 2,
          "nodeDeletionTimeoutSeconds": 3,
          "futureField": {"kept": true}},
        "taints": [
          {
            "key": "example.com/t",
            "value": "v",
            "effect": "NoSchedule",
            "propagation": "Always",
            "futureField": {"kept": true}}],
        "futureField": {"kept": true}},
      "futureField": {"kept": true}},
    "machineNaming": {
      "template": "{{ .machineSet.name }}-{{ .random }}",
      "futureField": {"kept": true}},
    "deletion": {"order": "Oldest", "futureField": {"kept": true}},
    "futureField": {"kept": true}},
  "status": {
    "conditions": [
      {
        "type": "ScalingUp",
        "status": "True",
        "observedGeneration": 3,
        "lastTransitionTime": "2026-01-01T12:00:00Z",
        "reason": "Ready",
        "message": "",
        "futureField": {"kept": true}}],
    "selector": "a=b",
    "replicas": 0,
    "readyReplicas": 0,
    "availableReplicas": 0,
    "upToDateReplicas": 0,
    "versions": [{"version": "v1.36.3", "replicas": 2, "futureField": {"kept": true}}],
    "observedGeneration": 3,
    "deprecated": {
      "v1beta1": {
        "conditions": [
          {
            "type": "Ready",
            "status": "False",
            "severity": "Error",
            "lastTransitionTime": "2026-01-01T12:00:00Z",
            "reason": "Broken",
            "message": "no disk",
            "futureField": {"kept": true}}],
        "failureReason": "r",
        "failureMessage": "m",
        "fullyLabeledReplicas": 0,
        "readyReplicas": 0,
        "availableReplicas": 0,
        "futureField": {"kept": true}},
      "futureField": {"kept": true}},
    "futureField": {"kept": true}},
  "futureField": {"kept": true}})json";
}

std::string_view full_machine_deployment() {
  return R"json({
  "apiVersion": "cluster.x-k8s.io/v1beta2",
  "kind": "MachineDeployment",
  "metadata": {
    "name": "x1",
    "generateName": "x",
    "namespace": "default",
    "uid": "3f2504e0-4f89-41d3-9a0c-0305e82c3301",
    "resourceVersion": "4711",
    "generation": 3,
    "creationTimestamp": "2026-01-01T12:00:00Z",
    "deletionTimestamp": "2026-01-02T12:00:00Z",
    "deletionGracePeriodSeconds": 0,
    "labels": {"cluster.x-k8s.io/cluster-name": "c1"},
    "annotations": {"a": "b"},
    "ownerReferences": [
      {
        "apiVersion": "cluster.x-k8s.io/v1beta2",
        "kind": "Cluster",
        "name": "c1",
        "uid": "3f2504e0-4f89-41d3-9a0c-0305e82c3302",
        "controller": true,
        "blockOwnerDeletion": true,
        "futureField": {"kept": true}}],
    "finalizers": ["machine.cluster.x-k8s.io"],
    "futureField": {"kept": true}},
  "spec": {
    "clusterName": "c1",
    "replicas": 3,
    "rollout": {
      "after": "2026-01-01T12:00:00Z",
      "strategy": {
        "type": "RollingUpdate",
        "rollingUpdate": {"maxUnavailable": 0, "maxSurge": "25%", "futureField": {"kept": true}},
        "futureField": {"kept": true}},
      "futureField": {"kept": true}},
    "selector": {
      "matchLabels": {"a": "b"},
      "matchExpressions": [
        {"key": "k", "operator": "In", "values": ["v"], "futureField": {"kept": true}}],
      "futureField": {"kept": true}},
    "template": {
      "metadata": {"labels": {"a": "b"}, "annotations": {"c": "d"}, "futureField": {"kept": true}},
      "spec": {
        "clusterName": "c1",
        "bootstrap": {
          "configRef": {
            "apiGroup": "infrastructure.cluster.x-k8s.io",
            "kind": "KubeadmConfig",
            "name": "r1",
            "futureField": {"kept": true}},
          "dataSecretName": "s1",
          "futureField": {"kept": true}},
        "infrastructureRef": {
          "apiGroup": "infrastructure.cluster.x-k8s.io",
          "kind": "DockerMachine",
          "name": "r1",
          "futureField": {"kept": true}},
        "version": "v1.36.3",
        "providerID": "docker:////x1",
        "failureDomain": "fd1",
        "minReadySeconds": 5,
        "readinessGates": [
          {"conditionType": "example.com/Gate", "polarity": "Negative", "futureField": {"kept": true}}],
        "deletion": {
          "nodeDrainTimeoutSeconds": 1,
          "nodeVolumeDetachTimeoutSeconds": 2,
          "nodeDeletionTimeoutSeconds": 3,
          "futureField": {"kept": true}},
        "taints": [
          {
            "key": "example.com/t",
            "value": "v",
            "effect": "NoSchedule",
            "propagation": "Always",
            "futureField": {"kept": true}}],
        "futureField": {"kept": true}},
      "futureField": {"kept": true}},
    "machineNaming": {"template": "{{ .random }}", "futureField": {"kept": true}},
    "remediation": {"maxInFlight": "20%", "futureField": {"kept": true}},
    "deletion": {"order": "Newest", "futureField": {"kept": true}},
    "paused": true,
    "futureField": {"kept": true}},
  "status": {
    "conditions": [
      {
        "type": "Available",
        "status": "True",
        "observedGeneration": 3,
        "lastTransitionTime": "2026-01-01T12:00:00Z",
        "reason": "Ready",
        "message": "",
        "futureField": {"kept": true}}],
    "observedGeneration": 3,
    "selector": "a=b",
    "replicas": 3,
    "readyReplicas": 2,
    "availableReplicas": 1,
    "upToDateReplicas": 3,
    "versions": [{"version": "v1.36.3", "replicas": 2, "futureField": {"kept": true}}],
    "phase": "ScalingUp",
    "deprecated": {
      "v1beta1": {
        "conditions": [
          {
            "type": "Ready",
            "status": "False",
            "severity": "Error",
            "lastTransitionTime": "2026-01-01T12:00:00Z",
            "reason": "Broken",
            "message": "no disk",
            "futureField": {"kept": true}}],
        "updatedReplicas": 0,
        "readyReplicas": 0,
        "availableReplicas": 0,
        "unavailableReplicas": 0,
        "futureField": {"kept": true}},
      "futureField": {"kept": true}},
    "futureField": {"kept": true}},
  "futureField": {"kept": true}})json";
}

std::string_view full_machine_pool() {
  return R"json({
  "apiVersion": "cluster.x-k8s.io/v1beta2",
  "kind": "MachinePool",
  "metadata": {
    "name": "x1",
    "generateName": "x",
    "namespace": "default",
    "uid": "3f2504e0-4f89-41d3-9a0c-0305e82c3301",
    "resourceVersion": "4711",
    "generation": 3,
    "creationTimestamp": "2026-01-01T12:00:00Z",
    "deletionTimestamp": "2026-01-02T12:00:00Z",
    "deletionGracePeriodSeconds": 0,
    "labels": {"cluster.x-k8s.io/cluster-name": "c1"},
    "annotations": {"a": "b"},
    "ownerReferences": [
      {
        "apiVersion": "cluster.x-k8s.io/v1beta2",
        "kind": "Cluster",
        "name": "c1",
        "uid": "3f2504e0-4f89-41d3-9a0c-0305e82c3302",
        "controller": true,
        "blockOwnerDeletion": true,
        "futureField": {"kept": true}}],
    "finalizers": ["machine.cluster.x-k8s.io"],
    "futureField": {"kept": true}},
  "spec": {
    "clusterName": "c1",
    "replicas": 3,
    "template": {
      "metadata": {"labels": {"a": "b"}, "annotations": {"c": "d"}, "futureField": {"kept": true}},
      "spec": {
        "clusterName": "c1",
        "bootstrap": {
          "configRef": {
            "apiGroup": "infrastructure.cluster.x-k8s.io",
            "kind": "KubeadmConfig",
            "name": "r1",
            "futureField": {"kept": true}},
          "dataSecretName": "s1",
          "futureField": {"kept": true}},
        "infrastructureRef": {
          "apiGroup": "infrastructure.cluster.x-k8s.io",
          "kind": "DockerMachine",
          "name": "r1",
          "futureField": {"kept": true}},
        "version": "v1.36.3",
        "providerID": "docker:////x1",
        "failureDomain": "fd1",
        "minReadySeconds": 5,
        "readinessGates": [
          {"conditionType": "example.com/Gate", "polarity": "Negative", "futureField": {"kept": true}}],
        "deletion": {
          "nodeDrainTimeoutSeconds": 1,
          "nodeVolumeDetachTimeoutSeconds": 2,
          "nodeDeletionTimeoutSeconds": 3,
          "futureField": {"kept": true}},
        "taints": [
          {
            "key": "example.com/t",
            "value": "v",
            "effect": "NoSchedule",
            "propagation": "Always",
            "futureField": {"kept": true}}],
        "futureField": {"kept": true}},
      "futureField": {"kept": true}},
    "providerIDList": ["docker:////p0"],
    "failureDomains": ["fd1"],
    "futureField": {"kept": true}},
  "status": {
    "conditions": [
      {
        "type": "Paused",
        "status": "True",
        "observedGeneration": 3,
        "lastTransitionTime": "2026-01-01T12:00:00Z",
        "reason": "Ready",
        "message": "",
        "futureField": {"kept": true}}],
    "initialization": {
      "infrastructureProvisioned": true,
      "bootstrapDataSecretCreated": false,
      "futureField": {"kept": true}},
    "nodeRefs": [
      {
        "kind": "Node",
        "namespace": "n",
        "name": "n1",
        "uid": "3f2504e0-4f89-41d3-9a0c-0305e82c3303",
        "apiVersion": "v1",
        "resourceVersion": "5",
        "fieldPath": "f",
        "futureField": {"kept": true}}],
    "replicas": 3,
    "readyReplicas": 2,
    "availableReplicas": 1,
    "upToDateReplicas": 3,
    "versions": [{"version": "v1.36.3", "replicas": 2, "futureField": {"kept": true}}],
    "phase": "Running",
    "observedGeneration": 3,
    "deprecated": {
      "v1beta1": {
        "conditions": [
          {
            "type": "Ready",
            "status": "False",
            "severity": "Error",
            "lastTransitionTime": "2026-01-01T12:00:00Z",
            "reason": "Broken",
            "message": "no disk",
            "futureField": {"kept": true}}],
        "failureReason": "r",
        "failureMessage": "m",
        "readyReplicas": 1,
        "availableReplicas": 1,
        "unavailableReplicas": 2,
        "futureField": {"kept": true}},
      "futureField": {"kept": true}},
    "futureField": {"kept": true}},
  "futureField": {"kept": true}})json";
}

std::string_view full_machine_health_check() {
  return R"json({
  "apiVersion": "cluster.x-k8s.io/v1beta2",
  "kind": "MachineHealthCheck",
  "metadata": {
    "name": "x1",
    "generateName": "x",
    "namespace": "default",
    "uid": "3f2504e0-4f89-41d3-9a0c-0305e82c3301",
    "resourceVersion": "4711",
    "generation": 3,
    "creationTimestamp": "2026-01-01T12:00:00Z",
    "deletionTimestamp": "2026-01-02T12:00:00Z",
    "deletionGracePeriodSeconds": 0,
    "labels": {"cluster.x-k8s.io/cluster-name": "c1"},
    "annotations": {"a": "b"},
    "ownerReferences": [
      {
        "apiVersion": "cluster.x-k8s.io/v1beta2",
        "kind": "Cluster",
        "name": "c1",
        "uid": "3f2504e0-4f89-41d3-9a0c-0305e82c3302",
        "controller": true,
        "blockOwnerDeletion": true,
        "futureField": {"kept": true}}],
    "finalizers": ["machine.cluster.x-k8s.io"],
    "futureField": {"kept": true}},
  "spec": {
    "clusterName": "c1",
    "selector": {
      "matchLabels": {"a": "b"},
      "matchExpressions": [
        {"key": "k", "operator": "In", "values": ["v"], "futureField": {"kept": true}}],
      "futureField": {"kept": true}},
    "checks": {
      "nodeStartupTimeoutSeconds": 0,
      "unhealthyNodeConditions": [
        {"type": "Ready", "status": "Unknown", "timeoutSeconds": 300, "futureField": {"kept": true}}],
      "unhealthyMachineConditions": [
        {"type": "NodeHealthy", "status": "False", "timeoutSeconds": 0, "futureField": {"kept": true}}],
      "futureField": {"kept": true}},
    "remediation": {
      "triggerIf": {
        "unhealthyLessThanOrEqualTo": "40%",
        "unhealthyInRange": "[3-5]",
        "futureField": {"kept": true}},
      "templateRef": {
        "apiVersion": "infrastructure.cluster.x-k8s.io/v1beta1",
        "kind": "FooRemediationTemplate",
        "name": "t1",
        "futureField": {"kept": true}},
      "futureField": {"kept": true}},
    "futureField": {"kept": true}},
  "status": {
    "conditions": [
      {
        "type": "RemediationAllowed",
        "status": "True",
        "observedGeneration": 3,
        "lastTransitionTime": "2026-01-01T12:00:00Z",
        "reason": "Ready",
        "message": "",
        "futureField": {"kept": true}}],
    "expectedMachines": 0,
    "currentHealthy": 0,
    "remediationsAllowed": 0,
    "observedGeneration": 3,
    "targets": ["m1"],
    "deprecated": {
      "v1beta1": {
        "conditions": [
          {
            "type": "Ready",
            "status": "False",
            "severity": "Error",
            "lastTransitionTime": "2026-01-01T12:00:00Z",
            "reason": "Broken",
            "message": "no disk",
            "futureField": {"kept": true}}],
        "futureField": {"kept": true}},
      "futureField": {"kept": true}},
    "futureField": {"kept": true}},
  "futureField": {"kept": true}})json";
}

std::string_view full_machine_drain_rule() {
  return R"json({
  "apiVersion": "cluster.x-k8s.io/v1beta2",
  "kind": "MachineDrainRule",
  "metadata": {
    "name": "x1",
    "generateName": "x",
    "namespace": "default",
    "uid": "3f2504e0-4f89-41d3-9a0c-0305e82c3301",
    "resourceVersion": "4711",
    "generation": 3,
    "creationTimestamp": "2026-01-01T12:00:00Z",
    "deletionTimestamp": "2026-01-02T12:00:00Z",
    "deletionGracePeriodSeconds": 0,
    "labels": {"cluster.x-k8s.io/cluster-name": "c1"},
    "annotations": {"a": "b"},
    "ownerReferences": [
      {
        "apiVersion": "cluster.x-k8s.io/v1beta2",
        "kind": "Cluster",
        "name": "c1",
        "uid": "3f2504e0-4f89-41d3-9a0c-0305e82c3302",
        "controller": true,
        "blockOwnerDeletion": true,
        "futureField": {"kept": true}}],
    "finalizers": ["machine.cluster.x-k8s.io"],
    "futureField": {"kept": true}},
  "spec": {
    "drain": {"behavior": "Drain", "order": -5, "futureField": {"kept": true}},
    "machines": [
      {
        "selector": {
          "matchLabels": {"a": "b"},
          "matchExpressions": [
            {"key": "k", "operator": "In", "values": ["v"], "futureField": {"kept": true}}],
          "futureField": {"kept": true}},
        "clusterSelector": {"futureField": {"kept": true}},
        "futureField": {"kept": true}}],
    "pods": [
      {
        "selector": {
          "matchLabels": {"a": "b"},
          "matchExpressions": [
            {"key": "k", "operator": "In", "values": ["v"], "futureField": {"kept": true}}],
          "futureField": {"kept": true}},
        "namespaceSelector": {
          "matchLabels": {"a": "b"},
          "matchExpressions": [
            {"key": "k", "operator": "In", "values": ["v"], "futureField": {"kept": true}}],
          "futureField": {"kept": true}},
        "futureField": {"kept": true}}],
    "futureField": {"kept": true}},
  "futureField": {"kept": true}})json";
}

}  // namespace capstan::builders
