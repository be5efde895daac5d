import type { Fault } from '../../src/domain/outcome.ts';
import type { TrialRecord } from '../../src/domain/record.ts';
import type { PartSpec } from '../../src/domain/scenario.ts';
import type { Trace } from '../../src/domain/trace.ts';
import { assertionsAbout, metricsOf } from './assertions.ts';
import { judged } from './subject.ts';

/** A trial with everything that is asserted and measured about it. */
export interface Judged {
  readonly trace: Trace;
  readonly parts: readonly PartSpec[];
  /** Of the assertions, by what they assert. */
  readonly states: ReadonlyMap<string, string>;
  readonly figures: Readonly<Record<string, number | null>>;
}

/** Judges a whole trace by assertions that are made of it. */
export async function judgedWhole(trace: Trace): Promise<Judged> {
  return judgedBy(trace, [...(await assertionsAbout(trace)), ...metricsOf(trace)]);
}

/** Judges a trace that knows less by the same assertions. */
export async function judgedBy(trace: Trace, parts: readonly PartSpec[], fault?: Fault): Promise<Judged> {
  const { record } = await judged(trace, parts, fault);
  const assertions = record.evaluatorResults.filter(({ kind }) => kind === 'assertion');
  const states = new Map(assertions.map(({ id = '', state = 'error' }) => [id, state]));
  return { trace, parts, states, figures: figuresOf(record) };
}

/** Figures of which less looks better, or more does; the others have no direction. */
const better: Readonly<Record<string, 'less' | 'more'>> = {
  'tool-call-count': 'less',
  'token-usage': 'less',
  'token-usage:input': 'less',
  'token-usage:output': 'less',
  'turn-count': 'less',
  latency: 'less',
  'time-to-first-token-ms': 'less',
  duration: 'less',
  interaction: 'more',
  costUsd: 'less',
  tokens: 'less',
  error_count: 'less',
  total_commands: 'less',
  help_invocations: 'less',
  repeated_commands: 'less',
};

function figuresOf({ metrics: measured, costUsd, usage }: TrialRecord): Record<string, number | null> {
  const tokens =
    usage?.inputTokens === undefined || usage.outputTokens === undefined
      ? null
      : usage.inputTokens + usage.outputTokens;
  return { ...measured, costUsd, tokens };
}

/** What looks better with less information; empty where the law holds. */
export function greenerIn(whole: Judged, less: Judged): string[] {
  return [...passesGained(whole, less), ...figuresGained(whole.figures, less.figures)];
}

function passesGained(whole: Judged, less: Judged): string[] {
  return [...less.states].flatMap(([assertion, state]) =>
    state === 'pass' && whole.states.get(assertion) !== 'pass'
      ? [`${assertion}: ${whole.states.get(assertion) ?? 'nothing'} became pass`]
      : [],
  );
}

function figuresGained(whole: Judged['figures'], less: Judged['figures']): string[] {
  return Object.entries(better).flatMap(([name, direction]) => {
    const [before, after] = [whole[name], less[name]];
    if (typeof after !== 'number') return [];
    if (typeof before !== 'number') return [`${name}: nothing became ${after}`];
    return (direction === 'less' ? after < before : after > before) ? [`${name}: ${before} became ${after}`] : [];
  });
}

/** Answers and figures that are other ones, and not merely unknown: there are none where something arrived again. */
export function changesIn(whole: Judged, again: Judged): string[] {
  const states = [...again.states].flatMap(([assertion, state]) => {
    const before = whole.states.get(assertion);
    return state === before || state === 'error' ? [] : [`${assertion}: ${before ?? 'nothing'} became ${state}`];
  });
  const figures = Object.entries(again.figures).flatMap(([name, figure]) => {
    const before = whole.figures[name] ?? null;
    return figure === null || figure === before ? [] : [`${name}: ${before} became ${figure}`];
  });
  return [...states, ...figures];
}
