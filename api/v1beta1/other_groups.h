// Kinds of upstream's package that are none of ours: what stands in a server that upstream managed before has
// to be listed and deleted in every version. Resource sets and extensions are converted in full; a
// ClusterClass only changes its version. Included by api/v1beta1/kinds.cc; plain data.
#pragma once

#include "api/meta/label_selector.h"
#include "api/v1beta1/common.h"

namespace capstan::api::v1beta1 {

inline constexpr std::string_view kAddonsGroup = "addons.cluster.x-k8s.io";
inline constexpr std::string_view kRuntimeGroup = "runtime.cluster.x-k8s.io";
inline constexpr std::string_view kHub = "v1beta2";

consteval ResourceInfo foreign(std::string_view group, std::string_view version, std::string_view kind) {
  return {.group = group, .version = version, .kind = kind};
}

inline constexpr Member kMetadata = field("metadata", type_of<ObjectMeta>);
inline constexpr const TypeInfo& kSelector = type_of<LabelSelector>;
inline constexpr const TypeInfo& kSelectorPointer = type_of<std::optional<LabelSelector>>;

// status.deprecated where it holds nothing but conditions
inline constexpr std::array kOldOnlyMembers = {kConditions};
inline constexpr TypeInfo kOldOnly = object(kOldOnlyMembers);
inline constexpr TypeInfo kOldOnlyPointer = pointer(kOldOnly);
inline constexpr std::array kDeprecatedMembers = {field("v1beta1", kOldOnlyPointer)};
inline constexpr TypeInfo kDeprecated = object(kDeprecatedMembers);
inline constexpr TypeInfo kDeprecatedPointer = pointer(kDeprecated);
inline constexpr Member kDeprecatedField = field("deprecated", kDeprecatedPointer);
inline constexpr Member kOldNewStatusField = field("v1beta2", kConditionsOnlyPointer);

// --- resource sets ---

inline constexpr std::array kOldResourceRefMembers = {
    always(field("name", kText)),
    always(field("kind", kText)),
};
inline constexpr TypeInfo kOldResourceRef = object(kOldResourceRefMembers);
inline constexpr TypeInfo kOldResourceRefs = list(kOldResourceRef);
inline constexpr std::array kResourceRefMembers = {
    field("name", kText),
    field("kind", kText),
};
inline constexpr TypeInfo kResourceRef = object(kResourceRefMembers);
inline constexpr TypeInfo kResourceRefs = list(kResourceRef);
inline constexpr std::array kOldResourceSetSpecMembers = {
    always(field("clusterSelector", kSelector)),
    field("resources", kOldResourceRefs),
    field("strategy", kText),
};
inline constexpr TypeInfo kOldResourceSetSpec = object(kOldResourceSetSpecMembers);
inline constexpr std::array kResourceSetSpecMembers = {
    field("clusterSelector", kSelector),
    field("resources", kResourceRefs),
    field("strategy", kText),
};
inline constexpr TypeInfo kResourceSetSpec = object(kResourceSetSpecMembers);
inline constexpr std::array kOldResourceSetStatusMembers = {
    field("observedGeneration", kInt64),
    kConditions,
    kOldNewStatusField,
};
inline constexpr TypeInfo kOldResourceSetStatus = object(kOldResourceSetStatusMembers);
inline constexpr std::array kResourceSetStatusMembers = {
    kNewConditions,
    field("observedGeneration", kInt64),
    kDeprecatedField,
};
inline constexpr TypeInfo kResourceSetStatus = object(kResourceSetStatusMembers);
inline constexpr ResourceInfo kOldClusterResourceSetResource =
    foreign(kAddonsGroup, kVersion, "ClusterResourceSet");
inline constexpr std::array kOldClusterResourceSetMembers = {
    kMetadata,
    always(field("spec", kOldResourceSetSpec)),
    always(field("status", kOldResourceSetStatus)),
};
inline constexpr TypeInfo kOldClusterResourceSetType =
    top(kOldClusterResourceSetMembers, kOldClusterResourceSetResource);
inline constexpr ResourceInfo kNewClusterResourceSetResource =
    foreign(kAddonsGroup, kHub, "ClusterResourceSet");
inline constexpr std::array kNewClusterResourceSetMembers = {
    kMetadata,
    field("spec", kResourceSetSpec),
    field("status", kResourceSetStatus),
};
inline constexpr TypeInfo kNewClusterResourceSetType =
    top(kNewClusterResourceSetMembers, kNewClusterResourceSetResource);
inline constexpr Kind kClusterResourceSet = {.old_type = &kOldClusterResourceSetType,
                                             .new_type = &kNewClusterResourceSetType,
                                             .rows = kMovedConditionsRows};

inline constexpr std::array kOldResourceBindingMembers = {
    always(field("name", kText)),           always(field("kind", kText)),       field("hash", kText),
    field("lastAppliedTime", kTimePointer), always(field("applied", kBoolean)),
};
inline constexpr TypeInfo kOldResourceBinding = object(kOldResourceBindingMembers);
inline constexpr TypeInfo kOldResourceBindings = list(kOldResourceBinding);
inline constexpr std::array kResourceBindingMembers = {
    field("name", kText),
    field("kind", kText),
    field("hash", kText),
    field("lastAppliedTime", type_of<Time>),
    field("applied", type_of<std::optional<bool>>),
};
inline constexpr TypeInfo kResourceBinding = object(kResourceBindingMembers);
inline constexpr TypeInfo kResourceBindings = list(kResourceBinding);
inline constexpr std::array kOldSetBindingMembers = {
    always(field("clusterResourceSetName", kText)),
    field("resources", kOldResourceBindings),
};
inline constexpr TypeInfo kOldSetBinding = object(kOldSetBindingMembers);
inline constexpr TypeInfo kOldSetBindingPointer = pointer(kOldSetBinding);
inline constexpr TypeInfo kOldSetBindings = list(kOldSetBindingPointer);
inline constexpr std::array kSetBindingMembers = {
    field("clusterResourceSetName", kText),
    field("resources", kResourceBindings),
};
inline constexpr TypeInfo kSetBinding = object(kSetBindingMembers);
inline constexpr TypeInfo kSetBindings = list(kSetBinding);
inline constexpr std::array kOldBindingSpecMembers = {
    field("bindings", kOldSetBindings),
    field("clusterName", kText),
};
inline constexpr TypeInfo kOldBindingSpec = object(kOldBindingSpecMembers);
inline constexpr std::array kBindingSpecMembers = {
    field("bindings", kSetBindings),
    field("clusterName", kText),
};
inline constexpr TypeInfo kBindingSpec = object(kBindingSpecMembers);
inline constexpr ResourceInfo kOldClusterResourceSetBindingResource =
    foreign(kAddonsGroup, kVersion, "ClusterResourceSetBinding");
inline constexpr std::array kOldClusterResourceSetBindingMembers = {
    kMetadata,
    always(field("spec", kOldBindingSpec)),
};
inline constexpr TypeInfo kOldClusterResourceSetBindingType =
    top(kOldClusterResourceSetBindingMembers, kOldClusterResourceSetBindingResource);
inline constexpr ResourceInfo kNewClusterResourceSetBindingResource =
    foreign(kAddonsGroup, kHub, "ClusterResourceSetBinding");
inline constexpr std::array kNewClusterResourceSetBindingMembers = {
    kMetadata,
    field("spec", kBindingSpec),
};
inline constexpr TypeInfo kNewClusterResourceSetBindingType =
    top(kNewClusterResourceSetBindingMembers, kNewClusterResourceSetBindingResource);
inline constexpr std::array kResourceBindingRows = {
    Row{.old_path = "applied", .new_path = "applied", .change = Change::FlagAlways},
};
inline constexpr std::array kSetBindingRows = {
    Row{.old_path = "resources",
        .new_path = "resources",
        .change = Change::Each,
        .items = kResourceBindingRows},
};
inline constexpr std::array kClusterResourceSetBindingRows = {
    Row{.old_path = "spec.bindings",
        .new_path = "spec.bindings",
        .change = Change::Each,
        .items = kSetBindingRows},
};
inline constexpr Kind kClusterResourceSetBinding = {.old_type = &kOldClusterResourceSetBindingType,
                                                    .new_type = &kNewClusterResourceSetBindingType,
                                                    .rows = kClusterResourceSetBindingRows};

// --- runtime extensions ---

inline constexpr std::array kOldServiceMembers = {
    always(field("namespace", kText)),
    always(field("name", kText)),
    field("path", kTextPointer),
    field("port", kInt32Pointer),
};
inline constexpr TypeInfo kOldService = object(kOldServiceMembers);
inline constexpr TypeInfo kOldServicePointer = pointer(kOldService);
inline constexpr std::array kServiceMembers = {
    field("namespace", kText),
    field("name", kText),
    field("path", kText),
    field("port", kInt32Pointer),
};
inline constexpr TypeInfo kService = object(kServiceMembers);
inline constexpr std::array kOldClientMembers = {
    field("url", kTextPointer),
    field("service", kOldServicePointer),
    field("caBundle", kText),
};
inline constexpr TypeInfo kOldClient = object(kOldClientMembers);
inline constexpr std::array kClientMembers = {
    field("url", kText),
    field("service", kService),
    field("caBundle", kText),
};
inline constexpr TypeInfo kClient = object(kClientMembers);
inline constexpr std::array kOldExtensionSpecMembers = {
    always(field("clientConfig", kOldClient)),
    field("namespaceSelector", kSelectorPointer),
    field("settings", type_of<TextMap>),
};
inline constexpr TypeInfo kOldExtensionSpec = object(kOldExtensionSpecMembers);
inline constexpr std::array kExtensionSpecMembers = {
    field("clientConfig", kClient),
    field("namespaceSelector", kSelectorPointer),
    field("settings", type_of<TextMap>),
};
inline constexpr TypeInfo kExtensionSpec = object(kExtensionSpecMembers);
inline constexpr std::array kOldHookMembers = {
    always(field("apiVersion", kText)),
    always(field("hook", kText)),
};
inline constexpr TypeInfo kOldHook = object(kOldHookMembers);
inline constexpr std::array kHookMembers = {
    field("apiVersion", kText),
    field("hook", kText),
};
inline constexpr TypeInfo kHook = object(kHookMembers);
inline constexpr std::array kOldHandlerMembers = {
    always(field("name", kText)),
    always(field("requestHook", kOldHook)),
    field("timeoutSeconds", kInt32Pointer),
    field("failurePolicy", kTextPointer),
};
inline constexpr TypeInfo kOldHandler = object(kOldHandlerMembers);
inline constexpr TypeInfo kOldHandlers = list(kOldHandler);
inline constexpr std::array kHandlerMembers = {
    field("name", kText),
    field("requestHook", kHook),
    field("timeoutSeconds", kInt32),
    field("failurePolicy", kText),
};
inline constexpr TypeInfo kHandler = object(kHandlerMembers);
inline constexpr TypeInfo kHandlers = list(kHandler);
inline constexpr std::array kOldExtensionStatusMembers = {
    field("handlers", kOldHandlers),
    kConditions,
    kOldNewStatusField,
};
inline constexpr TypeInfo kOldExtensionStatus = object(kOldExtensionStatusMembers);
inline constexpr std::array kExtensionStatusMembers = {
    kNewConditions,
    field("handlers", kHandlers),
    kDeprecatedField,
};
inline constexpr TypeInfo kExtensionStatus = object(kExtensionStatusMembers);
inline constexpr ResourceInfo kOldExtensionConfigResource = foreign(kRuntimeGroup, kAlpha, "ExtensionConfig");
inline constexpr std::array kOldExtensionConfigMembers = {
    kMetadata,
    always(field("spec", kOldExtensionSpec)),
    always(field("status", kOldExtensionStatus)),
};
inline constexpr TypeInfo kOldExtensionConfigType =
    top(kOldExtensionConfigMembers, kOldExtensionConfigResource);
inline constexpr ResourceInfo kNewExtensionConfigResource = foreign(kRuntimeGroup, kHub, "ExtensionConfig");
inline constexpr std::array kNewExtensionConfigMembers = {
    kMetadata,
    field("spec", kExtensionSpec),
    field("status", kExtensionStatus),
};
inline constexpr TypeInfo kNewExtensionConfigType =
    top(kNewExtensionConfigMembers, kNewExtensionConfigResource);
inline constexpr Kind kExtensionConfig = {
    .old_type = &kOldExtensionConfigType, .new_type = &kNewExtensionConfigType, .rows = kMovedConditionsRows};

// --- ClusterClass ---

inline constexpr ResourceInfo kOldClusterClassResource = foreign(group::kCluster, kVersion, "ClusterClass");
inline constexpr std::array kOldClusterClassMembers = {
    kMetadata,
    field("spec", type_of<RawJson>),
    field("status", type_of<RawJson>),
};
inline constexpr TypeInfo kOldClusterClassType = top(kOldClusterClassMembers, kOldClusterClassResource);
inline constexpr ResourceInfo kNewClusterClassResource = foreign(group::kCluster, kHub, "ClusterClass");
inline constexpr std::array kNewClusterClassMembers = {
    kMetadata,
    field("spec", type_of<RawJson>),
    field("status", type_of<RawJson>),
};
inline constexpr TypeInfo kNewClusterClassType = top(kNewClusterClassMembers, kNewClusterClassResource);
inline constexpr Kind kClusterClass = {.old_type = &kOldClusterClassType, .new_type = &kNewClusterClassType};

}  // namespace capstan::api::v1beta1
