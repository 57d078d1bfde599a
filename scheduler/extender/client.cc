#include "scheduler/extender/client.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "base/status.h"
#include "scheduler/extender/answers.h"
#include "scheduler/extender/json_text.h"

namespace bth::scheduler::extender {
namespace {

using framework::ExtenderPort;
using framework::Session;
using model::NodeId;
using model::TaskId;

framework::HttpPort::Request RequestFor(const ExtenderPort::Call& call, std::string body) {
  framework::HttpPort::Request request;
  request.url = call.url;
  request.body = std::move(body);
  request.timeout = call.timeout;
  request.response_max_bytes = kAnswerBytesMax;
  return request;
}

// An answer that is too large has the words that Go programs use for it.
absl::Status Reworded(const absl::Status& status) {
  if (!absl::IsResourceExhausted(status)) return status;
  return absl::ResourceExhaustedError("http: request body too large");
}

std::string OneMember(std::string_view key, const std::string& value) {
  ObjectText out;
  return out.Raw(key, value).Take();
}

}  // namespace

ExtenderClient::Answer ExtenderClient::Ask(const Call& call, std::string body) {
  if (body.size() > kRequestBytesMax) {
    return absl::ResourceExhaustedError("the request is larger than 64 MiB");
  }
  const framework::HttpPort::Request request = RequestFor(call, std::move(body));
  std::vector<Answer> answers = http_.Exchange(absl::MakeConstSpan(&request, 1));
  if (!answers.front().ok()) return Reworded(answers.front().status());
  return std::move(answers.front());
}

absl::Status ExtenderClient::OpenSession(const Call& call, const Session& session) {
  node_tasks_.Forget();
  std::string body = SessionText(session, node_tasks_, kRequestBytesMax);
  if (body.empty()) return absl::ResourceExhaustedError("the session is larger than 64 MiB");
  return Ask(call, std::move(body)).status();
}

absl::Status ExtenderClient::CloseSession(const Call& call) {
  return Ask(call, "{}").status();
}

std::vector<absl::StatusOr<ExtenderPort::FilterAnswer>> ExtenderClient::Filter(
    const Call& call, const Session& session, TaskId task, absl::Span<const NodeId> nodes) {
  std::vector<absl::StatusOr<FilterAnswer>> out;
  out.reserve(nodes.size());
  const std::string task_text = TaskText(session, task);
  absl::Status silence;
  for (size_t first = 0; first < nodes.size(); first += kBatch) {
    const size_t end = std::min(nodes.size(), first + kBatch);
    if (!silence.ok()) {
      out.resize(nodes.size(), silence);
      break;
    }
    std::vector<framework::HttpPort::Request> requests;
    for (size_t i = first; i < end; ++i) {
      ObjectText body;
      body.Raw("task", task_text);
      body.Raw("node", NodeText(session, nodes[i], node_tasks_.On(session, nodes[i])));
      requests.push_back(RequestFor(call, body.Take()));
    }
    for (const Answer& answer : http_.Exchange(requests)) {
      if (!answer.ok()) {
        const absl::Status& status = answer.status();
        if (absl::IsDeadlineExceeded(status) || absl::IsUnavailable(status)) silence = status;
        out.emplace_back(Reworded(status));
      } else {
        out.push_back(ParseFilter(*answer));
      }
    }
  }
  return out;
}

absl::StatusOr<ExtenderPort::ScoreAnswer> ExtenderClient::Score(const Call& call,
                                                                const Session& session, TaskId task,
                                                                absl::Span<const NodeId> nodes) {
  std::string list = "[";
  absl::flat_hash_map<std::string_view, size_t> places;
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (i > 0) list += ',';
    list += NodeText(session, nodes[i], node_tasks_.On(session, nodes[i]));
    if (list.size() > kRequestBytesMax) break;
    places[session.node(nodes[i]).name] = i;
  }
  list += ']';
  ObjectText body;
  body.Raw("task", TaskText(session, task)).Raw("nodes", list);
  BTH_ASSIGN_OR_RETURN(const std::string text, Ask(call, body.Take()));
  BTH_ASSIGN_OR_RETURN(const ScoreReply reply, ParseScores(text));
  ScoreAnswer out;
  out.scores.assign(nodes.size(), 0);
  for (const auto& [node, score] : reply.scores) {
    const auto place = places.find(std::string_view(node));
    if (place == places.end()) {
      ++out.unknown;
    } else {
      out.scores[place->second] = score;
    }
  }
  return out;
}

absl::StatusOr<ExtenderPort::VictimAnswer> ExtenderClient::ChooseVictims(
    const Call& call, const Session& session, TaskId evictor, absl::Span<const TaskId> evictees) {
  std::string list = "[";
  absl::flat_hash_map<std::string_view, TaskId> by_uid;
  for (TaskId evictee : evictees) {
    if (list.size() > 1) list += ',';
    list += TaskText(session, evictee);
    by_uid[session.task(evictee).names->uid] = evictee;
  }
  list += ']';
  ObjectText body;
  body.Raw("evictor", TaskText(session, evictor)).Raw("evictees", list);
  BTH_ASSIGN_OR_RETURN(const std::string text, Ask(call, body.Take()));
  BTH_ASSIGN_OR_RETURN(const VictimReply reply, ParseVictims(text));
  VictimAnswer out;
  out.status = reply.status;
  for (const std::string& uid : reply.uids) {
    const auto known = by_uid.find(std::string_view(uid));
    if (known == by_uid.end()) {
      ++out.unknown;
      continue;
    }
    out.victims.push_back(known->second);
    by_uid.erase(known);
  }
  return out;
}

absl::StatusOr<int64_t> ExtenderClient::JobVote(const Call& call, const Session& session,
                                                model::JobId job) {
  BTH_ASSIGN_OR_RETURN(const std::string text, Ask(call, OneMember("job", JobText(session, job))));
  return ParseVote(text);
}

absl::Status ExtenderClient::TellJob(const Call& call, const Session& session, model::JobId job) {
  BTH_ASSIGN_OR_RETURN(const std::string text, Ask(call, OneMember("job", JobText(session, job))));
  return ParseAcknowledgement(text);
}

absl::StatusOr<bool> ExtenderClient::JobReady(const Call& call, const Session& session,
                                              model::JobId job) {
  BTH_ASSIGN_OR_RETURN(const std::string text, Ask(call, OneMember("job", JobText(session, job))));
  return ParseReady(text);
}

absl::StatusOr<bool> ExtenderClient::QueueOverused(const Call& call, const Session& session,
                                                   model::QueueId queue) {
  BTH_ASSIGN_OR_RETURN(const std::string text,
                       Ask(call, OneMember("queue", QueueText(session, queue))));
  return ParseOverused(text);
}

absl::Status ExtenderClient::TaskEvent(const Call& call, const Session& session, TaskId task) {
  BTH_ASSIGN_OR_RETURN(const std::string text,
                       Ask(call, OneMember("task", TaskText(session, task))));
  return ParseEvent(text);
}

}  // namespace bth::scheduler::extender
