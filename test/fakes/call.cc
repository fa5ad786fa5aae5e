#include "test/fakes/call.h"

namespace capstan::fakes {

std::string_view to_string(Call call) {
  switch (call) {
    case Call::Read: return "read";
    case Call::Create: return "create";
    case Call::Replace: return "replace";
    case Call::Patch: return "patch";
    case Call::Remove: return "remove";
    case Call::Evict: return "evict";
    case Call::Post: return "post";
    case Call::ListStream: return "list";
    case Call::Watch: return "watch";
    case Call::Piece: return "piece";
  }
  return "read";
}

bool is_write(Call call) {
  switch (call) {
    case Call::Create:
    case Call::Replace:
    case Call::Patch:
    case Call::Remove:
    case Call::Evict:
    case Call::Post: return true;
    case Call::Read:
    case Call::ListStream:
    case Call::Watch:
    case Call::Piece: return false;
  }
  return false;
}

}  // namespace capstan::fakes
