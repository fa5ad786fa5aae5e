// The steps of a Cluster's life, as a user takes them with kubectl: it comes up, grows, rolls, goes. Each
// waits until kubectl shows that it is done, and is a failure of the test where it is not in time. The suites
// beside upstream's providers take them on servers of their own, test/kind on a cluster of kind. For gtest;
// one thread.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "base/clock.h"

namespace capstan::envtest {

// What kubectl printed.
using Kubectl = std::function<std::string(std::vector<std::string> arguments, std::string input)>;

class FleetWalk {
 public:
  FleetWalk(std::string cluster, Kubectl kubectl, Nanoseconds patience)
      : cluster_(std::move(cluster)), kubectl_(std::move(kubectl)), patience_(patience) {}

  // Available, and so many Machines have their Nodes.
  void comes_up(const std::string& manifest, std::size_t machines) const;
  void is_up(std::size_t machines) const;
  void scales(const std::string& deployment, int replicas) const;
  // To that version, every Machine of it.
  void rolls(const std::string& deployment, const std::string& version) const;
  void pool_scales(const std::string& pool, int replicas) const;
  // With all that has its name, by label or as its own begins: objects of providers, templates, Secrets.
  void goes() const;
  void is_gone() const;

  // A line for each Machine of the Cluster that has its Node.
  std::vector<std::string> machines_with_node() const;
  std::string kubectl(std::vector<std::string> arguments, std::string input = {}) const {
    return kubectl_(std::move(arguments), std::move(input));
  }
  bool eventually(const std::function<bool()>& condition) const;
  // Asks until that is what kubectl prints.
  void prints(const std::vector<std::string>& get, const std::string& wanted) const;
  static std::vector<std::string> condition_of(const std::string& object, const std::string& type);
  static std::vector<std::string> lines_of(const std::string& text);

 private:
  std::string kinds_of_clusters() const;
  // "KIND/NAME" of what is called as the Cluster is, alone or before a dash: a user's templates have no
  // label.
  std::vector<std::string> named_after_it() const;

  const std::string cluster_;
  const Kubectl kubectl_;
  const Nanoseconds patience_;
};

}  // namespace capstan::envtest
