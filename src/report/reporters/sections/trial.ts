import { continuationText } from '../../../domain/continuation.ts';
import { coverageLines } from '../../../domain/coverage-text.ts';
import { faultSource } from '../../../domain/fault-source.ts';
import { figureOf } from '../../../domain/figure.ts';
import { markSentences } from '../../../domain/marks.ts';
import type { EvaluatorResult } from '../../../domain/outcome.ts';
import type { TrialRecord } from '../../../domain/record.ts';
import type { Trace } from '../../../domain/trace.ts';
import { type Block, type Item, list, type Mark, marks, type Section, text } from '../../../shared/blocks/block.ts';
import { costText, formatDuration, unknownFigure } from '../../../shared/format.ts';
import { eventText } from '../../presentation/event-view.ts';
import { quoteText, trialTitle } from '../../presentation/trial-text.ts';
import { mcpSection } from './mcp.ts';

/** Everything that is known about one trial, with its earlier attempts. */
export function trialSections(record: TrialRecord, trace: Trace, attempts: readonly TrialRecord[]): Section[] {
  const { outcome, reason, file, trialId, runId, durationMs, fault, criteria, judge, coverage, continuation } = record;
  return [
    {
      title: [
        { text: outcome.toUpperCase(), tone: marks[outcome][1] },
        ' ',
        { text: trialTitle(record), tone: 'strong' },
      ],
      blocks: [
        text(reason),
        text(`${file}, trial ${trialId}, run ${runId}, ${formatDuration(durationMs)}`, 'quiet'),
        ...(fault ? [text(`${fault.code}, source: ${faultSource(fault)}. ${fault.hint}`)] : []),
        ...markSentences(record).map((sentence) => text(sentence)),
        ...(continuation ? [text(continuationText(continuation))] : []),
      ],
    },
    { title: 'Earlier attempts', blocks: [list(attempts.map(attemptText))] },
    {
      title: 'Must be true',
      blocks: [list((criteria?.passCriteriaEvaluation.details ?? []).map((one) => criterionItem(one, one.result)))],
    },
    {
      title: 'Must be false',
      blocks: [list((criteria?.failCriteriaEvaluation.details ?? []).map((one) => criterionItem(one, !one.triggered)))],
    },
    ...mcpSection(record),
    {
      title: 'Evaluators',
      blocks: record.evaluatorResults.filter(({ type }) => type !== 'criteria').flatMap(evaluatorBlocks),
    },
    { title: `Judge${judge?.model === undefined ? '' : ` (${judge.model})`}`, blocks: [list(judgeItems(judge))] },
    { title: 'What was observed', blocks: [list(coverageLines(coverage))] },
    { title: 'Trace', blocks: [list(traceItems(trace))] },
  ];
}

function attemptText({ outcome, reason, startedAt, costUsd }: TrialRecord): string {
  const cost = costUsd === null ? 'cost unknown' : costText(costUsd);
  return `${outcome}, ${new Date(startedAt).toISOString()}, ${cost}: ${reason}`;
}

function criterionItem({ criterion, explanation }: { criterion: string; explanation: string }, isGood: boolean): Item {
  return { mark: isGood ? 'pass' : 'fail', words: criterion, below: [explanation] };
}

const stateMarks: Readonly<Record<EvaluatorResult['state'], Mark>> = {
  pass: 'pass',
  fail: 'fail',
  error: 'error',
  skipped: 'skipped',
  measured: 'note',
  'no-data': 'note',
  pending: 'note',
};

/** A result, with the difference between the answer and the one that was wanted where it gives that. */
function evaluatorBlocks(result: EvaluatorResult): Block[] {
  const { state, name, type, kind, reason, metadata } = result;
  const value = figureOf(result) ?? (kind === 'metric' ? unknownFigure : undefined);
  const item = {
    mark: stateMarks[state],
    words: `${name ?? type}${value === undefined ? '' : ` ${value}`}: ${reason}`,
  };
  const diff = metadata?.diff;
  return [list([item]), ...(typeof diff === 'string' ? [{ kind: 'code', text: diff, language: 'diff' } as const] : [])];
}

/** Every criterion of the judge with the words that its answer rests on. */
function judgeItems(judge: TrialRecord['judge']): Item[] {
  return (judge?.criteria ?? []).map(({ kind, text: criterion, answer, reason, evidence }) => {
    const words = kind === 'failure' ? [{ text: 'Must not hold: ', tone: 'quiet' as const }, criterion] : criterion;
    const isGood = answer !== 'cannot-tell' && (answer === 'met') === (kind !== 'failure');
    const mark = isGood ? 'pass' : answer === 'cannot-tell' ? 'unknown' : 'fail';
    return { mark, words, below: [reason, ...evidence.map(quoteText)] };
  });
}

/** Traces that were made elsewhere may have no times. */
function traceItems(trace: Trace): Item[] {
  const isTimed = trace.some(({ at }) => at > 0);
  return trace.map((event, index) => ({
    name: `e${index + 1}`,
    words: [...(isTimed ? [{ text: `${event.at.toFixed(1)} ms `, tone: 'quiet' as const }] : []), eventText(event)],
  }));
}
