// What the page about a job says where no rule of the scheduler holds it, and what helps.
#pragma once

#include <string>
#include <string_view>

#include "api/model/ids.h"
#include "framework/session/session.h"

namespace bth::scheduler {

// Thread of all: scheduling, between two cycles.

// A batch job's PodGroup is named after it: the job's name, a dash and the job's UID.
bool IsGroupOfBatchJob(std::string_view group, std::string_view job);

// "default/a-0 is bound to a node that does not exist"; empty: the pod is no such one.
std::string LostWords(const framework::Session& session, model::TaskId task);
// Of a job that no gate holds: that it has no pods, that a pod of it is bound to a node that does
// not exist, or what became of its pods. Empty when some pod waits.
std::string UnheldWords(const framework::Session& session, model::JobId job);
// Who knows more about a job without pods; empty: it has some, or is done.
std::string WhyNoPods(const framework::Session& session, model::JobId job);

// "default/big-0 asks for 20 cpu and the largest node has 8 cpu: no node of this cluster can ever
// hold it; …". Empty: some node could, were it empty, or nothing waits. Cost: nodes times shapes of
// waiting pods, of which no more than a hundred are looked at.
std::string NeverFits(const framework::Session& session, model::JobId job);
std::string NeverFits(const framework::Session& session, model::TaskId task);

// What to say of a job or pod ("ns/name") that the last cycle did not have.
std::string UnknownJobWords(std::string_view job);
std::string UnknownPodWords(std::string_view pod);

}  // namespace bth::scheduler
