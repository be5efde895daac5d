import { AssayError } from '../../../../domain/errors.ts';
import { expectedErrorOf } from '../../../../domain/mcp/feature-suites.ts';
import { contentProbes, securityProbes } from '../../../../domain/mcp/sampling-tests.ts';
import type { SuiteTest } from '../../../../domain/mcp/suite-tests.ts';
import type { ToolTest } from '../../../../domain/mcp/suites.ts';
import { type Fault, faultOf } from '../../../../domain/outcome.ts';
import { containsText } from '../../../../domain/tools/tool-meaning.ts';
import type { EmitTrace } from '../../../../domain/trace.ts';
import { tryElicitation, tryLoad, trySampling } from './client-attempts.ts';
import { tryCompletion } from './completion-attempts.ts';
import { tryArguments, tryHostileInputs, tryPrompt } from './prompt-attempts.ts';
import { trySubscription, tryTemplate } from './resource-attempts.ts';
import { trySamplingProbes, trySamplingWorkflow } from './sampling-attempts.ts';
import type { SuiteServer } from './suite-server.ts';
import { allPages, TestSession } from './test-session.ts';

/** Does once what a test asks for; gives what is not in the exchanges themselves. */
async function tryTest(
  test: SuiteTest,
  talk: TestSession,
  waiting: { readonly timeoutMs: number; readonly signal: AbortSignal },
): Promise<unknown> {
  switch (test.form) {
    case 'tool':
      return tryTool(test.spec, talk);
    case 'resource-list':
      return void (await allPages(talk, 'resources/list'));
    case 'resource-read':
      return void (await talk.request('resources/read', { uri: test.spec.uri }));
    case 'resource-template':
      return tryTemplate(test.spec, talk);
    case 'resource-subscription':
      return trySubscription(test.spec, talk, waiting);
    case 'completion':
      return tryCompletion(test.spec, talk);
    case 'prompt-list':
      return void (await allPages(talk, 'prompts/list'));
    case 'prompt-get':
      return tryPrompt(test.subject, test.spec, talk);
    case 'prompt-arguments':
      return tryArguments(test.subject, test.spec, talk);
    case 'prompt-security':
      return tryHostileInputs(test.subject, test.spec, talk);
    case 'sampling-capability':
      return void (await talk.request(talk.session.aliveMethod, {}));
    case 'sampling-request':
      return trySampling(test.spec, talk);
    case 'sampling-load':
      return tryLoad(test.spec, talk);
    case 'elicitation-request':
      return tryElicitation(test.spec, talk);
    case 'sampling-security':
      return trySamplingProbes(test.subject, securityProbes(test.spec), talk);
    case 'sampling-content':
      return trySamplingProbes(test.subject, contentProbes(test.spec), talk);
    case 'sampling-workflow':
      return trySamplingWorkflow(test.spec, talk);
  }
}

/** Calls a tool as its test says; after a cancellation the server must answer another request. */
async function tryTool(spec: ToolTest, talk: TestSession): Promise<void> {
  const { name, args, logLevel, expectedLog, cancelAfterMs, task: isTask } = spec;
  const { era, capabilities } = talk.session.facts;
  // An earlier test may have set another level, which stays for the whole session.
  const level = logLevel ?? (expectedLog !== undefined && capabilities.logging ? 'debug' : undefined);
  if (level !== undefined && era === 'legacy') await talk.request('logging/setLevel', { level });
  await talk.call(name, args, { isTask, cancelAfterMs, logLevel });
  if (cancelAfterMs !== undefined) await talk.request(talk.session.aliveMethod, {});
}

/** Shared by the tests of a suite. */
export interface SuiteContext {
  readonly emit: EmitTrace;
  readonly limits: { readonly timeoutMs: number; readonly signal: AbortSignal };
  /** The server for a test; most have the same. */
  serverFor(test: SuiteTest): Promise<SuiteServer>;
}

interface Tried {
  readonly talk: TestSession | undefined;
  readonly observed: unknown;
  readonly fault: Fault | null;
}

/** Runs one test, with retries where the call failed, and emits the result. */
export async function doTest(test: SuiteTest, context: SuiteContext): Promise<void> {
  if (test.unsupported !== undefined) return emitUntried(test, notSupported(test), context.emit);
  const began = performance.now();
  const retrying = retryingOf(test);
  let attempts = 0;
  let tried: Tried;
  do {
    attempts++;
    tried = await tryOnce(test, attempts - 1, context);
  } while (attempts <= retrying.retries && hasFailed(retrying, tried));
  const { talk, observed, fault } = tried;
  context.emit({
    type: 'mcp-test',
    ...identityOf(test),
    attempts,
    latencyMs: talk?.latencyMs ?? 0,
    totalMs: performance.now() - began,
    timedOut: talk?.timedOut ?? false,
    callId: talk?.callId ?? null,
    ...(observed !== undefined && { observed }),
    fault,
  });
}

/** Emits the event of a test that was not attempted. */
export function emitUntried(test: SuiteTest, error: AssayError, emit: EmitTrace): void {
  const nothing = { attempts: 0, latencyMs: 0, totalMs: 0, timedOut: false, callId: null };
  emit({ type: 'mcp-test', ...identityOf(test), ...nothing, fault: faultOf(error) });
}

async function tryOnce(test: SuiteTest, callsBefore: number, context: SuiteContext): Promise<Tried> {
  const { limits, emit } = context;
  let talk: TestSession | undefined;
  try {
    const server = await context.serverFor(test);
    talk = new TestSession(await server.working(), test, callsBefore, { limits, emit });
    return { talk, observed: await tryTest(test, talk, limits), fault: null };
  } catch (thrown) {
    if (!(thrown instanceof AssayError) || limits.signal.aborted) throw thrown;
    return { talk, observed: undefined, fault: faultOf(thrown) };
  }
}

interface Retrying {
  readonly retries: number;
  readonly expectedError: string | undefined;
}

/** Where several requests are made, some of them are meant to be refused: nothing is done again. */
function retryingOf(test: SuiteTest): Retrying {
  const isSingle = test.form === 'tool' || test.form === 'resource-read' || test.form === 'prompt-get';
  if (!isSingle) return { retries: 0, expectedError: undefined };
  return { retries: test.spec.retries, expectedError: expectedErrorOf(test.spec) };
}

/** An expected error is not a failure. */
function hasFailed({ expectedError }: Retrying, { talk, fault }: Tried): boolean {
  if (fault || !talk?.error) return fault !== null;
  return expectedError === undefined || !containsText(talk.error.message, expectedError);
}

function identityOf({ index, kind, name }: SuiteTest) {
  return { index, kind, name };
}

export function notSupported({ name, unsupported }: SuiteTest): AssayError {
  return new AssayError('CRITERION_UNUSABLE', `"${name}" is not supported yet: ${unsupported}`, {
    hint: 'Remove the test, or change it to a supported one.',
  });
}
