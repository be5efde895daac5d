import { fileURLToPath } from 'node:url';
import type { SuiteTestKind, ToolHealthEntry } from '../../domain/mcp-findings.ts';
import type { TrialRecord } from '../../domain/record.ts';
import { eventsOf, type TraceEvent } from '../../domain/trace.ts';
import { RunSessions } from '../../drive/mcp/sessions.ts';
import { mcpSuiteTarget } from '../../drive/targets/mcp/mcp-suite-target.ts';
import { mcpToolTarget } from '../../drive/targets/mcp/mcp-tool-target.ts';
import type { TargetKind } from '../../drive/targets/target.ts';
import { evaluators } from '../../score/evaluators/index.ts';
import { runOnEngine } from './engine-run.ts';
import { scenarioOf } from './faulty-parts.ts';

const serverFile = fileURLToPath(new URL('../fakes/mcp/suite-server.mjs', import.meta.url));

/** The fixture server; each mode is one behaviour that it does not have otherwise. */
export function suiteServer(...modes: readonly string[]) {
  return { transport: 'stdio', command: 'node', args: [serverFile, ...modes] };
}

interface SuiteRunOptions {
  readonly kind?: SuiteTestKind;
  readonly server?: object;
  readonly timeoutMs?: number;
  /** For the suite as a whole. */
  readonly limitMs?: number;
  /** Beside the suite itself. */
  readonly input?: object;
}

export interface SuiteRun {
  readonly record: TrialRecord;
  readonly trace: readonly TraceEvent[];
  /** `pass: details` for each test. */
  readonly lines: readonly string[];
  readonly entries: readonly ToolHealthEntry[];
  readonly notices: readonly string[];
}

/** Runs a suite on the real engine against a real server over stdio. */
export async function runSuite(suite: object, options: SuiteRunOptions = {}): Promise<SuiteRun> {
  const { kind = 'tool', server = suiteServer(), timeoutMs = 5_000, limitMs, input } = options;
  const config = mcpSuiteTarget.configSchema.parse({ server, timeoutMs });
  const evaluated = [{ type: 'tool-health', config: {} }];
  const written = { kind, suite: { name: 'suite', ...suite }, ...input };
  const { record, trace } = await runCase(mcpSuiteTarget, config, evaluated, written, limitMs);
  return {
    record,
    trace,
    entries: record.toolHealth,
    lines: record.toolHealth.map(({ state, details }) => `${state}: ${details.replace(/[\d.,]+ ms/g, 'N ms')}`),
    notices: eventsOf(trace, 'notice').map(({ message }) => message),
  };
}

/** Calls one tool of the fixture server as a native scenario does. */
export async function runToolCall(
  tool: string,
  input: unknown,
  evaluated: readonly { type: string; config: unknown }[],
) {
  const config = mcpToolTarget.configSchema.parse({ server: suiteServer(), tool });
  return runCase(mcpToolTarget, config, evaluated, input);
}

async function runCase(
  kind: TargetKind,
  config: unknown,
  evaluated: readonly { type: string; config: unknown }[],
  input: unknown,
  limitMs?: number,
): Promise<Pick<SuiteRun, 'record' | 'trace'>> {
  await using sessions = new RunSessions();
  let trace: TraceEvent[] = [];
  const watched: TargetKind = {
    ...kind,
    configSchema: kind.configSchema,
    async open(given, context) {
      const target = await kind.open(given, {
        ...context,
        directory: '/',
        env: process.env,
        mcpSessions: async () => sessions,
      });
      return {
        attempt: (trial, growing, stop, turns) => {
          trace = growing.events;
          return target.attempt(trial, growing, stop, turns);
        },
        [Symbol.asyncDispose]: () => target[Symbol.asyncDispose](),
      };
    },
  };
  const scenario = {
    ...scenarioOf('suite', { type: kind.type, config }, evaluated, limitMs),
    async *cases() {
      yield { caseId: 'suite', input, expected: undefined, evaluators: evaluated };
    },
  };
  const { records } = await runOnEngine([scenario], { targets: [watched], evaluators });
  if (!records.suite) throw new Error('The suite left no record.');
  return { record: records.suite, trace };
}
