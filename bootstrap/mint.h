// Makes a bootstrap token's id and secret from the randomness it is given; in the product that is the
// operating system's for keys (net/secure_randomness.h). Safe from any thread.
#pragma once

#include "base/randomness.h"
#include "bootstrap/token.h"

namespace capstan::bootstrap {

Token mint(Randomness& randomness);

}  // namespace capstan::bootstrap
