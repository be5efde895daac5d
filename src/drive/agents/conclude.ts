import { AssayError } from '../../domain/errors.ts';
import type { AgentExit, AgentReport } from './agent.ts';
import type { AgentTrace } from './agent-trace.ts';
import { classifyProviderError } from './classify-provider-error.ts';

/** The last error that an agent reported and did not recover from. */
export interface ReportedError {
  readonly message: string;
  /** HTTP status of the provider's answer, where the agent reports it. */
  readonly status?: number | undefined;
  /** The agent reports it as a failure of its provider, in whatever words. */
  readonly isProviders?: boolean | undefined;
}

interface AgentEnd {
  readonly exit: AgentExit;
  readonly reportedError?: ReportedError | undefined;
  /** Whether it said anything or called a tool. */
  readonly sawWork: boolean;
  readonly stderrTail?: string | undefined;
  readonly turns?: number | undefined;
}

const longestReason = 600;

/** Exit codes by which a shell in between reports that a signal killed the program. */
const crashCodes: ReadonlyMap<number, string> = new Map([
  [132, 'SIGILL'],
  [134, 'SIGABRT'],
  [135, 'SIGBUS'],
  [136, 'SIGFPE'],
  [137, 'SIGKILL'],
  [139, 'SIGSEGV'],
]);

/**
 * Combines the agent's own report of its end with how its process ended. An agent whose model could not be reached, at
 * its first call or a later one, has a fault and cannot be judged; one that worked and did not finish for another
 * reason has none, and is judged by its work so far.
 */
export function concludeAgent(end: AgentEnd): AgentReport {
  const { exit, reportedError, sawWork } = end;
  const outage = reportedError && providerFault(reportedError);
  // An agent that retried against a dead provider until its time was up had no chance to finish, however it began.
  if (exit.timedOut) return ended(end, 'stopped at the time limit', outage);
  if (outage) return ended(end, short(reportedError.message), outage);
  const crash = exit.signal ?? crashCodes.get(exit.exitCode ?? 0);
  if (crash) return ended(end, `ended by ${crash}`, crashed(crash, end));
  const reason = reportedError ? short(reportedError.message) : exit.exitCode === 0 ? null : lastWords(end);
  if (reason === null || sawWork) return ended(end, reason, undefined);
  return ended(end, reason, providerFault({ message: end.stderrTail ?? '' }) ?? failed(reason, end));
}

function ended({ exit, turns }: AgentEnd, reason: string | null, fault: AssayError | undefined): AgentReport {
  return { exit, completed: reason === null, reason, fault, ...(turns === undefined ? {} : { turns }) };
}

function providerFault({ message, ...source }: ReportedError): AssayError | undefined {
  const code = classifyProviderError(message, source);
  return code && new AssayError(code, `The agent's model could not be used: ${short(message)}`);
}

function crashed(signal: string, { stderrTail }: AgentEnd): AssayError {
  return new AssayError(
    'AGENT_CRASHED',
    `The agent was ended by ${signal}${stderrTail ? `: ${short(stderrTail)}` : ''}`,
  );
}

function failed(reason: string, { exit, reportedError, stderrTail }: AgentEnd): AssayError {
  const printed = reportedError && stderrTail ? `; it printed: ${short(stderrTail)}` : '';
  const how = exit.exitCode === 0 ? 'ended' : `ended with exit code ${exit.exitCode}`;
  return new AssayError('AGENT_FAILED', `The agent ${how} before it did anything: ${reason}${printed}`);
}

function lastWords({ exit, stderrTail }: AgentEnd): string {
  const code = `exit code ${exit.exitCode}`;
  return stderrTail ? `${code}: ${short(stderrTail)}` : code;
}

/** The end of a long text, where programs say what went wrong. */
function short(text: string): string {
  const trimmed = text.trim();
  return trimmed.length > longestReason ? `… ${trimmed.slice(-longestReason)}` : trimmed;
}

/**
 * The report of an agent in a terminal, where errors are printed among everything else. The last lines of one that failed
 * say why, and a failure of its provider is not one of the agent.
 */
export function withTerminalTail(report: AgentReport, tail: string): AgentReport {
  const { exit, fault, reason } = report;
  if (tail === '' || fault || exit.timedOut || exit.exitCode === 0 || exit.exitCode === null) return report;
  return {
    ...report,
    reason: `${reason ?? `exit code ${exit.exitCode}`}: ${short(tail)}`,
    fault: providerFault({ message: tail }),
  };
}

interface StreamEnd {
  readonly exit: AgentExit;
  readonly reportedError: ReportedError | undefined;
  readonly stderrTail: string;
}

/** Concludes for an agent whose stream has no closing line: one that exits with 0 but reported nothing did not work. */
export function concludeFromTrace(trace: AgentTrace, { exit, reportedError, stderrTail }: StreamEnd): AgentReport {
  const { sawWork, turnsBegun } = trace;
  const silence =
    exit.exitCode === 0 && !sawWork && turnsBegun === 0
      ? { message: 'it ended without a message or a tool call' }
      : undefined;
  const turns = turnsBegun === 0 ? undefined : turnsBegun;
  return concludeAgent({ exit, reportedError: reportedError ?? silence, sawWork, stderrTail, turns });
}
