import { describeView } from '../../domain/agent-view-text.ts';
import { describeApproval } from '../../domain/approval-event.ts';
import { describeAttack, describeSent } from '../../domain/attack-outcome/describe-attack.ts';
import { describePage } from '../../domain/browser.ts';
import { describeControl, describeTape } from '../../domain/control-of-trial.ts';
import { describeGap } from '../../domain/coverage-text.ts';
import { commandLine, resultText } from '../../domain/events-jsonl.ts';
import { describeHarness } from '../../domain/harness-text.ts';
import { describeInstructions } from '../../domain/instructions.ts';
import { describeServerUsage, toolCountText } from '../../domain/mcp/server-usage-text.ts';
import { describeEnd, hasFailed } from '../../domain/process-end.ts';
import { describeDifference } from '../../domain/state-change.ts';
import { describeTerminal } from '../../domain/terminal-text.ts';
import { eventsOf, type Trace, type TraceEvent, type TraceEventOf } from '../../domain/trace.ts';
import { tokensText } from '../../domain/usage.ts';
import { formatDuration, grouped } from '../../shared/format.ts';
import { oneLine } from '../../shared/text.ts';
import { shortened, shortenedLines, visibleText } from './markdown.ts';

/** Readable transcript, line by line: turns, commands with exit codes, shortened results. */
export function* humanTranscript(trace: Trace): Generator<string, void> {
  const results = new Map(eventsOf(trace, 'tool-result').map((event) => [event.callId, event]));
  const calls = new Set(eventsOf(trace, 'tool-call').map((event) => event.callId));
  let turn = 0;
  let isBetweenTurns = true;
  for (const event of trace) {
    if (event.type === 'tool-result' && calls.has(event.callId)) {
      isBetweenTurns = true;
      continue;
    }
    if (isBetweenTurns && isOfTurn(event)) yield `\n── turn ${++turn} ──`;
    if (isOfTurn(event)) isBetweenTurns = false;
    const [first, ...rest] = transcriptLines(event, results);
    if (first === undefined) continue;
    yield `[${clock(event.at)}] ${first}`;
    for (const line of rest) yield `    ${line}`;
  }
}

function isOfTurn(event: TraceEvent): boolean {
  if (event.type === 'message') return event.role === 'assistant';
  return event.type === 'reasoning' || event.type === 'tool-call';
}

/** `01:02.3`: minutes, seconds and tenths since the trial began. */
function clock(atMs: number): string {
  const tenths = Math.max(0, Math.floor(atMs / 100));
  const minutes = String(Math.floor(tenths / 600)).padStart(2, '0');
  return `${minutes}:${String(Math.floor((tenths % 600) / 10)).padStart(2, '0')}.${tenths % 10}`;
}

/** Transcript from the trace, for an agent whose own output was not kept. */
export function rawTranscript(trace: Trace): string {
  const shellCalls = new Set(eventsOf(trace, 'tool-call').flatMap((event) => (isShell(event) ? [event.callId] : [])));
  return trace.map((event) => textOf(event, shellCalls)).join('');
}

function textOf(event: TraceEvent, shellCalls: ReadonlySet<string>): string {
  if (event.type === 'message') return withLineEnd(event.text);
  if (event.type === 'output') return withLineEnd(event.text);
  if (event.type === 'tool-call') return isShell(event) ? withLineEnd(event.shellCommand) : '';
  if (event.type !== 'tool-result') return '';
  const isOfShell = shellCalls.has(event.callId) && typeof event.exitCode === 'number';
  return withLineEnd(resultText(event)) + (isOfShell ? `Exit code: ${event.exitCode}\n` : '');
}

function isShell(event: TraceEventOf<'tool-call'>): event is TraceEventOf<'tool-call'> & { shellCommand: string } {
  return event.shellCommand !== undefined;
}

function withLineEnd(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}

const mostMessageLines = 200;
const mostResultLines = 24;
const mostErrorLines = 6;
const longestInput = 300;

/** The answers by the calls they belong to. */
type Results = ReadonlyMap<string, TraceEventOf<'tool-result'>>;

