import * as z from 'zod';
import { AssayError } from '../../../domain/errors.ts';
import type { JudgedCriterion, JudgeResult } from '../../../domain/judge-result.ts';
import { type Fault, faultOf } from '../../../domain/outcome.ts';
import { eventsOf, type Trace } from '../../../domain/trace.ts';
import type { Trial } from '../../../domain/trial.ts';
import { eventsForJudge, taskIn } from '../../judge/event-source.ts';
import type { Judge, JudgeSubject } from '../../judge/judge.ts';
import { locateEvidence } from '../../judge/locate-evidence.ts';
import { type Answer, defineEvaluator } from '../evaluator.ts';

const configSchema = () =>
  z.strictObject({
    required: z
      .boolean()
      .default(false)
      .describe('whether a trial whose user broke its brief, or could not be reviewed, is an `error`'),
  });

type FidelityConfig = z.output<ReturnType<typeof configSchema>>;

const name = 'user-fidelity';

/** Ways in which a simulated user breaks its brief, in the order of the prompt. */
const checks = ['reveals', 'contradicts', 'does-agents-work', 'leaves-early'] as const;
type Check = (typeof checks)[number];

const brokenBy: Readonly<Record<Check, string>> = {
  reveals: 'revealed a fact unasked',
  contradicts: 'contradicted its brief',
  'does-agents-work': "did the agent's work",
  'leaves-early': 'left early',
};

/** Whether the simulated user kept to its brief; it says nothing about the agent. */
export const userFidelity = defineEvaluator({
  type: name,
  kind: 'metric',
  summary: 'how well the simulated user kept to its brief, reviewed by a model with verified quotes',
  example: { required: true },
  needs: ['judge'],
  reads: { channels: { answers: 'total' } },
  configSchema,
  prepare(config) {
    let preparing: Promise<Judge> | undefined;
    return async ({ trial, trace, judging, signal }) => {
      const user = eventsOf(trace, 'simulated-user')[0];
      if (!user) return noData('No model played the user in this trial.');
      preparing ??= prepareReview();
      const subject = subjectOf(trial, trace);
      const given = await judging.ask(await preparing, subject, trial.scenario.judge, signal);
      return answerOf(locateEvidence(given, subject.trace, trace), config, user.name);
    };
  },
});

async function prepareReview(): Promise<Judge> {
  const { prepareJudge } = await import('../../judge/prepare-judge.ts');
  const { criteria } = await import('../../judge/modes/criteria.ts');
  const { default: texts } = await import('../../judge/prompts/user-fidelity.v1.md?raw');
  const lines = new Map(
    texts
      .trim()
      .split('\n')
      .map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()]),
  );
  const failureCriteria = checks.flatMap((check) => lines.get(check) ?? []);
  const mode = { ...criteria, promptVersion: `user-fidelity.v1+${criteria.promptVersion}` };
  return prepareJudge(mode, { failureCriteria, instructions: lines.get('instructions'), evidenceFrom: ['user'] });
}

/** A trial that failed is reviewed too: the user may be the reason. */
function subjectOf({ scenario, variant }: Trial, trace: Trace): JudgeSubject {
  const user = eventsOf(trace, 'simulated-user')[0];
  const end = eventsOf(trace, 'conversation-ended').at(-1);
  return {
    name: scenario.name,
    task: scenario.description || (taskIn(trace) ?? scenario.name),
    trace: eventsForJudge(trace),
    failedGates: [],
    references: [
      { name: 'brief of the simulated user', text: JSON.stringify({ name: user?.name, ...user?.brief }) },
      { name: 'end of the conversation', text: end ? `${end.why}: ${end.reason}` : 'unknown' },
    ],
    testedModel: variant.model,
  };
}

function noData(reason: string): Answer<'metric'> {
  return { state: 'no-data', reason };
}

function answerOf(result: JudgeResult, { required }: FidelityConfig, user: string): Answer<'metric'> {
  const { state, reason, criteria = [] } = result;
  if (state === 'skipped')
    return required ? unreviewed({ ...result, fault: notReviewed(reason) }, required, user) : noData(reason);
  const reviewed = checks.flatMap((check, index): [Check, JudgedCriterion][] => {
    const criterion = criteria.find(({ id }) => id === `failure-${index + 1}`);
    return criterion ? [[check, criterion]] : [];
  });
  const broken = reviewed.filter(([, { answer }]) => answer === 'met').map(([check]) => check);
  const isReviewed = reviewed.length === checks.length && reviewed.every(([, { answer }]) => answer !== 'cannot-tell');
  if (!isReviewed && broken.length === 0) return unreviewed(result, required, user);
  const breach = broken.map((check) => brokenBy[check]).join(', ');
  const voids = required && broken.length > 0 ? brokenBrief(user, breach) : undefined;
  const details = {
    metrics: Object.fromEntries(reviewed.map(([check, { answer }]) => [`${name}.${check}`, figureOf(answer)])),
    metadata: metadataOf(result, reviewed),
    ...(voids && { voids }),
    reason: broken.length === 0 ? `${user} kept to its brief` : `${user} ${breach}: ${reasonsOf(reviewed)}`,
  };
  const kept = reviewed.filter(([, { answer }]) => answer === 'not-met').length;
  // One undecided check leaves the share unknown; what is known to be broken stays known.
  return isReviewed ? { state: 'measured', value: kept / checks.length, ...details } : { state: 'no-data', ...details };
}

function figureOf(answer: JudgedCriterion['answer']): number | null {
  return answer === 'cannot-tell' ? null : answer === 'met' ? 0 : 1;
}

function reasonsOf(reviewed: readonly (readonly [Check, JudgedCriterion])[]): string {
  return reviewed
    .filter(([, { answer }]) => answer === 'met')
    .map(([, { reason }]) => reason)
    .join('; ');
}

function metadataOf({ model, promptVersion }: JudgeResult, reviewed: readonly (readonly [Check, JudgedCriterion])[]) {
  const found = reviewed.map(([check, { answer, reason, evidence }]) => ({ check, answer, reason, evidence }));
  return { model, promptVersion, checks: found };
}

function unreviewed({ fault, reason }: JudgeResult, required: boolean, user: string): Answer<'metric'> {
  const code = fault?.code ?? 'JUDGE_UNDECIDED';
  const error = new AssayError(code, `Whether ${user} kept to its brief: ${fault?.message ?? reason}`, {
    hint: fault?.hint,
    blame: fault?.blame,
  });
  return { state: 'error', error, ...(required && { voids: error }) };
}

function notReviewed(reason: string): Fault {
  const hint = 'Run without --no-judge, or do not require the review of the simulated user.';
  return faultOf(new AssayError('NOT_JUDGED', reason, { hint }));
}

function brokenBrief(user: string, breach: string): AssayError {
  return new AssayError(
    'USER_BROKE_BRIEF',
    `The simulated user ${user} ${breach}, so the trial says nothing about the agent.`,
  );
}
