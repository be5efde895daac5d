import { hasFailed } from '../../../domain/process-end.ts';
import type { Trace, TraceEvent, TraceEventOf } from '../../../domain/trace.ts';
import { asksForHelp, normalisedLine, programName } from '../../../score/interaction/command-line.ts';
import { findInvocations } from '../../../score/interaction/shell/shell-commands.ts';
import { canonicalJson } from '../../../shared/json.ts';
import { firstLine, printable, shorten } from '../../../shared/text.ts';
import { OwnValues } from './own-values.ts';

export type StepKind = 'command' | 'call' | 'message' | 'file' | 'turn' | 'exchange' | 'test' | 'script' | 'end';

/** How a step went; `help` requests usage from a tool, `unknown` is a step whose end was not recorded. */
type StepState = 'ok' | 'failed' | 'help' | 'unknown';

/** One thing that was done in a trial, in a form that can be compared with what was done in another. */
export interface Step {
  readonly kind: StepKind;
  /** The tool, program or speaker: steps of different ones are never two forms of the same step. */
  readonly subject: string;
  /** Equal for steps that differ only in values of their trials: its folder, and ids that its tools made. */
  readonly key: string;
  /** For people, on one line. */
  readonly label: string;
  readonly state: StepState;
  /** Why it failed; empty where it did not, or where no reason was recorded. */
  readonly detail: string;
  /** Position of its event in the trace, from 0. */
  readonly eventIndex: number;
}

/** The kinds of steps that do something; the others say or show something. */
const deedKinds: ReadonlySet<StepKind> = new Set(['command', 'call', 'exchange', 'test', 'script']);

/** The first thing that was done and failed. */
export function firstFailedStep(steps: readonly Step[]): Step | undefined {
  return steps.find(({ kind, state }) => state === 'failed' && deedKinds.has(kind));
}

/** The answers to tool calls, by the ids of the calls. */
type Answers = ReadonlyMap<string, TraceEventOf<'tool-result'>>;

const longestLabel = 300;
const longestDetail = 200;

interface StepDraft {
  readonly kind: StepKind;
  readonly subject: string;
  /** Distinguishes it from other steps of its kind and subject. */
  readonly text: string;
  readonly label: string;
  readonly state?: StepState;
  readonly detail?: string;
}

/** Undefined for an event that is not a step by itself, such as the result of a call. */
function stepOfEvent(event: TraceEvent, eventIndex: number, answers: Answers, own: OwnValues): Step | undefined {
  const draft = draftStep(event, answers);
  if (!draft) return undefined;
  const { kind, subject, text, label, state = 'ok', detail = '' } = draft;
  return {
    kind,
    subject,
    key: `${kind} ${subject} ${own.keyOf(text)}`,
    label: shortLine(label, longestLabel),
    state,
    detail: shortLine(detail, longestDetail),
    eventIndex,
  };
}

function draftStep(event: TraceEvent, answers: Answers): StepDraft | undefined {
  switch (event.type) {
    case 'command':
      return event.isNested ? undefined : commandStep(event);
    case 'tool-call':
      return callStep(event, answers.get(event.callId));
    case 'message':
      return event.text.trim() === '' ? undefined : messageStep(event);
    case 'file-change':
      return fileStep(event);
    case 'turn':
      return { kind: 'turn', subject: 'turn', text: `${event.number}`, label: `turn ${event.number}` };
    case 'mcp-exchange':
      return exchangeStep(event);
    case 'mcp-test':
      return testStep(event);
    case 'script':
      return scriptStep(event);
    case 'agent-ended':
      return endStep(event);
    default:
      return undefined;
  }
}

function commandStep(event: TraceEventOf<'command'>): StepDraft {
  const { argv, exitCode, signal, stderr, stdout } = event;
  const line = normalisedLine(argv);
  const state = asksForHelp(argv.slice(1)) ? 'help' : hasFailed(event) ? 'failed' : 'ok';
  const output = state === 'failed' ? firstDetail(stderr?.text) || firstDetail(stdout?.text) : '';
  const detail = state === 'failed' ? joined(exitWords(exitCode, signal), output) : '';
  return { kind: 'command', subject: programName(argv[0] ?? ''), text: line, label: `$ ${line}`, state, detail };
}

function callStep(
  { tool, server, input, shellCommand, kind, isUnlistedTool, actor }: TraceEventOf<'tool-call'>,
  answer: TraceEventOf<'tool-result'> | undefined,
): StepDraft {
  const name = server === undefined ? tool : `${server}/${tool}`;
  // Agents have different names for tools of one kind; tools of servers and of no kind are only themselves.
  const isOfKind = server === undefined && kind !== undefined && kind !== 'mcp' && kind !== 'other' && !isUnlistedTool;
  const subject = `${actor === undefined ? '' : `${actor}: `}${isOfKind ? kind : name}`;
  const outcome = callOutcome(answer);
  if (shellCommand !== undefined) {
    const asksHelp = /(?:^|\s)--help(?:\s|$)/.test(shellCommand);
    const state = asksHelp ? 'help' : outcome.state;
    const detail = asksHelp ? '' : outcome.detail;
    return { kind: 'call', subject, text: shellCommand, label: `$ ${shellCommand}`, state, detail };
  }
  const given = input === undefined ? '' : canonicalJson(input);
  return { kind: 'call', subject, text: given, label: `${name} ${given}`, ...outcome };
}

