// Which objects of one kind name a provider's object in their references, whether they own it or not, and
// which of them has the best right to it. Wiring hands the answer to runtime/external_refs.h, which wakes
// them with every change of that object: a Machine that never came to own its infrastructure object still
// waits for the end of it.
// Reads indexes only; safe from any thread.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "controllers/shared/caches.h"
#include "runtime/external_refs.h"

namespace capstan::controllers {

// Of Clusters, Machines or MachinePools; empty for a kind that waits for no object of a provider.
runtime::ExternalRefs::Referrers referrers_of_kind(const Caches& caches, std::string_view kind);

ReferredObject referred(const kube::Resource& resource, const ObjectKey& key);

// A manifest copied with its references names the objects of the original: while nothing controls an object,
// the one that was made ready with it has the better right, else the older one. The name of another than
// `self`; empty when there is none with a better right.
template <typename T>
std::string better_claimant(const std::vector<Snapshot<T>>& referring, const T& self,
                            const std::function<bool(const T&)>& was_made_ready) {
  const auto rank = [&](const T& each) {
    return std::tuple(!was_made_ready(each), each.metadata.creation_timestamp, each.metadata.name.view());
  };
  const T* best = &self;
  for (const auto& each : referring) {
    if (each->metadata.name != self.metadata.name && rank(*each) < rank(*best)) best = each.get();
  }
  return best == &self ? std::string() : best->metadata.name.str();
}

}  // namespace capstan::controllers
