// What became of a plan. A plain value.
#pragma once

#include <cstddef>
#include <string>

namespace capstan::controllers::crdmigration {

struct Effects {
  std::size_t written = 0;
  std::size_t changed_meanwhile = 0;  // by another writer, before managers could be taken off
  std::size_t failed = 0;
  std::string first_failure = {};
};

}  // namespace capstan::controllers::crdmigration
