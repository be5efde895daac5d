import { approvalFactsIn } from '../domain/approval-facts.ts';
import { attackFinding } from '../domain/attack-outcome/attack-finding.ts';
import { compositeScore } from '../domain/composite-score.ts';
import { type Continuation, continuationIn } from '../domain/continuation.ts';
import { controlOfTrial } from '../domain/control-of-trial.ts';
import { costsInTrace, mayCost, wholeTrialCost } from '../domain/costs.ts';
import { countedUsage } from '../domain/counted-usage.ts';
import type { RecordedCoverage } from '../domain/coverage-schema.ts';
import { excerptOf } from '../domain/excerpt.ts';
import type { JudgeSpending } from '../domain/judge-result.ts';
import { workflowScore } from '../domain/mcp-findings.ts';
import { decideOutcome } from '../domain/outcome.ts';
import type { TrialRecord } from '../domain/record.ts';
import type { BrokenCalls, ControlFacts } from '../domain/tool-control/control-event.ts';
import { unusedMocks } from '../domain/tool-control/mocks.ts';
import { type ToolError, toolErrorText } from '../domain/tool-error.ts';
import { directCallError, eventsOf, hasEvent, type Trace } from '../domain/trace.ts';
import { hasMockedServer } from '../domain/trace-coverage/coverage.ts';
import { recordedCoverage } from '../domain/trace-coverage/recorded-coverage.ts';
import type { Trial } from '../domain/trial.ts';
import { sumOfUsage } from '../domain/usage.ts';
import { simulatedTools } from '../drive/mcp/control/simulated-tools.ts';
import type { FinishedTrial } from '../keep/store/store.ts';
import type { Execution } from './execution.ts';
import type { Evaluation } from './findings.ts';
import type { RecordSink } from './record-sink.ts';
import type { JudgeAccount } from './trial-context.ts';

/** A finished trial as the store keeps it: without secrets, and with how its texts begin. */
export function keptTrial(trial: Pick<Trial, 'case'>, finished: FinishedTrial, sink: RecordSink): FinishedTrial {
  const { record, trace } = sink.redact(finished);
  const excerpt = excerptOf(trial.case, trace, sink.redactText);
  // No other code has the record yet. A copy of so many fields becomes an object whose every later access is slow.
  if (excerpt) Object.assign(record, { excerpt });
  return { trace, record };
}

/** Everything that is known of a finished trial. */
export function recordOf(
  trial: Trial,
  execution: Execution,
  findings: Evaluation,
  judge: JudgeAccount | undefined,
): FinishedTrial {
  const thrown = directCallError(execution.trace);
  const isBare = execution.trace.every(({ type }) => bareEvents.has(type));
  const coverage = isBare ? undefined : recordedCoverage(execution.trace);
  const continuation = isBare ? undefined : continuationIn(execution.trace);
  return {
    trace: execution.trace,
    record: {
      trialId: trial.trialId,
      runId: trial.runId,
      ordinal: trial.ordinal,
      scenario: trial.scenario.name,
      file: trial.scenario.file,
      caseId: trial.case.caseId,
      variant: trial.variant,
      repeat: trial.repeat,
      ...waitingOr(findings, withThrown(decideOutcome(findings.evaluatorResults, execution.fault), thrown)),
      startedAt: execution.startedAt,
      durationMs: isInPieces(continuation) ? null : execution.durationMs,
      ...(continuation && { continuation }),
      ...(isBare && judge === undefined ? nothingSpent : spent(execution, judge, coverage)),
      ...findings,
      workflowScore: workflowScore(findings.workflow),
      toolPins: isBare ? null : toolPinsIn(execution.trace),
      compositeScore: compositeScore(findings, trial.scenario.composite),
      artifacts: artifactsOf(execution),
      toolError: thrown ? keptError(thrown) : null,
      cachedFrom: execution.cachedFrom ?? null,
      ...(trial.case.cluster !== undefined && { cluster: trial.case.cluster }),
      ...(judge?.isCached && { hasReusedVerdict: true }),
      ...(isBare ? setUpControl(trial) : { coverage, ...factsInTrace(trial, execution, findings) }),
    },
  };
}

