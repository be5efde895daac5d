import { setMaxListeners } from 'node:events';
import { AssayError } from '../../../../domain/errors.ts';
import { type SuiteInput, type SuiteTest, suiteCoverage, suiteTests } from '../../../../domain/mcp/suite-tests.ts';
import type { ServerMonitor as MonitorSettings } from '../../../../domain/server-performance.ts';
import type { EmitTrace } from '../../../../domain/trace.ts';
import { pullConcurrently } from '../../../../shared/async.ts';
import { elicitationCapability } from '../../../approvals/elicitation.ts';
import type { McpControl } from '../../../mcp/control/mcp-control.ts';
import { serverEvent } from '../../../mcp/server-event.ts';
import type { PinnedTools } from '../../../mcp/session.ts';
import { changesText } from '../../../mcp/tool-pins.ts';
import type { StampedTrace } from '../../stamped-trace.ts';
import type { TargetContext } from '../../target.ts';
import type { SuiteConfig } from '../mcp-suite-target.ts';
import { repeatCalls } from './repeat-calls.ts';
import { doTest, emitUntried, type SuiteContext } from './run-suite-test.ts';
import { ServerMonitor } from './server-monitor.ts';
import { leaseServer, noteEarlierChanges, SuiteServer } from './suite-server.ts';

interface AttemptOptions {
  readonly config: SuiteConfig;
  readonly context: TargetContext;
  readonly emit: EmitTrace;
  readonly clock: Pick<StampedTrace, 'preparing'>;
  readonly signal: AbortSignal;
  readonly control: McpControl;
}

/** How many tests of a parallel suite are done at the same time. */
const mostAtOnce = 16;

/**
 * Runs all tests of a suite. A server's mistake in a test is reported for that test; a tool that changed on the way
 * makes only the tests of that tool worthless.
 */
export async function attemptSuite(input: SuiteInput, options: AttemptOptions): Promise<void> {
  const { config, emit, clock, signal } = options;
  const tests = suiteTests(input);
  // Every request under way listens to it, and Node warns of many.
  setMaxListeners(0, signal);
  const limits = { timeoutMs: limitOf(input) ?? config.timeoutMs, signal };
  const capabilities = capabilitiesFor(input.kind);
  await using servers = new SuiteServers(options);
  const server = await clock
    .preparing(() => servers.openWorking(capabilities))
    .catch((thrown: unknown) => {
      if (!(thrown instanceof AssayError) || signal.aborted || tests.length === 0) throw thrown;
      for (const test of tests) emitUntried(test, thrown, emit);
      return undefined;
    });
  if (!server) return;
  await announce(input, tests, server, options);
  const suiteContext: SuiteContext = {
    emit,
    limits,
    serverFor: async (test) =>
      test.form === 'sampling-capability' && !test.spec.expectedCapability ? servers.open({}) : server,
  };
  const runTest = (test: SuiteTest): Promise<void> => doTest(test, suiteContext);
  const runTests = () => pullConcurrently(inOrder(tests), isParallel(input, tests) ? mostAtOnce : 1, runTest);
  if (config.monitor) await monitored(tests, server, { ...options, limits, monitor: config.monitor }, runTests);
  else await runTests();
  await conclude(server, options);
}

/** Watches the server during the tests and the repeated calls, and emits what was seen. */
async function monitored(
  tests: readonly SuiteTest[],
  server: SuiteServer,
  {
    emit,
    limits,
    monitor: { repeatCalls: times },
  }: AttemptOptions & { readonly limits: SuiteContext['limits']; readonly monitor: MonitorSettings },
  runTests: () => Promise<unknown>,
): Promise<void> {
  using monitor = new ServerMonitor(() => server.lease.session);
  await runTests();
  const repeated = await repeatCalls(tests, times, { working: () => server.working(), monitor, limits });
  emit({ type: 'server-performance', ...monitor.usage(), ...repeated });
}

function limitOf({ suite }: SuiteInput): number | undefined {
  return typeof suite.timeout === 'number' ? suite.timeout : undefined;
}

