import { type FailureCause, type FailureKind, isOneCause } from './failure-cause.ts';

const kept = 'in the work directory that was kept';

/** What to do about each kind of failure, where the record itself does not say. */
const stepsOfKinds: Readonly<Record<FailureKind, string>> = {
  thrown: 'Call the tool by hand with the input of the example; what it printed is in the trace.',
  gate: `Look at what was left behind ${kept}.`,
  criterion: 'Compare the answer in the trace with what the criterion asks for: one of the two is wrong.',
  judge:
    'Read what the judge quotes. Where it is right, the agent needs better guidance; where not, make the criterion more precise.',
  'server-test': 'Call the server with the same arguments by hand; `assay mcp-check` shows what else it does wrong.',
  workflow: 'Look at which tools were called, and in which order: their descriptions decide what a model chooses.',
  assertion: 'Read the answer in the trace beside what was expected.',
  verdict: 'Open single trials: the recorded verdict does not say why they failed.',
  'time-out': 'Find in the trace what took the time, then make it quicker or raise the limit.',
  crash: 'What was printed last is in the trace; start the same thing by hand with the same input.',
  'rate-limit': 'Lower the concurrency, then finish the run with `assay run --resume`.',
  budget: 'Raise the limit or take a cheaper model, then finish the run with `assay run --resume`.',
  agent: 'Read what the agent printed last; `assay doctor` tells whether it can be used here.',
  model: 'The provider says why in its message; then finish the run with `assay run --resume`.',
  target: 'Try what is under test by hand, with the input of the example.',
  user: 'Correct the file, then check it with `assay validate`.',
  store: '`assay doctor` tells whether the store can be read and written.',
  engine: 'The message says where it happened; run it again with --debug.',
};

const stepsOfTypes: readonly (readonly [RegExp, string])[] = [
  [/^command_/, `Run the command of the gate ${kept}, and see what it prints.`],
  [/^file_/, `Open the file ${kept}; the task may not say clearly where it must be and what must be in it.`],
  [/^no_transcript_errors$/, 'Find the first error in the transcript: it often is what the guidance does not explain.'],
  [/^script$/, `Run the script by hand ${kept}.`],
  [/budget$|^time-to-/, 'Find in the trace where it went; raise the limit only if it was too low to begin with.'],
  [/^tool-|-calls$/, 'Look at the calls in the trace: what the tools are called and say decides which are chosen.'],
];

/** What to do next about a cluster; one cause is only suggested where the error itself was observed. */
export function nextStepFor(cause: FailureCause, scenarios: number): string {
  const { kind, what, hint } = cause;
  const ofType = stepsOfTypes.find(([pattern]) => pattern.test(what))?.[1];
  const step = hint ?? (kind === 'gate' || kind === 'assertion' ? ofType : undefined) ?? stepsOfKinds[kind];
  return scenarios > 1 && isOneCause(cause) ? `The same error occurred in ${scenarios} scenarios. ${step}` : step;
}