/** Lines of one event: its head, then its details; none for events that a reader does not need. */
function transcriptLines(event: TraceEvent, results: Results): string[] {
  switch (event.type) {
    case 'message':
      return [`${roles[event.role]}:`, ...shortenedLines(event.text, mostMessageLines)];
    case 'reasoning':
      return ['Thinking:', ...shortenedLines(event.text, mostResultLines)];
    case 'tool-call':
      return [...callLines(event), ...answerLines(results.get(event.callId))];
    case 'tool-result':
      return ['Answer to an unknown call:', ...answerLines(event)];
    case 'output':
      return [`${event.channel}:`, ...shortenedLines(event.text, mostResultLines)];
    case 'command':
      return commandLines(event);
    case 'script':
      return scriptLines(event);
    case 'usage':
      return [usageLine(event)];
    case 'model-call':
      return [modelCallLine(event)];
    case 'agent-started':
      return [startLine(event)];
    case 'agent-ended':
      return [endLine(event)];
    case 'turn':
      return [turnLine(event)];
    case 'approval':
    case 'simulated-user':
    case 'user-call':
    case 'conversation-ended':
      return [userLine(event)];
    case 'mcp-server':
      return [`MCP server ${visibleLine(event.name)} ${visibleLine(event.version)} with ${toolCountText(event)}`];
    case 'mcp-exchange':
      return [exchangeLine(event)];
    case 'surface-call':
    case 'tool-control':
    case 'tool-tape':
    case 'mcp-notification':
      return [besideCallsLine(event)];
    case 'mcp-test':
      return [`Test of ${visibleLine(event.name)} took ${formatDuration(event.totalMs)}`];
    case 'server-performance':
      return [`Server: ${visibleLine(describeServerUsage(event))}`];
    case 'attack':
    case 'secret-seen':
    case 'request-watch':
      return [`Attack: ${visibleLine(event.type === 'attack' ? describeAttack(event) : describeSent(event))}`];
    case 'approval-policy':
    case 'reports':
    case 'workspace':
      return [];
    default:
      return [asideLine(event)];
  }
}

type Aside = TraceEventOf<
  'file-change' | 'state-change' | 'page-state' | 'view' | 'instructions' | 'harness' | 'gap' | 'notice' | 'other'
>;

function asideLine(event: Aside): string {
  if (event.type === 'page-state') return `Page: ${visibleLine(describePage(event))}`;
  if (event.type === 'file-change' || event.type === 'state-change') return changeLine(event);
  if (event.type === 'instructions') return `Instructions: ${visibleLine(describeInstructions(event))}`;
  if (event.type === 'harness') return `Harness ${visibleLine(describeHarness(event))}`;
  if (event.type === 'view') return `View: ${visibleLine(describeView(event))}`;
  if (event.type === 'gap') return `Not observed: ${visibleLine(describeGap(event))}`;
  return event.type === 'notice' ? `Note: ${visibleLine(event.message)}` : `Other event: ${visibleLine(event.kind)}`;
}

function changeLine(event: TraceEventOf<'file-change' | 'state-change'>): string {
  if (event.type === 'state-change') return `State of ${visibleLine(event.state)}: ${describeDifference(event)}`;
  const { change, path, bytes } = event;
  return `File ${change}: ${visibleLine(path)}${bytes === null ? '' : ` (${grouped(bytes)} bytes)`}`;
}

function turnLine({ number, latencyMs }: TraceEventOf<'turn'>): string {
  return latencyMs === undefined ? `Turn ${number}` : `Turn ${number} took ${Math.round(latencyMs)} ms`;
}

function besideCallsLine(
  event: TraceEventOf<'surface-call' | 'tool-control' | 'tool-tape' | 'mcp-notification'>,
): string {
  if (event.type === 'mcp-notification')
    return `${visibleLine(event.method)} ${visibleLine(JSON.stringify(event.params) ?? '')}`;
  if (event.type === 'tool-control') return visibleLine(describeControl(event));
  if (event.type === 'tool-tape') return visibleLine(describeTape(event));
  return `${visibleLine(event.tool)} ${visibleLine(JSON.stringify(event.input) ?? '')}: ${visibleLine(event.output)}`;
}

function exchangeLine({ method, error, durationMs }: TraceEventOf<'mcp-exchange'>): string {
  return `${visibleLine(method)} ${error ? 'was refused' : 'was answered'} (${formatDuration(durationMs)})`;
}

const roles = { user: 'User', assistant: 'Assistant', system: 'System' } as const;
const phases = { 'health-check': 'Health check', setup: 'Setup', post: 'Post script' } as const;