/**
 * Requests of the server are answered for one test at a time. A log message does not say which call it is about, so
 * tests that expect one run alone as well.
 */
function isParallel({ kind, suite }: SuiteInput, tests: readonly SuiteTest[]): boolean {
  if (kind === 'sampling' || kind === 'elicitation' || suite.parallel !== true) return false;
  return !tests.some(({ form, spec }) => form === 'tool' && (spec.expectedLog ?? spec.logLevel) !== undefined);
}

function capabilitiesFor(kind: SuiteInput['kind']): Readonly<Record<string, unknown>> {
  if (kind === 'sampling') return { sampling: { tools: {} } };
  return kind === 'elicitation' ? elicitationCapability : {};
}

/** The sessions of a suite, which end with it where they are not shared. */
class SuiteServers implements AsyncDisposable {
  readonly #options: AttemptOptions;
  readonly #servers: SuiteServer[] = [];

  constructor(options: AttemptOptions) {
    this.#options = options;
  }

  async open(capabilities: Readonly<Record<string, unknown>>): Promise<SuiteServer> {
    const { config, context, signal, control, emit } = this.#options;
    const { server, timeoutMs } = config;
    const lease = await leaseServer(server, context, { timeoutMs, signal, capabilities, control });
    const opened = new SuiteServer(lease, { timeoutMs, signal }, emit);
    this.#servers.push(opened);
    return opened;
  }

  async openWorking(capabilities: Readonly<Record<string, unknown>>): Promise<SuiteServer> {
    const server = await this.open(capabilities);
    await server.working();
    return server;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const server of this.#servers) await server[Symbol.asyncDispose]();
  }
}

/** Emits which server is tested. */
async function announce(
  input: SuiteInput,
  tests: readonly SuiteTest[],
  { lease }: SuiteServer,
  { config, emit, signal }: AttemptOptions,
): Promise<void> {
  const { tools, changesInRun } = await lease
    .pinAgain({ timeoutMs: config.timeoutMs, signal })
    .catch((thrown: unknown): PinnedTools => {
      if (!(thrown instanceof AssayError) || signal.aborted) throw thrown;
      emit({ type: 'notice', message: `The tools of the server could not be listed: ${thrown.message}` });
      return { tools: [], changesInRun: [] };
    });
  noteEarlierChanges(changesInRun, emit);
  const tested = new Set(tests.map(({ subject }) => subject));
  const event = serverEvent(lease, tools, { isTested: (tool) => tested.has(tool), keepsDefinitions: true });
  emit(event);
  for (const message of suiteCoverage(input, event.tools)?.warnings ?? []) emit({ type: 'notice', message });
}

/**
 * Emits how the tools changed meanwhile; a second announcement of the server shows which tests that concerns. A server
 * that broke at the end cannot list its tools any more; the results of its tests count all the same.
 */
async function conclude({ lease }: SuiteServer, { config, emit, signal }: AttemptOptions): Promise<void> {
  for (const message of lease.session.notices()) emit({ type: 'notice', message });
  if (lease.session.broken) return;
  const options = { timeoutMs: config.timeoutMs, signal };
  try {
    const changes = await lease.changesSincePinned(options);
    if (changes.length === 0) return;
    emit({ type: 'notice', message: `The tools of the server changed during the run: ${changesText(changes)}` });
    if (changes.every(({ isAdded, isAccepted }) => isAdded || isAccepted)) return;
    const tools = await lease.session.listTools(options);
    emit(serverEvent({ session: lease.session, isChangeAnnounced: false }, tools, { isTested: () => false }));
  } catch (thrown) {
    if (!(thrown instanceof AssayError) || signal.aborted) throw thrown;
    emit({ type: 'notice', message: `Changes of the tools during the run could not be checked: ${thrown.message}` });
  }
}

async function* inOrder(tests: readonly SuiteTest[]): AsyncGenerator<SuiteTest, void> {
  yield* tests;
}
