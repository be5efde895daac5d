import { AssayError } from '../../../../domain/errors.ts';
import { type CompletionTest, expectedErrorOf } from '../../../../domain/mcp/feature-suites.ts';
import {
  argumentProbes,
  contentProbes,
  hostileProbes,
  type Probe,
  securityProbes,
} from '../../../../domain/mcp/probes.ts';
import type { SuiteTest, SuiteTestOf } from '../../../../domain/mcp/suite-tests.ts';
import type { ToolTest } from '../../../../domain/mcp/suites.ts';
import { type Fault, faultOf } from '../../../../domain/outcome.ts';
import { isOwnError } from '../../../../domain/tool-error.ts';
import { containsText } from '../../../../domain/tools/tool-meaning.ts';
import type { EmitTrace } from '../../../../domain/trace.ts';
import { isRecord } from '../../../../shared/json.ts';
import { tryElicitation, tryLoad, trySampling, trySamplingProbes, trySamplingWorkflow } from './client-answers.ts';
import { trySubscription, tryTemplate } from './resource-attempts.ts';
import type { SuiteServer } from './suite-server.ts';
import { allPages, TestSession } from './test-session.ts';

interface Waiting {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

type Attempt<Form extends SuiteTest['form']> = (
  test: SuiteTestOf<Form>,
  client: TestSession,
  waiting: Waiting,
) => Promise<unknown>;

/** The requests of a test of each form; the result holds observations that no exchange shows. */
const attempts: { readonly [Form in Exclude<SuiteTest['form'], 'oauth'>]: Attempt<Form> } = {
  tool: ({ spec }, client) => tryTool(spec, client),
  'resource-list': async (_test, client) => void (await allPages(client, 'resources/list')),
  'resource-read': async ({ spec }, client) => void (await client.request('resources/read', { uri: spec.uri })),
  'resource-template': ({ spec }, client) => tryTemplate(spec, client),
  'resource-subscription': ({ spec }, client, waiting) => trySubscription(spec, client, waiting),
  completion: async ({ spec }, client) => void (await client.request('completion/complete', completionOf(spec))),
  'prompt-list': async (_test, client) => void (await allPages(client, 'prompts/list')),
  'prompt-get': async ({ subject: name, spec }, client) =>
    void (await client.request('prompts/get', { name, arguments: spec.args ?? spec.arguments ?? {} })),
  'prompt-arguments': ({ subject, spec }, client) => tryPromptProbes(subject, argumentProbes(spec), client),
  // A hostile text is given to every argument; the list also shows whether the server has the prompt at all.
  'prompt-security': async ({ subject, spec }, client) =>
    tryPromptProbes(subject, hostileProbes(spec), client, await argumentsOf(subject, client)),
  'sampling-capability': async (_test, client) => void (await client.request(client.session.aliveMethod, {})),
  'sampling-request': ({ spec }, client) => trySampling(spec, client),
  'sampling-load': ({ spec }, client) => tryLoad(spec, client),
  'sampling-security': ({ subject, spec }, client) => trySamplingProbes(subject, securityProbes(spec), client),
  'sampling-content': ({ subject, spec }, client) => trySamplingProbes(subject, contentProbes(spec), client),
  'sampling-workflow': ({ spec }, client) => trySamplingWorkflow(spec, client),
  'elicitation-request': ({ spec }, client) => tryElicitation(spec, client),
};

function completionOf({ promptName, template, argument, context }: CompletionTest) {
  const ref =
    template === undefined ? { type: 'ref/prompt', name: promptName } : { type: 'ref/resource', uri: template };
  return { ref, argument, ...(context && { context: { arguments: context } }) };
}

/** Arguments of prompts are texts in the protocol; what is written otherwise is sent as it is, to be refused. */
async function tryPromptProbes(
  name: string,
  probes: readonly Probe[],
  client: TestSession,
  names: readonly string[] = [],
): Promise<void> {
  for (const { args } of probes) {
    const given = typeof args === 'string' ? Object.fromEntries(names.map((key) => [key, args])) : args;
    await client.request('prompts/get', { name, arguments: given });
  }
}

/** The names of a prompt's arguments, as the server lists them. */
async function argumentsOf(name: string, client: TestSession): Promise<string[]> {
  const listed = await allPages(client, 'prompts/list');
  const prompts = Array.isArray(listed.result?.prompts) ? listed.result.prompts : [];
  const prompt = prompts.find((one: unknown) => isRecord(one) && one.name === name);
  const all: unknown[] = isRecord(prompt) && Array.isArray(prompt.arguments) ? prompt.arguments : [];
  return all.flatMap((one) => (isRecord(one) && typeof one.name === 'string' ? [one.name] : []));
}

/** Calls a tool as its test says; after a cancellation the server must answer another request. */
async function tryTool(spec: ToolTest, client: TestSession): Promise<void> {
  const { name, args, logLevel, expectedLog, expectedProgress, cancelAfterMs, task: isTask } = spec;
  const { era, capabilities } = client.session.facts;
  // An earlier test may have set another level, which stays for the whole session.
  const level = logLevel ?? (expectedLog !== undefined && capabilities.logging ? 'debug' : undefined);
  if (level !== undefined && era === 'legacy') await client.request('logging/setLevel', { level });
  const wanted = { log: expectedLog, progress: expectedProgress };
  await client.call(name, args, { isTask, cancelAfterMs, logLevel, wanted });
  if (cancelAfterMs !== undefined) await client.request(client.session.aliveMethod, {});
}

/** Shared by the tests of a suite. */
export interface SuiteContext {
  readonly emit: EmitTrace;
  readonly limits: Waiting;
  /** The server for a test; most have the same. */
  serverFor(test: SuiteTest): Promise<SuiteServer>;
}

interface Tried {
  readonly client: TestSession | undefined;
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
  const { client, observed, fault } = tried;
  context.emit({
    type: 'mcp-test',
    ...identityOf(test),
    attempts,
    latencyMs: client?.latencyMs ?? 0,
    totalMs: performance.now() - began,
    timedOut: client?.timedOut ?? false,
    callId: client?.callId ?? null,
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
  let client: TestSession | undefined;
  try {
    const server = await context.serverFor(test);
    client = new TestSession(await server.working(), test, callsBefore, { limits, emit });
    return { client, observed: await attemptOf(test)(test, client, limits), fault: null };
  } catch (thrown) {
    if (!(thrown instanceof AssayError) || limits.signal.aborted) throw thrown;
    return { client, observed: undefined, fault: faultOf(thrown) };
  }
}

/** Tests of authorization make no request of the protocol, and are done elsewhere. */
function attemptOf({ form }: SuiteTest): Attempt<SuiteTest['form']> {
  return form === 'oauth' ? async () => undefined : (attempts[form] as Attempt<SuiteTest['form']>);
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
function hasFailed({ expectedError }: Retrying, { client, fault }: Tried): boolean {
  if (fault || !client?.error) return fault !== null;
  return expectedError === undefined || isOwnError(client.error) || !containsText(client.error.message, expectedError);
}

function identityOf({ index, kind, name }: SuiteTest) {
  return { index, kind, name };
}

export function notSupported({ name, unsupported }: SuiteTest): AssayError {
  return new AssayError('CRITERION_UNUSABLE', `"${name}" is not supported yet: ${unsupported}`, {
    hint: 'Remove the test, or change it to a supported one.',
  });
}
