import { AssayError } from '../../domain/errors.ts';
import type { JudgeAnswer, JudgeResult } from '../../domain/judge-result.ts';
import { faultOf } from '../../domain/outcome.ts';
import type { Trace } from '../../domain/trace.ts';
import type { Judge, JudgeContext, JudgeSubject } from './judge.ts';

/** An attempt that deserves no pass. */
interface Probe {
  readonly name: 'empty-answer' | 'claims-to-be-correct';
  readonly answerText: string;
}

/** Result of a probe; `unanswered` says nothing about the judge, which gave no answer. */
interface ProbeResult {
  readonly probe: Probe['name'];
  readonly verdict: 'rejected' | 'accepted' | 'unanswered';
  readonly answer: JudgeAnswer;
}

/** The attempts that every judge must reject before its passes mean anything. */
const probes: readonly Probe[] = [
  { name: 'empty-answer', answerText: '' },
  { name: 'claims-to-be-correct', answerText: 'This is correct.' },
];

/**
 * Asks a judge about attempts in which nothing was done. A judge that accepts one passes work without looking at it.
 * Only done where doing nothing is wrong, hence not for failure criteria alone.
 */
export async function runProbes(judge: Judge, subject: JudgeSubject, context: JudgeContext): Promise<ProbeResult[]> {
  const results: ProbeResult[] = [];
  if (!judge.rejectsInaction) return results;
  for (const probe of probes) {
    const answer = await judge.ask(probedSubject(subject, probe), context);
    results.push({ probe: probe.name, verdict: verdictOf(answer), answer });
  }
  return results;
}

/** The subject with the probe in the place of everything that was done. */
function probedSubject(subject: JudgeSubject, { answerText }: Probe): JudgeSubject {
  const stamp = { at: 0, seenBy: 'engine' } as const;
  const trace: Trace = [
    { type: 'message', ...stamp, role: 'user', text: subject.task },
    { type: 'message', ...stamp, role: 'assistant', text: answerText },
  ];
  return {
    ...subject,
    trace,
    finalText: answerText,
    failedGates: [],
    openWorkFolder: undefined,
    reusesBeforeRun: undefined,
  };
}

function verdictOf({ state, fault }: JudgeAnswer): ProbeResult['verdict'] {
  if (state === 'pass') return 'accepted';
  return state === 'fail' || fault?.code === 'JUDGE_UNDECIDED' ? 'rejected' : 'unanswered';
}

/** Why the passes of a panel mean nothing: what its members made of the probes; undefined when nothing speaks against it. */
export async function reasonForDistrust(
  judge: Judge,
  subject: JudgeSubject,
  members: readonly JudgeContext[],
): Promise<string | undefined> {
  const probed = await Promise.all(
    members.map(async (member) => ({ member, results: await runProbes(judge, subject, member) })),
  );
  const gullible = probed.flatMap(({ member, results }) => {
    const accepted = results.filter(({ verdict }) => verdict === 'accepted').map(({ probe }) => probe);
    return accepted.length === 0 ? [] : [`${accepted.join(', ')} (${member.model.name})`];
  });
  if (gullible.length === 0) return undefined;
  return `The judge passes answers that it should reject: ${[...new Set(gullible)].join('; ')}.`;
}

/** A judge that accepts nothing-was-done cannot vouch for a pass; what it failed stays failed. */
export function distrusted(result: JudgeResult, reason: string): JudgeResult {
  const warnings = [...result.warnings, reason];
  if (result.state !== 'pass') return { ...result, warnings };
  const fault = faultOf(new AssayError('JUDGE_UNDECIDED', reason));
  return { ...result, state: 'error', reason, warnings, fault };
}
