// The two flags of every command that asks the API server.
#pragma once

#include "cli/command/flag_set.h"
#include "cli/session/session.h"

namespace bth::cli {

inline void AddClusterFlags(ClusterFlags* target, FlagSet* flags) {
  flags->Text(&target->master, {"master", 's'}, "the address of apiserver");
  flags->Text(&target->kubeconfig, {"kubeconfig", 'k'},
              "(optional) absolute path to the kubeconfig file");
  flags->OfferFor("kubeconfig", OfferFiles());
}

}  // namespace bth::cli
