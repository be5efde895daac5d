import { stringify } from 'yaml';
import { marksOf } from '../../../domain/marks.ts';
import { isOnlyCase } from '../../../domain/only-case.ts';
import type { TrialRecord } from '../../../domain/record.ts';
import { type ObservedCall, observedCalls } from '../../../domain/tools/tool-calls.ts';
import { eventsOf, type Trace } from '../../../domain/trace.ts';
import { suiteKinds } from '../../../load/scenarios/formats/mcp-server/mcp-server-schema.ts';
import { contentKey } from '../../../shared/ids.ts';
import { canonicalJson, isRecord } from '../../../shared/json.ts';
import { printable, shorten } from '../../../shared/text.ts';
import type { RecordedTrial } from './recorded-trial.ts';

/** Distinguishes the files and names of cases. */
export function shortId(trialId: string): string {
  return contentKey([trialId]).slice(0, 8);
}

/** The name of a new scenario. */
export function nameOf({ record: { scenario, caseId, trialId } }: RecordedTrial): string {
  const subject = isOnlyCase(caseId) ? scenario : `${scenario} › ${caseId}`;
  return `${shorten(printable(subject), 120)} (${shortId(trialId)})`;
}

/** The case with a name, its source and labels. */
export function labelled(
  data: Readonly<Record<string, unknown>>,
  name: string,
  { source, record }: RecordedTrial,
  further: readonly string[] = [],
): Record<string, unknown> {
  const description = shorten(printable(`Promoted ${whyPromoted(record)}`), 320);
  const filled = Object.fromEntries(Object.entries(data).filter(([, value]) => value !== undefined));
  const key = [...suiteKinds.map((kind) => kind.key), 'workflows'].find((each) => each in filled);
  const { name: _name, description: _description, tags, source: _source, ...rest } = filled;
  const labels = { tags: [...new Set([...(Array.isArray(tags) ? tags : []), 'promoted', ...further])], source };
  if (key === undefined || !('server' in filled)) return { name, description, ...labels, ...rest };
  const [section] = filled[key] as readonly unknown[];
  return { ...labels, ...rest, [key]: [{ ...(isRecord(section) ? section : {}), name, description }] };
}

function whyPromoted({ attack, outcome, reason }: RecordedTrial['record']): string {
  if (attack) return `from a trial whose attack ended as ${attack.outcome}: ${attack.reason}`;
  return outcome === 'pass' ? 'from a trial that passed' : `because of: ${reason}`;
}

/** The failure in plain words; none where the assertions of the scenario find it. */
export function criteriaOf({ record }: RecordedTrial, criterion: string | undefined): string[] {
  const given = criterion ?? failureCriterion(record);
  return given === undefined ? [] : [given];
}

/** Adds assertions where the format of the scenario has them; suites of MCP servers have their own. */
export function withAssertions(
  data: Readonly<Record<string, unknown>>,
  criteria: readonly string[],
  drafts: readonly DraftAssertion[],
): Record<string, unknown> {
  const isConversation = 'userMessages' in data || 'messages' in data;
  const asserted = drafts.filter(({ failure }) => failure === undefined).map(({ assertion }) => assertion);
  const judged = criteria.length === 0 ? [] : [{ type: 'llm-judge', config: { failureCriteria: [...criteria] } }];
  const added = [...asserted, ...(isConversation ? [] : judged)];
  const listed = (value: unknown): unknown[] => (Array.isArray(value) ? value : value === undefined ? [] : [value]);
  if ('server' in data && !('call' in data)) {
    const [workflow] = listed(data.workflows);
    if (!isRecord(workflow) || added.length === 0) return { ...data };
    return { ...data, workflows: [{ ...workflow, evaluators: [...listed(workflow.evaluators), ...added] }] };
  }
  const isCall = 'call' in data;
  const own = isCall ? added.filter(({ type }) => type !== 'tool-called') : added;
  return {
    ...data,
    ...(own.length > 0 && { evaluators: [...listed(data.evaluators), ...own] }),
    ...(isConversation && criteria.length > 0 && { failureCriteria: [...listed(data.failureCriteria), ...criteria] }),
  };
}

