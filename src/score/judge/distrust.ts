import { AssayError } from '../../domain/errors.ts';
import type { JudgeResult } from '../../domain/judge-result.ts';
import { faultOf } from '../../domain/outcome.ts';
import type { Judge, JudgeContext, JudgeSubject } from './judge.ts';
import { runProbes } from './probes.ts';

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
  return `The judge accepts what deserves no pass: ${[...new Set(gullible)].join('; ')}.`;
}

/** A judge that accepts nothing-was-done cannot vouch for a pass; what it failed stays failed. */
export function distrusted(result: JudgeResult, reason: string): JudgeResult {
  const warnings = [...result.warnings, reason];
  if (result.state !== 'pass') return { ...result, warnings };
  const fault = faultOf(new AssayError('JUDGE_UNDECIDED', reason));
  return { ...result, state: 'error', reason, warnings, fault };
}
