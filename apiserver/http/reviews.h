// Reviews: who is this token, may this user do that. Answered from Auth, never stored. Safe from any thread.
#pragma once

#include <optional>

#include "apiserver/http/auth.h"
#include "apiserver/request.h"

namespace capstan::apiserver {

// The answer to the creation of a TokenReview, SelfSubjectReview, (Self|Local)SubjectAccessReview or
// SelfSubjectRulesReview; nothing for any other request.
std::optional<Response> review(const Auth& auth, const Request& request);

}  // namespace capstan::apiserver
