import type { TrialRecord } from '../../../domain/record.ts';
import { type ObservedCall, observedCalls } from '../../../domain/tools/tool-calls.ts';
import type { Trace } from '../../../domain/trace.ts';
import { canonicalJson, isRecord } from '../../../shared/json.ts';
import { printable, shorten } from '../../../shared/text.ts';

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
export function failureCriterion({ outcome, reason, evaluatorResults }: TrialRecord): string | undefined {
  if (outcome !== 'fail') return undefined;
  const failed = evaluatorResults.filter(({ kind, state }) => kind === 'assertion' && state === 'fail');
  if (failed.some(({ type }) => type !== 'imported')) return undefined;
  return `The same failure happened again: ${shorten(printable(reason), longestCriterion)}`;
}
