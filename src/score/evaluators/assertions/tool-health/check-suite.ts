import { AssayError } from '../../../../domain/errors.ts';
import type { OAuthObserved } from '../../../../domain/mcp/oauth-suites.ts';
import { argumentProbes, contentProbes, hostileProbes, securityProbes } from '../../../../domain/mcp/probes.ts';
import {
  readSuiteInput,
  type SuiteTest,
  type SuiteTestOf,
  suiteCoverage,
  suiteTests,
} from '../../../../domain/mcp/suite-tests.ts';
import type { ToolHealthEntry } from '../../../../domain/mcp-findings.ts';
import { type Fault, faultOf } from '../../../../domain/outcome.ts';
import { eventsOf, hasEvent, type TraceEventOf } from '../../../../domain/trace.ts';
import { hasMockedServer } from '../../../../domain/trace-coverage/coverage.ts';
import { counted } from '../../../../shared/format.ts';
import type { Answer, EvaluationContext } from '../../evaluator.ts';
import { judgeCapability, judgeElicitation, judgeLoad, judgeSampling } from './client-tests.ts';
import { judgeCompletion, judgeList } from './list-tests.ts';
import { type ObservedTest, observedTests } from './observed-tests.ts';
import { judgePromptProbes, judgeSamplingProbes } from './probe-tests.ts';
import { judgePrompt } from './prompt-tests.ts';
import { judgeRead, judgeSubscription, judgeTemplate } from './resource-tests.ts';
import { judgeSamplingWorkflow } from './sampling-tests.ts';
import { fail, type Judged, pass, refuseUnanswered, timeOf } from './test-verdict.ts';
import { judgeTool, OutputSchemas } from './tool-tests.ts';

/** Facts about the server that some tests are judged by. */
interface JudgedServer {
  /** Whether a stand-in took its place, so no time is that of the server. */
  readonly isStandIn: boolean;
  readonly outputs: OutputSchemas;
  readonly toolNames: readonly string[];
}

type Judge<Form extends SuiteTest['form']> = (
  observed: ObservedTest<SuiteTestOf<Form>>,
  server: JudgedServer,
) => Judged;

/** How a test of each form is judged by what was seen of it. */
const judges: { readonly [Form in SuiteTest['form']]: Judge<Form> } = {
  tool: judgeTool,
  'resource-list': (observed) => judgeList(observed, 'resources', observed.test.spec.expectedResources),
  'resource-read': judgeRead,
  'resource-template': judgeTemplate,
  'resource-subscription': judgeSubscription,
  completion: judgeCompletion,
  'prompt-list': (observed) => judgeList(observed, 'prompts', observed.test.spec.expectedPrompts),
  'prompt-get': judgePrompt,
  'prompt-arguments': (observed) => judgePromptProbes(observed, argumentProbes(observed.test.spec)),
  'prompt-security': (observed) => judgePromptProbes(observed, hostileProbes(observed.test.spec)),
  'sampling-capability': judgeCapability,
  'sampling-request': judgeSampling,
  'sampling-load': judgeLoad,
  'sampling-security': (observed) => judgeSamplingProbes(observed, securityProbes(observed.test.spec)),
  'sampling-content': (observed) => judgeSamplingProbes(observed, contentProbes(observed.test.spec)),
  'sampling-workflow': judgeSamplingWorkflow,
  'elicitation-request': judgeElicitation,
  oauth: judgeOAuth,
};

/** Whether a grant ended as expected, and whether every further requirement was met. */
function judgeOAuth({ test, ended }: ObservedTest<SuiteTestOf<'oauth'>>): Judged {
  if (ended.observed === undefined) refuseUnanswered();
  const { result, why, checks } = ended.observed as OAuthObserved;
  const expected = test.spec.test.spec.expectedResult === 'success' ? 'success' : 'failure';
  if (result !== expected) return fail(`Expected ${expected}, got ${result}: ${why}`);
  const [broken] = checks.filter(({ isMet }) => !isMet);
  if (broken) return fail(`${broken.check}: ${broken.details}`);
  const also = checks.length === 0 ? '' : `; ${checks.map(({ check }) => check).join(', ')}`;
  return pass(`${why}${also} (${timeOf(ended)})`);
}

/** An entry, and why the test could not be judged. */
interface Concluded {
  readonly entry: ToolHealthEntry;
  readonly fault: Fault | undefined;
}

const mostNamed = 3;

export function checkToolHealth({ trial, trace }: EvaluationContext): Answer<'assertion'> {
  const read = readSuiteInput(trial.case.input);
  if (!read.success) throw read.error;
  const input = read.data;
  const tests = suiteTests(input);
  const announced = eventsOf(trace, 'mcp-server');
  const tools = announced[0]?.tools ?? [];
  const changed = changedTools(tools, announced.at(-1)?.tools ?? []);
  const isStandIn = hasEvent(trace, 'tool-tape') || hasMockedServer(trace);
  const server = { isStandIn, outputs: new OutputSchemas(tools), toolNames: tools.map(({ name }) => name) };
  const observed = observedTests(tests, trace);
  const concluded = tests.map((test, index) =>
    test.kind === 'tool' && changed.has(test.subject)
      ? changedOnTheWay(test, observed[index], server)
      : conclude(test, observed[index], server),
  );
  const covered = tools.length === 0 ? undefined : suiteCoverage(input, tools);
  const toolHealth = concluded.map(({ entry }, index) =>
    index === 0 && covered?.coverage
      ? { ...entry, metadata: { ...entry.metadata, coverage: covered.coverage } }
      : entry,
  );
  return verdict(concluded, toolHealth, covered?.warnings ?? []);
}