/** Most direct calls have no other events, and nothing below is to be found in these. */
const bareEvents: ReadonlySet<string> = new Set(['tool-call', 'tool-result', 'output']);

const nothingSpent: ReturnType<typeof spent> = {
  costUsd: 0,
  costs: { targetUsd: 0, personaUsd: 0, judgeUsd: 0 },
  usage: null,
  targetUsage: null,
};

function factsInTrace(
  trial: Trial,
  execution: Execution,
  findings: Evaluation,
): Partial<
  Pick<
    TrialRecord,
    | 'isReplayed'
    | 'hasSimulatedUser'
    | 'approvals'
    | 'timedOut'
    | 'control'
    | 'unusedMocks'
    | 'attack'
    | 'metrics'
    | 'brokenCalls'
  >
> {
  const approvals = approvalFactsIn(execution.trace);
  return {
    ...(isReplayed(execution.trace) && { isReplayed: true }),
    ...(hasEvent(execution.trace, 'simulated-user') && { hasSimulatedUser: true }),
    ...(approvals && { approvals }),
    ...(isTimedOut(execution.trace) && { timedOut: true }),
    ...controlled(trial, execution.trace),
    ...attacked(execution, findings),
    ...brokenCallsIn(execution.trace),
  };
}

/** A trial that waits for its judge has no verdict, whatever the other evaluators found. */
function waitingOr<Decision extends Pick<TrialRecord, 'outcome' | 'reason' | 'fault'>>(
  { evaluatorResults }: Evaluation,
  decision: Decision,
): Decision {
  const fault = evaluatorResults.find((result) => result.fault?.code === 'JUDGE_WAITING')?.fault;
  return fault ? { ...decision, outcome: 'error', reason: 'Waiting for the judge', fault } : decision;
}

/** A trial that failed because the tool threw is reported by what it threw: criteria only see that there is no result. */
function withThrown<Decision extends Pick<TrialRecord, 'outcome' | 'reason'>>(
  decision: Decision,
  thrown: ToolError | undefined,
): Decision {
  if (decision.outcome !== 'fail' || !thrown) return decision;
  return { ...decision, reason: `The tool failed with ${toolErrorText(thrown)} (${decision.reason})` };
}

function keptError({ name, message }: ToolError): NonNullable<TrialRecord['toolError']> {
  return { ...(typeof name === 'string' && { name }), message };
}

function artifactsOf({ trace, artifacts }: Execution): string | null {
  return artifacts === undefined ? (eventsOf(trace, 'workspace')[0]?.folder ?? null) : artifacts;
}

/** The time of such a trial was not observed: its first part ran in a process that is gone. */
function isInPieces(continuation: Continuation | undefined): boolean {
  return continuation !== undefined && continuation.restarted === undefined;
}

/** Whether a recording answered for the model of an agent, so the cost and the time of the trial are not the model's. */
function isReplayed(trace: Trace): boolean {
  return eventsOf(trace, 'model-call').some((call) => call.isReplayed);
}

/** Whether the time limit ended an agent: its work is judged as it is, and the record says that it was not finished. */
function isTimedOut(trace: Trace): boolean {
  return eventsOf(trace, 'agent-ended').some(({ timedOut }) => timedOut);
}

function setUpControl(trial: Trial): Pick<TrialRecord, 'control' | 'unusedMocks'> {
  return trial.scenario.control ? controlled(trial, []) : {};
}

