import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { onTestFinished } from 'vitest';
import type { TrialRecord } from '../../domain/record.ts';
import type { Trace } from '../../domain/trace.ts';
import { eachTrial } from '../../keep/store/store.ts';
import { type CommandResult, ended, startAssay } from './assay.ts';
import { openProjectStore } from './project-store.ts';

export const collectToken = 'token-of-the-senders-0123456789';

/** A collector that was started for a test. */
export interface Collecting {
  readonly url: string;
  readonly child: ChildProcess;
  /** Sends a body; JSON unless headers say otherwise. */
  send(body: unknown, headers?: Readonly<Record<string, string>>): Promise<Response>;
  /** Its end, whatever ends it. */
  readonly ended: Promise<CommandResult>;
  /** Ends it with Ctrl-C; gives its exit and its counts. */
  stop(): Promise<CommandResult & { readonly counts: Record<string, unknown> }>;
}

/** Starts `assay collect` on a free port. */
export async function startCollecting(
  cwd: string,
  command = startAssay,
  env: Readonly<Record<string, string>> = {},
): Promise<Collecting> {
  const child = command(['collect', '--port', '0', '--json'], {
    cwd,
    env: { ...env, ASSAY_COLLECT_TOKEN: collectToken },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const result = ended(child);
  const url = await Promise.race([
    once(child.stdout ?? child, 'data').then(([line]) => (JSON.parse(line as string) as { url: string }).url),
    result.then(({ stderr }) => Promise.reject(new Error(stderr))),
  ]);
  return {
    url,
    child,
    ended: result,
    send: (body, headers = {}) =>
      fetch(`${url}/v1/traces`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${collectToken}`, ...headers },
        body:
          typeof body === 'string' || body instanceof Uint8Array
            ? (body as Uint8Array<ArrayBuffer>)
            : JSON.stringify(body),
      }),
    async stop() {
      child.kill('SIGINT');
      const end = await result;
      const lines = end.stdout.trim().split('\n');
      return { ...end, counts: JSON.parse(lines.at(-1) ?? '{}') as Record<string, unknown> };
    },
  };
}

/** An attribute in OTLP/JSON. */
export const attribute = (key: string, value: string | number) => ({
  key,
  value: typeof value === 'number' ? { intValue: String(value) } : { stringValue: value },
});

export const idOf = (number: number, digits: number): string => number.toString(16).padStart(digits, '0');

interface TestSpan {
  readonly trace: number;
  readonly span: number;
  readonly parent?: number;
  /** Milliseconds since 1970. */
  readonly at?: number;
  readonly attributes?: readonly unknown[];
  readonly failed?: string;
}

/** A tool call as a span; its call id names trace and span. */
export function toolSpan({ trace, span, parent, at = 1_763_300_000_000, attributes = [], failed }: TestSpan) {
  return {
    traceId: idOf(trace, 32),
    spanId: idOf(span, 16),
    ...(parent !== undefined && { parentSpanId: idOf(parent, 16) }),
    name: 'execute_tool look',
    startTimeUnixNano: `${at + span}000000`,
    endTimeUnixNano: `${at + span + 1}000000`,
    attributes: [
      attribute('gen_ai.tool.name', 'look'),
      attribute('gen_ai.tool.call.id', `call-${trace}-${span}`),
      attribute('gen_ai.tool.call.arguments', `{"n":${span}}`),
      attribute('gen_ai.tool.call.result', '"seen"'),
      ...attributes,
    ],
    ...(failed !== undefined && { status: { code: 2, message: failed } }),
  };
}

/** An export request with spans of one service. */
export const exportOf = (spans: readonly unknown[], service = 'desk') => ({
  resourceSpans: [
    {
      resource: { attributes: [attribute('service.name', service)] },
      scopeSpans: [{ scope: { name: 'test' }, spans }],
    },
  ],
});

/** A stored trial, with the ids of its tool calls in order. */
export interface CollectedTrial extends TrialRecord {
  readonly calls: readonly string[];
}

/** Trials of all runs of the project, by their cases. */
export async function collectedTrials(cwd: string): Promise<CollectedTrial[]> {
  const stored = await collectedTraces(cwd);
  return stored.map(({ trial, trace }) => ({
    ...trial,
    calls: trace.flatMap((event) => (event.type === 'tool-call' ? event.callId : [])),
  }));
}

/** The same trials with their traces. */
export async function collectedTraces(cwd: string): Promise<{ readonly trial: TrialRecord; readonly trace: Trace }[]> {
  await using store = await openProjectStore(cwd);
  const trials: { trial: TrialRecord; trace: Trace }[] = [];
  for (const { runId } of await store.listRuns(100)) {
    for await (const trial of eachTrial(store, runId)) {
      trials.push({ trial, trace: (await store.readTrace(trial.trialId)) ?? [] });
    }
  }
  return trials.sort((a, b) => (a.trial.caseId < b.trial.caseId ? -1 : 1));
}
