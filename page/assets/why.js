// The first thing that holds a job, in the order in which its way leads past them, and in the words
// of `vcctl job explain`.

// facts: { ns, name, job, group, groupMissing, queueName, queue, queueMissing, pods }; what is not
// known is null, and pods too, when only the counts of the job are.
// Returns { waits, words, remedy }.
export function whatHolds(facts) {
  return endHolds(facts) ?? queueHolds(facts) ?? groupHolds(facts) ?? podsHold(facts);
}

const held = (words, remedy = '') => ({ waits: true, words, remedy });
const free = (words) => ({ waits: false, words, remedy: '' });

// " (reason: message)" of the job's state, as far as there is one.
function stateWords({ reason, message }) {
  if (reason === '' && message === '') return '';
  return ` (${reason}${reason === '' || message === '' ? '' : ': '}${message})`;
}

// Jobs that have ended, or are on their way to it.
function endHolds({ ns, name, job, group }) {
  if (!job) return group?.phase === 'Completed' ? free('It has ended: Completed.') : null;
  const words = stateWords(job);
  switch (job.phase) {
    case 'Completed':
    case 'Failed':
    case 'Terminated':
      return free(`It has ended: ${job.phase}${words}.`);
    case 'Aborted':
    case 'Aborting':
      return held(`it was suspended${words}.`, `vcctl job resume -n ${ns} -N ${name}`);
    case 'Terminating':
    case 'Completing':
    case 'Restarting':
      return held(`it is ${job.phase}${words} until its former pods are gone.`);
    default:
      return null;
  }
}

function queueHolds({ queueName, queue, queueMissing }) {
  if (queueMissing) {
    return held(
      `queue ${queueName} does not exist.`,
      `vcctl queue create -n ${queueName}, or name another queue (vcctl queue list)`,
    );
  }
  if (queue?.state === 'Closed' || queue?.state === 'Closing') {
    return held(
      `queue ${queueName} is ${queue.state}: nothing new of it is placed.`,
      `vcctl queue operate -n ${queueName} -a open`,
    );
  }
  return null;
}

function groupHolds({ group, groupMissing, queueName }) {
  if (groupMissing) {
    return held(
      'it has no PodGroup.',
      'vc-controller-manager makes one: look whether it runs, and at ' +
        'the events of the job (vcctl job view)',
    );
  }
  if (!group) return null;
  if (group.phase === '') {
    return held(
      'no scheduler has looked at its PodGroup yet.',
      'look whether vc-scheduler runs and leads',
    );
  }
  if (group.phase === 'Pending') {
    return held(
      `it is not admitted to queue ${queueName}` +
        `${group.refusal === '' ? '.' : `: ${group.refusal}`}`,
    );
  }
  if (group.refusal !== '' && group.phase !== 'Completed') {
    return held(`it is admitted, and its gang has no place: ${group.refusal}`);
  }
  return null;
}

function podsHold({ job, group, pods }) {
  if (pods) {
    if (pods.length === 0) {
      return held(
        'it has no pods yet.',
        'the events of the job tell what kept them from being made ' + '(vcctl job view)',
      );
    }
    const waiting = pods.filter((pod) => pod.words !== '');
    if (waiting.length > 0) {
      return held(`${waiting.length} of its ${pods.length} pods do not run: ${waiting[0].words}`);
    }
    return free('Nothing holds it: all its pods have places.');
  }
  if (!job) {
    return group?.phase === 'Running' || group?.phase === 'Unknown'
      ? free('')
      : held('its pods have no places yet.');
  }
  if (job.pending > 0) return held(`${job.pending} of its ${job.replicas} pods do not run.`);
  if (job.running + job.succeeded + job.failed + job.unknown === 0)
    return held('it has no pods yet.');
  return free('');
}
