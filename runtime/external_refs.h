// How a controller reads the objects of providers that its own refer to: which API version (by the contract
// labels of the CRD, anew at every use), from a cache that is watched from the first use on, with every
// change leading back to the owner. One per controller; safe from any thread, never blocks.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "api/contract/version.h"
#include "api/core/custom_resource_definition.h"
#include "api/v1beta2/common.h"
#include "base/guarded.h"
#include "runtime/dynamic_informers.h"
#include "runtime/external.h"
#include "runtime/queue.h"

namespace capstan::runtime {

class ExternalRefs {
 public:
  // Whose references name that object: they wait for it also before they own it, or when they never will.
  using Referrers = std::function<std::vector<ObjectKey>(const kube::Resource&, const ObjectKey&)>;
  struct Owner {
    std::string_view group = {};
    std::string_view kind = {};
    Referrers referrers = {};  // called from any thread
  };
  // All of it lives longer; changes of what `owner` owns or refers to put its key into `queue`.
  ExternalRefs(DynamicInformers& informers, const Store<api::CustomResourceDefinition>& crds, Owner owner,
               Queue& queue);

  // Errors: Unavailable while the CRD is missing, has no contract labels, the cache is not complete yet or
  // the object can't be decoded; the reasons above distinguish them. None of them means that the object does
  // not exist. With retry_after: nothing is wrong, the list is only not there yet.
  Result<External> get(const api::ContractRef& ref, std::string_view namespace_);
  // The same without the object: for creating one.
  Result<External> resolve(std::string_view group, std::string_view kind);

  struct Owned {
    kube::Resource resource = {};
    const Observed* cache = nullptr;
    std::vector<Snapshot<ContractObject>> objects = {};
  };
  // Those of that kind that `owner` made and that have no controller yet. Errors as of get().
  Result<Owned> plainly_owned_by(std::string_view group, std::string_view kind, const api::Uid& owner);
  // Those of that kind with that value of the label pool-name. From the first call on, changes of such
  // objects wake the keys that `pools` names for their namespace and label. Errors as of get().
  using Pools = std::function<std::vector<ObjectKey>(std::string_view namespace_, std::string_view label)>;
  struct InPool {
    std::string_view namespace_ = {};
    std::string_view label = {};
  };
  Result<Owned> in_pool(std::string_view group, std::string_view kind, const InPool& pool, Pools pools);

 private:
  struct Watched {
    kube::Resource resource = {};
    std::shared_ptr<DynamicInformers::Hold> hold = {};
  };
  struct Named {
    std::string group = {};
    std::string kind = {};
    std::string crd = {};
  };
  using GroupKind = std::pair<std::string, std::string>;

  std::string crd_name(std::string_view group, std::string_view kind);

  // The watched kind, once its list is complete.
  Result<std::shared_ptr<DynamicInformers::Hold>> complete(const kube::Resource& resource);
  std::shared_ptr<DynamicInformers::Hold> watch(const kube::Resource& resource);

  DynamicInformers& informers_;
  const Store<api::CustomResourceDefinition>& crds_;
  const Owner owner_;
  Queue& queue_;
  struct Inside {
    std::map<GroupKind, Watched> watched = {};
    std::set<kube::Resource> subscribed = {};
    std::set<kube::Resource> pooled = {};
    std::vector<Named> named = {};  // names of definitions, the newest last
  };
  Guarded<Inside> inside_;
};

}  // namespace capstan::runtime
