// The garbage collector: dependents of owners that are gone are deleted, owners that wait for their
// dependents are let go, orphans lose their reference. A graph of owner references fed with the store's
// changes. One thread at a time.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "apiserver/core.h"

namespace capstan::apiserver {

class Garbage {
 public:
  // One change of any collection, in order.
  void feed(const std::string& collection, const Change& change);
  // Everything again from scratch follows.
  void forget();
  // Works off what the changes made necessary. True when it wrote something.
  bool collect(Core& core);

 private:
  struct Node {
    std::string collection = {};
    StoredKey key = {};
    std::set<std::string> owners = {};
  };
  struct Owners {
    std::vector<std::string> gone = {};     // uids
    std::vector<std::string> waiting = {};  // deleted in the foreground: waits for this dependent
    bool solid = false;                     // one at least stays
    bool unknown = false;                   // of a kind this server does not serve: nothing is certain
  };

  void remember(const std::string& collection, const Change& change);
  void forget_node(const std::string& uid);
  void check_dependents_of(const std::string& uid);
  Owners judge_owners(const Core& core, const json::object& object) const;
  bool judge(Core& core, const std::string& uid);
  bool release_orphans(Core& core, const Node& node, const std::string& uid);
  bool finish_foreground(Core& core, const Node& node, const std::string& uid);
  bool judge_dependent(Core& core, const Node& node, const std::string& uid, const json::object& object);

  std::map<std::string, Node> nodes_ = {};                        // by uid
  std::map<std::string, std::set<std::string>> dependents_ = {};  // by the owner's uid
  std::set<std::string> suspects_ = {};
};

}  // namespace capstan::apiserver
