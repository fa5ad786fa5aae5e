// What became of a plan. A plain value.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace capstan::controllers::crdmigration {

struct Effects {
  std::size_t written = 0;
  std::size_t changed_meanwhile = 0;       // by another writer, before managers could be taken off
  std::vector<std::string> failures = {};  // of objects that were refused, each with its name
};

}  // namespace capstan::controllers::crdmigration