/** The first lines of the file. */
export function remarksOf({ source, record }: RecordedTrial): string[] {
  const marks = marksOf(record);
  const marked = marks.length === 0 ? '' : ` (${marks.join(', ')})`;
  const from = source.trial === undefined ? `the trace ${source.trace}` : `trial ${source.trial} of run ${source.run}`;
  const ended = { pass: 'passed', fail: 'failed', error: 'could not be judged', skipped: 'has no verdict' }[
    record.outcome
  ];
  return [
    `Promoted from ${from}${marked}, which ${ended}${record.outcome === 'pass' ? '' : `: ${shorten(record.reason, 600)}`}`,
    'Check what it expects before you rely on it.',
  ];
}

/** Drafts that the author can take over; in a trial that failed, any of the calls may have been the mistake. */
export function draftLines(drafts: readonly DraftAssertion[], { trace }: RecordedTrial): string[] {
  const commands = [...new Set(eventsOf(trace, 'command').map(({ argv, exitCode }) => commandLine(argv, exitCode)))];
  const lines = drafts.flatMap(({ assertion, failure }) => [
    ...(failure === undefined ? [] : [`  # its call failed: ${printable(failure)}`]),
    ...stringify([assertion], { lineWidth: 0 })
      .trimEnd()
      .split('\n')
      .map((line) => `  ${line}`),
  ]);
  return [
    ...(lines.length === 0
      ? []
      : ['Draft assertions: the tools that were called. Keep those that must be called again.', 'evaluators:']),
    ...lines,
    ...(commands.length === 0 ? [] : ['Commands of the tool in the trial:', ...commands.slice(0, mostCommands)]),
  ];
}

const mostCommands = 20;

function commandLine(argv: readonly string[], exitCode: number | null): string {
  return `  ${shorten(printable(argv.join(' ')), 100)}${exitCode === 0 ? '' : ` (exit code ${exitCode ?? 'unknown'})`}`;
}

/** An assertion about a tool that was called, and how its call ended. */
export interface DraftAssertion {
  readonly assertion: { readonly type: 'tool-called'; readonly config: Readonly<Record<string, unknown>> };
  /** Undefined where a call was answered without an error. */
  readonly failure: string | undefined;
}

const mostDrafts = 20;
const longestArguments = 300;

/** The tools that were called, each once, in the order of their first calls; one that answered well comes without its failures. */
export function draftAssertions(trace: Trace): DraftAssertion[] {
  const drafts = new Map<string, DraftAssertion>();
  for (const call of observedCalls(trace)) {
    if (call.isRefused) continue;
    const config = configOf(call);
    const key = canonicalJson(config);
    const failure = failureOf(call);
    const earlier = drafts.get(key);
    if (earlier && (earlier.failure === undefined || failure !== undefined)) continue;
    drafts.set(key, { assertion: { type: 'tool-called', config }, failure });
  }
  return [...drafts.values()].slice(0, mostDrafts);
}

/** Agents word shell commands in many ways, so of a shell only its kind is expected. */
function configOf({ tool, server, kind, input }: ObservedCall): Record<string, unknown> {
  if (kind === 'shell') return { tool: 'kind:shell' };
  const name = server === undefined || server === 'server' ? tool : `${server}/${tool}`;
  return { tool: name, ...argumentsOf(input) };
}

/** Arguments that a file can show: short ones, without the matchers that objects could be taken for. */
function argumentsOf(input: unknown): Record<string, unknown> {
  if (!isRecord(input)) return {};
  const plain = Object.entries(input).filter(([, value]) => typeof value !== 'object' || value === null);
  const args = Object.fromEntries(plain);
  const text = JSON.stringify(args) ?? '';
  return plain.length === 0 || text.length > longestArguments || text.includes('[REDACTED]') ? {} : { args };
}

function failureOf({ error, exitCode }: ObservedCall): string | undefined {
  if (error) return shorten(printable(error.message), 120);
  return exitCode === undefined || exitCode === 0 ? undefined : `exit code ${exitCode}`;
}

const longestCriterion = 1_000;

/**
 * The failure in plain words, where nothing that the case keeps would find it again: assertions of the scenario that
 * failed do, a verdict that was made elsewhere does not.
 */
function failureCriterion({ outcome, reason, evaluatorResults }: TrialRecord): string | undefined {
  if (outcome !== 'fail') return undefined;
  const failed = evaluatorResults.filter(({ kind, state }) => kind === 'assertion' && state === 'fail');
  if (failed.some(({ type }) => type !== 'imported')) return undefined;
  return `The same failure happened again: ${shorten(printable(reason), longestCriterion)}`;
}
