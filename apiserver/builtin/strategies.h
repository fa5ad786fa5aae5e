// What the built-in kinds do differently when they are written, one constant each. Used by the table of kinds
// only.
#pragma once

#include "apiserver/store/strategy.h"

namespace capstan::apiserver {

extern const Strategy kPlain;
extern const Strategy kReturnsDeleted;
extern const Strategy kCreateOnUpdate;
extern const Strategy kGeneration;

// config_rules.cc
extern const Strategy kNamespace;
extern const Strategy kConfigMap;
extern const Strategy kSecret;
extern const Strategy kService;
extern const Strategy kEvent;
extern const Strategy kLease;

// node_rules.cc
extern const Strategy kNode;
extern const Strategy kAttachment;
extern const Strategy kDriver;

// pod_rules.cc
extern const Strategy kPod;

// workload_rules.cc
extern const Strategy kDeployment;
extern const Strategy kReplicaSet;
extern const Strategy kStatefulSet;
extern const Strategy kDaemonSet;
extern const Strategy kBudget;

// access_rules.cc
extern const Strategy kRole;
extern const Strategy kRoleBinding;
extern const Strategy kWebhooks;

// definition_rules.cc
extern const Strategy kDefinition;

}  // namespace capstan::apiserver
