// The Machine that memory and speed are measured with: 5 labels, an owner, addresses, nodeInfo, 5 conditions,
// managedFields; about 3.8 KB of JSON. Every 33 of them belong to one MachineSet.
#pragma once

#include <string>

namespace capstan::bench {

std::string reference_machine(int number);
// {"kind":"MachineList",...,"items":[...]} with machines first .. first + count - 1.
std::string reference_list(int first, int count);

}  // namespace capstan::bench
