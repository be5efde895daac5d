import type { Fault, Outcome } from '../../domain/outcome.ts';
import type { ToolError } from '../../domain/tool-error.ts';
import { lastAnswer, type Trace } from '../../domain/trace.ts';
import { assay, type CommandResult } from './assay.ts';
import { openProjectStore } from './project-store.ts';
import { writeFiles } from './temporary-folder.ts';

/** A scenario that calls a tool; whatever the tool answers is a pass unless criteria are given. */
export interface DirectCall {
  readonly call: Readonly<Record<string, unknown>>;
  readonly input?: unknown;
  readonly cases?: readonly Readonly<Record<string, unknown>>[];
  readonly timeoutSecs?: number;
  readonly passCriteria?: readonly string[];
}

interface TrialDocument {
  readonly trialId: string;
  readonly caseId: string;
  readonly scenario: string;
  readonly outcome: Outcome;
  readonly reason: string;
  readonly fault?: Fault;
}

/** One trial as its run reported it, with its stored trace. */
interface TriedCall extends TrialDocument {
  readonly result: unknown;
  readonly error: ToolError | undefined;
  readonly trace: Trace;
}

/** A whole run of direct calls. */
export interface CallsRun extends CommandResult {
  readonly totals: Readonly<Record<'planned' | 'pass' | 'fail' | 'error' | 'skipped' | 'notRun', number>>;
  /** By scenario name, or `scenario/case` where a scenario has cases. */
  readonly tried: Readonly<Record<string, TriedCall>>;
}

interface CallsOptions {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** Writes each scenario into its own file. */
export async function writeCalls(folder: string, calls: Readonly<Record<string, DirectCall>>): Promise<void> {
  for (const [name, { cases, input = {}, passCriteria = ['true'], ...rest }] of Object.entries(calls)) {
    const judged = cases ? { cases: cases.map((item) => ({ passCriteria, ...item })) } : { input, passCriteria };
    await writeFiles(folder, { [`${name}.json`]: JSON.stringify({ name, ...rest, ...judged }) });
  }
}

/** Runs scenarios with the built program, `--json`, and reads back what it stored. */
export async function runCalls(
  folder: string,
  calls: Readonly<Record<string, DirectCall>>,
  { args = [], env = {} }: CallsOptions = {},
): Promise<CallsRun> {
  await writeCalls(folder, calls);
  const ended = await assay(['run', '--json', ...args], { cwd: folder, env });
  return readRun(folder, ended);
}

/** The run document of a program that has ended, with the traces from its store. */
export async function readRun(folder: string, ended: CommandResult): Promise<CallsRun> {
  const document = JSON.parse(ended.stdout) as Pick<CallsRun, 'totals'> & { readonly trials: TrialDocument[] };
  await using store = await openProjectStore(folder);
  const tried: Record<string, TriedCall> = {};
  for (const trial of document.trials) {
    const trace = (await store.readTrace(trial.trialId)) ?? [];
    const answer = lastAnswer(trace);
    const name = trial.caseId === 'input' ? trial.scenario : `${trial.scenario}/${trial.caseId}`;
    tried[name] = { ...trial, trace, result: answer?.result, error: answer?.error };
  }
  return { ...ended, totals: document.totals, tried };
}

/** Output of a call, from its trace. */
export function printedIn(trace: Trace, channel: 'stdout' | 'stderr'): string {
  return trace.map((event) => (event.type === 'output' && event.channel === channel ? event.text : '')).join('');
}

/** The code of the fault of each call, or how it ended. */
export function endings(run: CallsRun): Record<string, string> {
  return Object.fromEntries(
    Object.entries(run.tried).map(([name, { outcome, fault }]) => [name, fault?.code ?? outcome]),
  );
}