function callOutcome(answer: TraceEventOf<'tool-result'> | undefined): { state: StepState; detail: string } {
  if (!answer) return { state: 'unknown', detail: '' };
  const { error, exitCode } = answer;
  if (error) return { state: 'failed', detail: error.message };
  if (exitCode === null) return { state: 'unknown', detail: '' };
  if (exitCode !== undefined && exitCode !== 0) return { state: 'failed', detail: exitWords(exitCode, null) };
  return { state: 'ok', detail: '' };
}

function messageStep({ role, text }: TraceEventOf<'message'>): StepDraft {
  return { kind: 'message', subject: role, text, label: `${role}: ${text}` };
}

function fileStep({ change, path }: TraceEventOf<'file-change'>): StepDraft {
  const text = `${change} ${path}`;
  return { kind: 'file', subject: 'file', text, label: text };
}

function exchangeStep({ method, params, error }: TraceEventOf<'mcp-exchange'>): StepDraft {
  const given = params === undefined ? '' : canonicalJson(params);
  const outcome = error ? ({ state: 'failed', detail: error.message } as const) : {};
  return { kind: 'exchange', subject: method, text: given, label: `${method} ${given}`, ...outcome };
}

function testStep({ name, index, fault, timedOut }: TraceEventOf<'mcp-test'>): StepDraft {
  const outcome = fault || timedOut ? ({ state: 'failed', detail: fault?.message ?? 'it took too long' } as const) : {};
  return { kind: 'test', subject: name, text: `${index}`, label: `test of ${name}`, ...outcome };
}

function scriptStep({ phase, command, exitCode, signal, timedOut, stderr }: TraceEventOf<'script'>): StepDraft {
  const hasFailed = timedOut || exitCode !== 0;
  const why = timedOut ? 'it took too long' : joined(exitWords(exitCode, signal), firstDetail(stderr?.text));
  const outcome = hasFailed ? ({ state: 'failed', detail: why } as const) : {};
  return { kind: 'script', subject: phase, text: command, label: `${phase} $ ${command}`, ...outcome };
}

/** Every agent ends once, so the ends of two trials are the same step however they went. */
function endStep({ completed, timedOut, exitCode, signal, reason }: TraceEventOf<'agent-ended'>): StepDraft {
  if (completed) return { kind: 'end', subject: 'agent', text: '', label: 'the agent completed' };
  const detail = reason ?? (timedOut ? 'it took too long' : exitWords(exitCode, signal));
  return { kind: 'end', subject: 'agent', text: '', label: 'the agent did not complete', state: 'failed', detail };
}

function exitWords(exitCode: number | null, signal: string | null): string {
  if (signal !== null) return `ended by ${signal}`;
  return exitCode === null ? 'no exit code' : `exit ${exitCode}`;
}

function firstDetail(text = ''): string {
  return firstLine(text.slice(0, 10 * longestDetail));
}

function joined(...parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join(': ');
}

function shortLine(text: string, longest: number): string {
  return shorten(printable(text.slice(0, 2 * longest)).trim(), longest);
}

/**
 * The steps of a trial in the order of its trace. A shell command that gave the tool under test a command which the
 * recorder saw as well counts once, as the recorder saw it. `shared`: ids that were not made in this trial.
 */
export function stepsOf(trace: Trace, shared: ReadonlySet<string> = new Set()): Step[] {
  const answers = new Map<string, TraceEventOf<'tool-result'>>();
  for (const event of trace) if (event.type === 'tool-result') answers.set(event.callId, event);
  const isRecordedTwice = recordedTwice(trace);
  const own = new OwnValues(trace, shared);
  return trace.flatMap((event, index) => {
    const step = isRecordedTwice(event) ? undefined : stepOfEvent(event, index, answers, own);
    own.learn(event);
    return step ? [step] : [];
  });
}

function recordedTwice(trace: Trace): (event: TraceEvent) => boolean {
  const lines = new Set<string>();
  for (const event of trace) if (event.type === 'command' && !event.isNested) lines.add(normalisedLine(event.argv));
  const tool = trace.find((event) => event.type === 'workspace')?.tool;
  if (tool === undefined || lines.size === 0) return () => false;
  const binaries = [tool.binary, ...(tool.binaries ?? [])];
  const fate = { exit: undefined, isCertain: false };
  return (event) => {
    const command = event.type === 'tool-call' ? event.shellCommand : undefined;
    if (command === undefined) return false;
    return binaries.some((binary) => findInvocations(command, binary, fate).some(({ line }) => lines.has(line)));
  };
}