function verdict(
  concluded: readonly Concluded[],
  toolHealth: ToolHealthEntry[],
  warnings: readonly string[],
): Answer<'assertion'> {
  const total = toolHealth.length;
  const findings = { toolHealth };
  const failed = toolHealth.filter(({ state }) => state === 'fail');
  const broken = concluded.filter(({ fault }) => fault !== undefined);
  const value = total === 0 ? 1 : toolHealth.filter(({ passed }) => passed).length / total;
  // A recording of other calls says nothing about the tests beside the one that it has no answer to.
  const missed = broken.find(({ fault }) => fault?.code === 'TOOL_REPLAY_MISS');
  if (failed.length > 0 && !missed) {
    const unjudged = broken.length === 0 ? '' : `, ${broken.length} could not be judged`;
    const reason = `${failed.length} of ${counted(total, 'test')} failed${unjudged}: ${named(failed)}`;
    return { state: 'fail', reason, value, findings };
  }
  const fault = (missed ?? broken[0])?.fault;
  if (fault) {
    const message = `${broken.length} of ${counted(total, 'test')} could not be judged: ${fault.message}`;
    return { state: 'error', error: new AssayError(fault.code, message, { hint: fault.hint }), findings };
  }
  const reason = total === 0 ? 'There are no tests' : `${total === 1 ? 'The test' : `All ${total} tests`} passed`;
  const sentences = warnings.length === 0 ? reason : [`${reason}.`, ...warnings].join(' ');
  return { state: 'pass', reason: sentences, value, findings };
}

type AnnouncedTools = TraceEventOf<'mcp-server'>['tools'];

/** Tools that are no longer what they were when the run began; one that was added changes no other. */
function changedTools(before: AnnouncedTools, now: AnnouncedTools): ReadonlySet<string> {
  const current = new Map(now.map(({ name, sha256 }) => [name, sha256]));
  return new Set(before.filter(({ name, sha256 }) => current.get(name) !== sha256).map(({ name }) => name));
}

function changedOnTheWay(test: SuiteTest, observed: ObservedTest | undefined, server: JudgedServer): Concluded {
  const message = `The definition of "${test.subject}" changed during the run.`;
  const fault = faultOf(new AssayError('MCP_TOOLS_CHANGED', message));
  return { entry: { ...figuresOf(test, observed, server), ...unjudgedVerdict(fault) }, fault };
}

function named(failed: readonly ToolHealthEntry[]): string {
  const texts = failed.slice(0, mostNamed).map(({ testName, details }) => `"${testName}": ${details}`);
  const more = failed.length - texts.length;
  return more > 0 ? `${texts.join('; ')}; and ${more} more` : texts.join('; ');
}

function conclude(test: SuiteTest, observed: ObservedTest | undefined, server: JudgedServer): Concluded {
  const fault = observed
    ? (observed.ended.fault ?? undefined)
    : faultOf(new AssayError('INTERNAL', `"${test.name}" was not run.`));
  const unjudged = (why: Fault | undefined): Concluded => ({
    entry: { ...figuresOf(test, observed, server), ...unjudgedVerdict(why) },
    fault: why,
  });
  if (!observed || fault) return unjudged(fault);
  try {
    if (observed.ended.callId !== null && !observed.answer) refuseUnanswered();
    refuseForeignTime(observed, server);
    const { state, details, error, metadata } = (judges[test.form] as Judge<SuiteTest['form']>)(observed, server);
    const isPass = state === 'pass';
    const verdict = { state, passed: isPass, score: isPass ? 1 : 0, details };
    const more = { ...(error !== undefined && { error }), ...(metadata && { metadata: { ...metadata } }) };
    return { entry: { ...figuresOf(test, observed, server), ...verdict, ...more }, fault: undefined };
  } catch (thrown) {
    if (!(thrown instanceof AssayError)) throw thrown;
    return unjudged(faultOf(thrown));
  }
}

function unjudgedVerdict({ message = '' }: Partial<Fault> = {}) {
  const details = `Could not be judged: ${message}`;
  return { state: 'error' as const, passed: false, score: 0, details, error: message };
}

/** A limit of time holds for the server, and says nothing where another answered. */
function refuseForeignTime(observed: ObservedTest, server: JudgedServer): void {
  const hasLimit = 'maxLatency' in observed.test.spec && observed.test.spec.maxLatency !== undefined;
  if (!hasLimit || isTimed(observed, server)) return;
  const message = `The latency of "${observed.test.subject}" was not observed: a mock or a recording answered.`;
  throw new AssayError('NOT_OBSERVED', message, { hint: 'Run the test with the real server, or remove `maxLatency`.' });
}

function isTimed({ answer }: ObservedTest, { isStandIn }: JudgedServer): boolean {
  return !isStandIn && !['mock', 'simulate', 'replay'].includes(answer?.answeredBy ?? '');
}

/** Times of a stand-in are not those of the server. */
function figuresOf({ name, subject, kind }: SuiteTest, observed: ObservedTest | undefined, server: JudgedServer) {
  const { attempts, latencyMs, totalMs } = observed?.ended ?? { attempts: 0, latencyMs: 0, totalMs: 0 };
  const isMeasured = attempts > 0 && (!observed || isTimed(observed, server));
  return {
    testName: name,
    toolName: subject,
    kind,
    latency: isMeasured ? latencyMs : null,
    totalLatency: isMeasured ? totalMs : null,
    retryCount: Math.max(0, attempts - 1),
  };
}
