#include "runtime/dynamic_informers.h"

#include <utility>

#include "api/names.h"

namespace capstan::runtime {

struct DynamicInformers::Kind {
  // What should be, and what is. The thread that makes them differ brings them together, one at a time.
  struct Watch {
    std::size_t holds = 0;
    bool running = false;
    bool changing = false;
    std::shared_ptr<Informer<ContractObject>> informer = {};  // shared for the moment of a question
  };

  explicit Kind(const kube::Resource& what)
      : resource(what),
        store(what.kind),
        by_plain_owner(store.add_index(plain_owners)),
        by_pool(store.add_index(pools)) {}
  static IndexValues plain_owners(const ContractObject& object) {
    IndexValues uids;
    for (const auto& owner : *object.metadata.owner_references) {
      if (!owner.is_controller()) uids.emplace_back(Text(owner.uid.str()));
    }
    return uids;
  }
  static std::string pool(std::string_view namespace_, std::string_view label) {
    return std::string(namespace_) + "/" + std::string(label);
  }
  static IndexValues pools(const ContractObject& object) {
    const Text* label = object.metadata.labels.find(api::label::kPoolName);
    if (label == nullptr) return {};
    return {Text(pool(object.metadata.namespace_, *label))};
  }
  std::shared_ptr<Informer<ContractObject>> informer() const {
    return watch.with([](const Watch& now) { return now.informer; });
  }

  const kube::Resource resource;
  Store<ContractObject> store;
  const IndexId<ContractObject> by_plain_owner;
  const IndexId<ContractObject> by_pool;
  Guarded<Watch> watch;
};

DynamicInformers::DynamicInformers(const InformerDeps& deps) : deps_(deps) {}

DynamicInformers::~DynamicInformers() = default;

DynamicInformers::Hold DynamicInformers::hold(const kube::Resource& resource) {
  Kind& kind = kinds_.with([&](auto& kinds) -> Kind& {
    auto& known = kinds[resource];
    if (known == nullptr) known = std::make_unique<Kind>(resource);
    return *known;
  });
  kind.watch.with([](Kind::Watch& watch) { ++watch.holds; });
  settle(kind);
  return Hold(*this, kind);
}

DynamicInformers::Hold::~Hold() {
  if (owner_ == nullptr) return;
  kind_->watch.with([](Kind::Watch& watch) { --watch.holds; });
  owner_->settle(*kind_);
}

// Starts or stops the watch, outside of the lock, until it is as the holds want it. Another thread at it
// already will see our change.
void DynamicInformers::settle(Kind& kind) {
  for (;;) {
    const bool mine = kind.watch.with([](Kind::Watch& watch) {
      if (watch.changing || watch.running == (watch.holds > 0)) return false;
      return watch.changing = true;
    });
    if (!mine) return;
    auto informer =
        kind.watch.with([](Kind::Watch& watch) { return std::exchange(watch.informer, nullptr); });
    if (informer == nullptr) {
      informer = std::make_shared<Informer<ContractObject>>(
          deps_, kube::WatchTarget{.resource = kind.resource}, kind.store);
      informer->start();
    } else {
      informer->stop();
      informer.reset();
      kind.store.forget();
    }
    kind.watch.with([&](Kind::Watch& watch) {
      watch.running = informer != nullptr;
      watch.informer = std::move(informer);
      watch.changing = false;
    });
  }
}

Store<ContractObject>& DynamicInformers::Hold::store() const { return kind_->store; }

std::vector<Snapshot<ContractObject>> DynamicInformers::Hold::plainly_owned_by(const api::Uid& owner) const {
  return kind_->store.find(kind_->by_plain_owner, owner.str());
}

std::vector<Snapshot<ContractObject>> DynamicInformers::Hold::in_pool(std::string_view namespace_,
                                                                      std::string_view label) const {
  return kind_->store.find(kind_->by_pool, Kind::pool(namespace_, label));
}

std::optional<Error> DynamicInformers::Hold::trouble() const {
  const auto informer = kind_->informer();
  return informer == nullptr ? std::nullopt : informer->progress().trouble;
}

void DynamicInformers::refresh_metrics() {
  const auto all = kinds_.with([](const auto& kinds) {
    std::vector<const Kind*> pointers;
    for (const auto& [resource, kind] : kinds) pointers.push_back(kind.get());
    return pointers;
  });
  for (const Kind* kind : all) {
    if (const auto informer = kind->informer()) informer->refresh_metrics();
  }
}

}  // namespace capstan::runtime