function callLines({ tool, input, shellCommand }: TraceEventOf<'tool-call'>): string[] {
  if (shellCommand === undefined) return [`${visibleLine(tool)} ${visibleLine(JSON.stringify(input) ?? '')}`.trimEnd()];
  const [first = '', ...rest] = shortenedLines(shellCommand, mostResultLines);
  return [`$ ${first}`, ...rest.map((line) => `  ${line}`)];
}

function answerLines(answer: TraceEventOf<'tool-result'> | undefined): string[] {
  if (!answer) return ['→ no answer'];
  const text = resultText(answer);
  const body = text.trim() === '' ? [] : shortenedLines(text, mostResultLines).map((line) => `| ${line}`);
  const time = answer.durationMs === undefined ? '' : ` (${formatDuration(answer.durationMs)})`;
  return [`→ ${answerWords(answer)}${time}`, ...body];
}

function answerWords({ exitCode, error }: TraceEventOf<'tool-result'>): string {
  if (typeof exitCode === 'number') return `exit ${exitCode}`;
  if (error) return 'error';
  return exitCode === null ? 'exit code unknown' : 'answered';
}

function userLine(event: TraceEventOf<'approval' | 'simulated-user' | 'user-call' | 'conversation-ended'>): string {
  if (event.type === 'approval') return `Approval: ${visibleLine(describeApproval(event))}`;
  if (event.type === 'simulated-user')
    return `Simulated user ${visibleLine(event.name)}, played by ${visibleLine(event.model)}`;
  if (event.type === 'conversation-ended') return `Conversation ended, ${event.why}: ${visibleLine(event.reason)}`;
  return `The user calls ${visibleLine(event.tool)} ${visibleLine(JSON.stringify(event.input) ?? '')}`.trimEnd();
}

function commandLines(event: TraceEventOf<'command'>): string[] {
  const nested = event.isNested ? ', called by another invocation' : '';
  const head = `Recorded: ${visibleLine(commandLine(event.argv))} → ${describeEnd(event)} (${formatDuration(event.durationMs)}${nested})`;
  return [head, ...(hasFailed(event) ? errorLines(event) : [])];
}

function scriptLines(event: TraceEventOf<'script'>): string[] {
  const words = event.timedOut ? 'timed out' : describeEnd(event);
  const time = event.durationMs === undefined ? '' : ` (${formatDuration(event.durationMs)})`;
  const head = `${phases[event.phase]}: ${visibleLine(event.command)} → ${words}${time}`;
  return [head, ...(event.exitCode === 0 ? [] : errorLines(event))];
}

/** Output of a failed command: stderr first, else stdout. */
function errorLines({ stdout, stderr }: Pick<TraceEventOf<'script'>, 'stdout' | 'stderr'>): string[] {
  const text = [stderr, stdout].map((captured) => captured?.text ?? '').find((each) => each.trim() !== '');
  return text === undefined ? [] : shortenedLines(text, mostErrorLines).map((line) => `| ${line}`);
}

function usageLine(event: TraceEventOf<'usage'>): string {
  const cost = event.costUsd === undefined ? '' : `, $${event.costUsd.toFixed(4)}`;
  return `Usage: ${tokensText(event)}${cost}`;
}

function modelCallLine({ number, model, sentAs, status, error, durationMs }: TraceEventOf<'model-call'>): string {
  const swapped = sentAs === undefined ? '' : `, sent as ${visibleLine(sentAs)}`;
  const end = error ? `failed: ${visibleLine(error.message)}` : `HTTP ${status}`;
  return `Model call ${number} to ${visibleLine(model)}${swapped} → ${end} (${formatDuration(durationMs)})`;
}

function startLine({ agent, version, model, isolation, isScripted, terminal }: TraceEventOf<'agent-started'>): string {
  const traits = [
    `model ${model ?? 'chosen by the agent'}`,
    `isolation ${isolation}`,
    ...(isScripted ? ['scripted'] : []),
  ];
  return `Agent ${visibleLine([agent, version].filter((part) => part !== null).join(' '))} starts (${visibleLine(traits.join(', '))}${describeTerminal(terminal)})`;
}

function endLine(event: TraceEventOf<'agent-ended'>): string {
  const how = event.timedOut ? 'timed out' : describeEnd(event);
  const turns = event.turns === undefined ? '' : `, ${event.turns} turns`;
  const why = event.reason === null ? '' : `: ${visibleLine(event.reason)}`;
  return `Agent ended (${how}${turns}), ${event.completed ? 'completed' : `not completed${why}`}`;
}

function visibleLine(text: string): string {
  return shortened(oneLine(visibleText(text)), longestInput);
}
