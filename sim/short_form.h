// Objects in short: one line instead of twenty, for scenarios.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "api/types/json.h"

namespace bth::sim {

// `kind names key=value … flag …`; several names are parted by commas. The words:
//
//   node N cpu=4 mem=8Gi pods=110 gpu=2 res.<resource>=1 label.<key>=v annotation.<key>=v
//        taint=key=value:Effect cordoned
//   hypernode H tier=1 tiername=rack nodes=n1|n2 above=h1|h2 (HyperNodes) match=<pattern>
//        select.<key>=v
//   queue Q weight=1 prio=0 parent=P state=Open reclaimable=false cap.<r>= deserved.<r>=
//        guarantee.<r>= dequeue=<strategy> hierarchy=root/a weights=1/2 created=<seconds>
//   priority P value=100 default never
//   job J ns=default queue=Q min=1 prio=<class> phase=Inqueue minres.<r>= roles=worker:2,ps:1
//        group.<name>=<size>:<least sub-groups>:<label key>[:<topology>] created=<seconds>
//        topology=soft or hard:<tier or its name> wait=5m preemptable
//        annotation.<key>=v taskprio=5 tasks=3 and everything of `pod`, for each of the pods J-0,
//        J-1 …
//   pod P job=J ns=default cpu=1 mem=1Gi gpu=1 res.<resource>=1 node=N phase=Running deleting
//        prio=5 class=<class> role=worker label.<key>=v gate=<name> select.<key>=v need.<key>=v|w
//        prefer.<key>=v|w:<weight> tolerate=key=value:Effect tolerate=key tolerate=* port=80/UDP
//        image=name:tag fixed created=<seconds> scheduler=<name> anti=<topology key>
//        spread=<topology key> affinity.<topology key>=<label>:<value>[:<weight>]
//        anti.<topology key>=<label>:<value>[:<weight>] (with a weight: preferred)
//        spread.<topology key>=<label>:<value>[:<largest skew>[:soft]] pvc=<claim>
//        claim=<resource claim> nominated=<node> annotation.<key>=v limit.<resource>=1 (a request
//        too)
//
// <r> is cpu, mem, gpu, pods or a full name. A pod with a node runs there unless `phase` says
// otherwise. kInvalidArgument quotes the word that is not understood.
absl::StatusOr<std::vector<types::Json>> ExpandShortForm(std::string_view line);

// All words by kind, as they are written before `=` or a name of one's own: "cpu", "label.". Those
// of `pod` go with `job` as well.
std::map<std::string, std::vector<std::string>> ShortFormWords();

}  // namespace bth::sim
