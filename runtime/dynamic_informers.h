// Informers of kinds met at run time: the objects of providers, as far as the contract names their fields.
// The watch of a kind runs while there is a Hold of it. A kind that can't be watched (its CRD is missing, we
// may not read it) says so whenever it is asked; it is tried again by itself, slower and slower. Safe from
// any thread.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "api/contract/contract_object.h"
#include "base/guarded.h"
#include "runtime/informer.h"
#include "runtime/store.h"

namespace capstan::runtime {

using api::contract::ContractObject;

class DynamicInformers {
 public:
  explicit DynamicInformers(const InformerDeps& deps);
  ~DynamicInformers();  // after every hold
  DynamicInformers(const DynamicInformers&) = delete;
  DynamicInformers& operator=(const DynamicInformers&) = delete;

 private:
  struct Kind;

 public:
  // As long as it lives, the kind is watched.
  class Hold {
   public:
    Hold() = default;
    Hold(Hold&& other) noexcept : owner_(std::exchange(other.owner_, nullptr)), kind_(other.kind_) {}
    Hold& operator=(Hold&& other) noexcept {
      std::swap(owner_, other.owner_);
      std::swap(kind_, other.kind_);
      return *this;
    }
    ~Hold();

    explicit operator bool() const { return owner_ != nullptr; }
    // Lives as long as the DynamicInformers; empty and unsynced while there is no Hold of the kind.
    Store<ContractObject>& store() const;
    // Objects with an owner reference of that uid that is no controller's: made by it, not yet taken over.
    std::vector<Snapshot<ContractObject>> plainly_owned_by(const api::Uid& owner) const;
    // Objects of that namespace whose label pool-name has that value.
    std::vector<Snapshot<ContractObject>> in_pool(std::string_view namespace_, std::string_view label) const;
    // Why there is no list yet, or why the watch fails now.
    std::optional<Error> trouble() const;

   private:
    friend class DynamicInformers;
    Hold(DynamicInformers& owner, Kind& kind) : owner_(&owner), kind_(&kind) {}
    DynamicInformers* owner_ = nullptr;
    Kind* kind_ = nullptr;
  };

  // Starts the watch with the first Hold of the kind; does not wait for its list.
  Hold hold(const kube::Resource& resource);

  void refresh_metrics();

 private:
  void settle(Kind& kind);

  const InformerDeps deps_;
  Guarded<std::map<kube::Resource, std::unique_ptr<Kind>>>
      kinds_;  // never fewer: caches outlive what refers to them
};

}  // namespace capstan::runtime
