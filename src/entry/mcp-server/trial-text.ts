import * as z from 'zod';
import { AssayError } from '../../domain/errors.ts';
import { faultSource } from '../../domain/fault-source.ts';
import { figureOf } from '../../domain/figure.ts';
import type { TrialRecord } from '../../domain/record.ts';
import type { Trace } from '../../domain/trace.ts';
import { eventText } from '../../report/presentation/event-view.ts';
import { boundedAnswer, clipped, moreText, trialFacts, trialFactsSchema, trialLine } from './text.ts';

const maxResults = 100;
const eventCharacters = 12_000;

const resultSchema = z.object({
  type: z.string(),
  state: z.string(),
  value: z.number().optional(),
  reason: z.string(),
});
const eventSchema = z.object({
  index: z.number(),
  at: z.number(),
  seenBy: z.string(),
  type: z.string(),
  text: z.string(),
});

/** The details of one trial. */
export const trialDetailsSchema = trialFactsSchema.extend({
  runId: z.string(),
  file: z.string(),
  costUsd: z.number().nullable().describe('null: not known'),
  fault: z.object({ code: z.string(), blame: z.string(), message: z.string(), hint: z.string() }).nullable(),
  results: z.array(resultSchema).describe('the result of each evaluator and each criterion'),
  tests: z.array(resultSchema).describe('tests of a suite, or figures of a workflow, against an MCP server'),
  trace: z.object({ total: z.number(), from: z.number(), events: z.array(eventSchema) }),
});

/** One event of a trace, as much of it as fits. */
export const eventPageSchema = z.object({
  index: z.number(),
  json: z.string().describe('its JSON from the given character on'),
  from: z.number(),
  totalCharacters: z.number(),
});

interface Page {
  readonly from: number;
  readonly limit: number;
}

/** A trial with a page of its trace. */
export function showTrial(record: TrialRecord, trace: Trace, { from, limit }: Page) {
  const events = trace.slice(from, from + limit).map((event, offset) => ({
    index: from + offset,
    at: Math.round(event.at),
    seenBy: event.seenBy,
    type: event.type,
    text: clipped(eventText(event)),
  }));
  const more = moreText({ from, count: events.length, total: trace.length }, 'events of the trace');
  const results = resultsOf(record);
  const tests = testsOf(record);
  const trial = {
    ...trialFacts(record),
    runId: record.runId,
    file: record.file,
    costUsd: record.costUsd,
    fault: record.fault && { ...record.fault, message: clipped(record.fault.message, 1_000) },
    results,
    tests,
    trace: { total: trace.length, from, events },
  };
  const lines = [
    trialLine(trial),
    `${record.file}, run ${record.runId}`,
    trial.fault ? `${trial.fault.code}, source: ${faultSource(trial.fault)}. ${trial.fault.hint}` : '',
    ...[...results, ...tests].map(({ type, state, value, reason }) => `${state}  ${type}  ${value ?? ''}  ${reason}`),
    `Trace, events ${from} to ${from + events.length - 1} of ${trace.length} (\`event\` shows one in full):`,
    ...events.map(({ index, at, text }) => `${index}  ${at} ms  ${text}`),
    more ?? '',
  ];
  return { data: { kind: 'trial' as const, trial, more }, text: boundedAnswer(lines) };
}

/** One event in full, in pieces where it is long. */
export function showEvent(trace: Trace, index: number, from: number) {
  const event = trace[index];
  if (!event) {
    throw new AssayError('NOT_FOUND', `The trace has no event ${index}.`, {
      hint: `Use an index below ${trace.length}; indexes start at 0.`,
    });
  }
  const whole = JSON.stringify(event);
  const json = whole.slice(from, from + eventCharacters);
  const more = moreText({ from, count: json.length, total: whole.length }, 'characters');
  const page = { index, json, from, totalCharacters: whole.length };
  return { data: { kind: 'event' as const, event: page, more }, text: boundedAnswer([json, more ?? '']) };
}

/** The result of every evaluator; of criteria, each with its explanation. */
function resultsOf({ evaluatorResults, criteria }: TrialRecord): z.output<typeof resultSchema>[] {
  const results = evaluatorResults.map((result) => {
    const { name, type, state, reason } = result;
    const value = figureOf(result);
    return { type: name ?? type, state, ...(value === undefined ? {} : { value }), reason: clipped(reason) };
  });
  const explained = (isMet: boolean, criterion: string, explanation: string) => ({
    type: 'criterion',
    state: isMet ? 'pass' : 'fail',
    reason: `${clipped(criterion, 200)}: ${clipped(explanation)}`,
  });
  const must = criteria?.passCriteriaEvaluation.details ?? [];
  const mustNot = criteria?.failCriteriaEvaluation.details ?? [];
  return [
    ...results,
    ...must.map(({ criterion, result, explanation }) => explained(result, criterion, explanation)),
    ...mustNot.map(({ criterion, triggered, explanation }) => explained(!triggered, criterion, explanation)),
  ].slice(0, maxResults);
}

/** Results that did not pass come first: they are looked for most. */
function testsOf({ toolHealth, workflow }: TrialRecord): z.output<typeof resultSchema>[] {
  const tests = toolHealth.map((test) => ({
    type: test.testName,
    state: test.state,
    value: test.score,
    reason: test.details,
  }));
  const figures = workflow.map(({ metric, passed, score, details }) => ({
    type: metric,
    state: passed ? 'pass' : 'fail',
    value: score,
    reason: details,
  }));
  return [...tests, ...figures]
    .sort((a, b) => Number(a.state === 'pass') - Number(b.state === 'pass'))
    .slice(0, maxResults)
    .map((test) => ({ ...test, type: clipped(test.type, 200), reason: clipped(test.reason) }));
}