/** How often each kind of control acted; one that was set up and never acted is a fact as well. */
function controlled(trial: Trial, trace: Trace): Pick<TrialRecord, 'control' | 'unusedMocks'> {
  const { mocks = [], cliMocks = [], faults = [] } = controlOfTrial(trial) ?? {};
  const isMocked = [...mocks, ...cliMocks].some(({ mock }) => mock.simulate === undefined);
  const isAttacked = hasEvent(trace, 'attack');
  const control: ControlFacts = {
    ...(isMocked && { mock: 0 }),
    ...(simulatedTools(trial.scenario).length > 0 && { simulate: 0 }),
    ...(faults.length > 0 && { fault: 0 }),
    ...(isAttacked && { attack: 0 }),
  };
  const actions = eventsOf(trace, 'tool-control');
  for (const { kind } of actions) control[kind] = (control[kind] ?? 0) + 1;
  if (hasMockedServer(trace)) control.mock ??= 0;
  if (hasEvent(trace, 'tool-tape')) control.replay ??= 0;
  if (Object.keys(control).length === 0) return {};
  const unused = unusedMocks({ mocks, cliMocks }, actions);
  return { control, ...(unused.length > 0 && { unusedMocks: unused }) };
}

/** How the attack of a trial ended, which changes no verdict about the task; its figure can be compared. */
function attacked(
  { trace, fault }: Execution,
  { metrics }: Evaluation,
): Partial<Pick<TrialRecord, 'attack' | 'metrics'>> {
  const attack = attackFinding(trace, fault?.message);
  if (!attack) return {};
  const figure = { succeeded: 1, resisted: 0, blocked: null, 'not-reached': null, unknown: null }[attack.outcome];
  return { attack, metrics: { ...metrics, 'attack-success': figure } };
}

/** Calls that faults broke, by tool, kind and text of the fault. */
function brokenCallsIn(trace: Trace): Pick<TrialRecord, 'brokenCalls'> {
  const found = new Map<string, BrokenCalls>();
  for (const { border, server, tool, fault, message } of eventsOf(trace, 'tool-control')) {
    if (fault === undefined) continue;
    const key = JSON.stringify([border, server, tool, fault, message]);
    const named = { border, ...(server !== undefined && { server }), tool, ...(message !== undefined && { message }) };
    found.set(key, { ...named, fault, calls: (found.get(key)?.calls ?? 0) + 1 });
  }
  return found.size > 0 ? { brokenCalls: [...found.values()] } : {};
}

function toolPinsIn(trace: Trace): TrialRecord['toolPins'] {
  const server = eventsOf(trace, 'mcp-server').find(({ offeredTo }) => offeredTo !== 'user');
  return server ? Object.fromEntries(server.tools.map(({ name, sha256 }) => [name, sha256])) : null;
}

/** Spending on the target, the persona, simulated tools and the judge; a cached trial cost nothing, nor did one without a model. */
function spent(
  { trace, cachedFrom }: Execution,
  judge: JudgeSpending | undefined,
  coverage: RecordedCoverage | undefined,
): Pick<TrialRecord, 'costUsd' | 'costs' | 'usage' | 'targetUsage' | 'judgeUsage'> {
  const isFree = cachedFrom !== undefined || !mayCost(trace);
  const inTrace = isFree ? { targetUsd: 0, personaUsd: 0 } : costsInTrace(trace);
  const costs = { ...inTrace, judgeUsd: judge ? judge.costUsd : 0 };
  const requests = isFree ? [] : countedUsage(trace);
  // The sum of a part would look like that of the whole, and smaller.
  const isTargetKnown = isFree || coverage?.usage?.state !== 'partial';
  const isServingKnown = isFree || !eventsOf(trace, 'gap').some(({ purpose }) => purpose !== undefined);
  const usage = sumOfUsage(judge ? [...requests, judge.usage] : requests) ?? null;
  const targetUsage = sumOfUsage(requests.filter(({ purpose }) => purpose === undefined)) ?? null;
  return {
    costUsd: wholeTrialCost(costs),
    costs,
    usage: isTargetKnown && isServingKnown ? usage : null,
    targetUsage: isTargetKnown ? targetUsage : null,
    ...(judge && { judgeUsage: judge.usage }),
  };
}
