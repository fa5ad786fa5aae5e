// The way to a Cluster's API server as the times of policies count by it. Pure.
#pragma once

#include "controllers/lifecycle/contact.h"
#include "kubeconfig/reach.h"

namespace capstan::controllers {

// None while it is in doubt.
lifecycle::Contact contact_of(const kubeconfig::Reach& reach);

}  // namespace capstan::controllers
