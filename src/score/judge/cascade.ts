import { type JudgeAnswer, type JudgeResult, totalSpending } from '../../domain/judge-result.ts';
import type { TraceEvent } from '../../domain/trace.ts';
import { sha256 } from '../../shared/ids.ts';
import { canonicalJson } from '../../shared/json.ts';
import type { Judge, JudgeContext, JudgeSubject } from './judge.ts';
import { askPanel } from './panel.ts';
import { withFinalGates } from './prepare-judge.ts';

/** When the verdict of the first model is enough. */
export interface CascadeRules {
  /** A score that is nearer to its threshold is unsure. */
  readonly margin: number;
  /** So is an answer of which the model itself is less certain. */
  readonly confidence: number;
  /** Share of sure verdicts that the panel gives too, which shows how far the first model can be trusted. */
  readonly check: number;
}

/** A cheap model, and those that decide where it is unsure. */
export interface Cascade {
  readonly first: JudgeContext;
  readonly panel: readonly JudgeContext[];
  readonly rules: CascadeRules;
}

/**
 * Asks the first model, and the panel only where that is unsure or is checked. The panel is not shown the first
 * answer, and decides alone.
 */
export async function askCascade(
  judge: Judge,
  subject: JudgeSubject,
  { first, panel, rules }: Cascade,
): Promise<JudgeResult> {
  const answer = await judge.ask(subject, first);
  // Nothing was prompted, or the reply comes with a later batch.
  if (answer.model === undefined || answer.fault?.code === 'JUDGE_WAITING') return answer;
  const isSure = isCertain(answer, rules);
  if (isSure && !isChecked(subject, answer, rules.check)) return { ...answer, cascade: 'settled' };
  const verdict = await askPanel(judge, subject, panel);
  if (verdict.fault?.code === 'JUDGE_WAITING') return verdict;
  const whole: JudgeResult = {
    ...verdict,
    ...totalSpending([answer, verdict]),
    cascade: isSure ? 'checked' : 'escalated',
    panel: [answer, ...(verdict.panel ?? [verdict])],
    warnings: [...new Set([...verdict.warnings, ...difference(answer, verdict, isSure)])],
  };
  return withFinalGates(subject, whole);
}

function isCertain({ state, criteria = [], score, threshold, confidence }: JudgeAnswer, rules: CascadeRules): boolean {
  if (state !== 'pass' && state !== 'fail') return false;
  if (criteria.some(({ answer }) => answer === 'cannot-tell')) return false;
  if (confidence !== undefined && confidence < rules.confidence) return false;
  return score === undefined || threshold === undefined || Math.abs(score - threshold) > rules.margin;
}

/** The same trial with the same answer is always or never checked, so a recording of the run can be replayed. */
function isChecked(subject: JudgeSubject, answer: JudgeAnswer, share: number): boolean {
  const { reason, criteria = [] } = answer;
  const digest = sha256(canonicalJson([subject.name, subject.task, subject.trace.map(lastingParts), reason, criteria]));
  return Number.parseInt(digest.slice(0, 8), 16) / 2 ** 32 < share;
}

/** An event without the figures and ids of this one attempt. */
function lastingParts(event: TraceEvent): Readonly<Record<string, unknown>> {
  const { at: _, durationMs: __, callId: ___, ...lasting }: Record<string, unknown> = event;
  return lasting;
}

function difference(first: JudgeAnswer, verdict: JudgeResult, wasSure: boolean): string[] {
  if (!wasSure || first.state === verdict.state) return [];
  return [`${first.model} was sure of ${first.state}; the panel says ${verdict.state}`];
}
