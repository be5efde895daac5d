import type { Evidence, JudgedCriterion } from '../../../../../src/domain/judge-result.ts';
import type { EvaluatorResult } from '../../../../../src/domain/outcome.ts';
import type { TrialRecord } from '../../../../../src/domain/record.ts';
import { isRecord } from '../../../../../src/shared/json.ts';
import type { AnswerState } from './state-badge.tsx';

/** Gates are assertions too, and have their own table. */
export function isGateResult({ type, reason }: EvaluatorResult, gates: TrialRecord['gates']): boolean {
  return gates.some(({ gate_type, message }) => gate_type === type && message === reason);
}

/** Whether a result speaks against the trial; one that counts only through an expression does not by itself. */
export function isProblem({ state, isPart }: EvaluatorResult): boolean {
  return !isPart && (state === 'fail' || state === 'error');
}

/** Assertions without gates: those that decide, then those that count only through an expression. */
export function shownAssertions({ evaluatorResults, gates }: TrialRecord): EvaluatorResult[] {
  const assertions = evaluatorResults.filter((result) => result.kind === 'assertion' && !isGateResult(result, gates));
  return [...assertions.filter(({ isPart }) => !isPart), ...assertions.filter(({ isPart }) => isPart)];
}

/** Figures that no row of an evaluator and no other table shows. */
export function unnamedMetrics(record: TrialRecord): [string, number | null][] {
  const { evaluatorResults, metrics, interaction } = record;
  const evaluators = evaluatorResults.filter(({ kind }) => kind === 'metric').map(({ name, type }) => name ?? type);
  const named = new Set([...evaluators, ...Object.keys(interaction ?? {})]);
  const isOfServer = serverPerformance(record) !== undefined;
  return Object.entries(metrics).filter(([name]) => !named.has(name) && !(isOfServer && serverFigure.test(name)));
}

const serverFigure = /^(?:server\.|latency\..*\.p\d+$)/;

/** The figures of a monitored MCP server; null: not known. */
export interface ServerPerformance {
  readonly reason: string;
  readonly peakMB: number | null;
  readonly cpuMs: number | null;
  readonly cpuPercent: number | null;
  readonly growthKBPerCall: { readonly mean: number; readonly low: number; readonly high: number } | null;
  readonly tools: readonly { readonly tool: string; readonly latenciesMs: Readonly<Record<string, number | null>> }[];
}

/** Undefined for a trial whose server was not monitored. */
export function serverPerformance({ evaluatorResults, metrics }: TrialRecord): ServerPerformance | undefined {
  const result = evaluatorResults.find(({ type }) => type === 'server-performance');
  if (!result || !('server.cpuMs' in metrics)) return undefined;
  const figure = (name: string): number | null => metrics[`server.${name}`] ?? null;
  const [mean, low, high] = ['', '.low', '.high'].map((end) => figure(`growthKBPerCall${end}`));
  const isGrowthKnown = typeof mean === 'number' && typeof low === 'number' && typeof high === 'number';
  return {
    reason: result.reason,
    peakMB: result.state === 'measured' ? (result.value ?? null) : null,
    cpuMs: figure('cpuMs'),
    cpuPercent: figure('cpuPercent'),
    growthKBPerCall: isGrowthKnown ? { mean, low, high } : null,
    tools: toolLatencies(metrics),
  };
}

function toolLatencies(metrics: TrialRecord['metrics']): ServerPerformance['tools'] {
  const tools = new Map<string, Record<string, number | null>>();
  for (const [name, value] of Object.entries(metrics)) {
    const [, tool, percentile] = /^latency\.(.*)\.(p\d+)$/.exec(name) ?? [];
    if (tool !== undefined && percentile !== undefined) tools.set(tool, { ...tools.get(tool), [percentile]: value });
  }
  return [...tools].map(([tool, latenciesMs]) => ({ tool, latenciesMs }));
}

/** A boolean criterion with what was expected of it. */
export interface ShownCriterion {
  readonly key: string;
  readonly criterion: string;
  readonly mustBe: boolean;
  readonly isGood: boolean;
  readonly explanation: string;
}

/** Pass criteria, which must hold, and fail criteria, which must not; those that decided against the trial first. */
export function shownCriteria(criteria: NonNullable<TrialRecord['criteria']>): ShownCriterion[] {
  const all = [
    ...criteria.passCriteriaEvaluation.details.map(({ criterion, result, explanation }, index) => ({
      key: `pass ${index + 1}`,
      criterion,
      mustBe: true,
      isGood: result,
      explanation,
    })),
    ...criteria.failCriteriaEvaluation.details.map(({ criterion, triggered, explanation }, index) => ({
      key: `fail ${index + 1}`,
      criterion,
      mustBe: false,
      isGood: !triggered,
      explanation,
    })),
  ];
  return [...all.filter(({ isGood }) => !isGood), ...all.filter(({ isGood }) => isGood)];
}

/** The state of a judged criterion. */
export function criterionState({ kind, answer }: JudgedCriterion): AnswerState {
  if (answer === 'cannot-tell') return 'error';
  if (kind === 'weighted') return 'measured';
  return (answer === 'met') === (kind !== 'failure') ? 'pass' : 'fail';
}

/** `2 passed, 1 not yet`, for the head of a turn. */
export function turnSummary(results: readonly EvaluatorResult[]): string {
  const words: Readonly<Record<AnswerState, string>> = {
    fail: 'failed',
    error: 'not judged',
    pass: 'passed',
    pending: 'not yet',
    measured: 'measured',
    'no-data': 'measured',
    skipped: 'skipped',
  };
  return Object.entries(words)
    .map(([state, word]) => ({ word, count: results.filter((result) => result.state === state).length }))
    .filter(({ count }) => count > 0)
    .map(({ word, count }) => `${count} ${word}`)
    .join(', ');
}

/** The passages that an answer without criteria rests on, as scoring judges report them. */
export function responseEvidence(response: unknown): Evidence[] {
  const evidence = isRecord(response) && Array.isArray(response.evidence) ? response.evidence : [];
  return evidence.flatMap((item) => {
    if (!isRecord(item) || typeof item.event !== 'string' || typeof item.quote !== 'string') return [];
    return [{ event: item.event, quote: item.quote, isVerified: item.isVerified === true }];
  });
}
