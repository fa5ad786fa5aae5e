// What can be asked of a server, by sort: how fakes that treat many verbs alike tell them apart.
#pragma once

#include <string_view>

namespace capstan::fakes {

enum class Call { Read, Create, Replace, Patch, Remove, Evict, Post, ListStream, Watch, Piece };
std::string_view to_string(Call call);
bool is_write(Call call);

}  // namespace capstan::fakes
