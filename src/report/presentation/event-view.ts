import { describeView } from '../../domain/agent-view-text.ts';
import { describeApproval } from '../../domain/approval-event.ts';
import { describeAttack, describeSent } from '../../domain/attack-outcome/describe-attack.ts';
import { describePage } from '../../domain/browser.ts';
import { controlText, describeTape } from '../../domain/control-of-trial.ts';
import { describeGap } from '../../domain/coverage-text.ts';
import { describeHarness } from '../../domain/harness-text.ts';
import { describeInstructions } from '../../domain/instructions.ts';
import { describeServerUsage, toolCountText } from '../../domain/mcp/server-usage-text.ts';
import { describeEnd, hasFailed } from '../../domain/process-end.ts';
import { describeDifference } from '../../domain/state-change.ts';
import { describeTerminal } from '../../domain/terminal-text.ts';
import type { TraceEvent, TraceEventOf } from '../../domain/trace.ts';
import { tokensText } from '../../domain/usage.ts';
import { costText, counted, formatDuration, grouped } from '../../shared/format.ts';
import { printable, shorten } from '../../shared/text.ts';
import { plainOutput, valueText } from './trial-text.ts';

interface Printed {
  readonly text: string;
  readonly truncatedBytes: number;
}

/** Output of a process, where it printed anything. */
function printedBlocks(event: { readonly stdout: Printed | null; readonly stderr: Printed | null }): EventBlock[] {
  return (['stdout', 'stderr'] as const).flatMap((channel) => {
    const printed = event[channel];
    if (!printed || (printed.text === '' && printed.truncatedBytes === 0)) return [];
    const cut = printed.truncatedBytes > 0 ? `, ${grouped(printed.truncatedBytes)} bytes were not kept` : '';
    return [{ label: `${channel}${cut}`, text: printed.text }];
  });
}

/** The files that were sent with a message stand below its text, where they move no quote of it. */
function textWithAttachments({ text, attachments = [] }: TraceEventOf<'message'>): string {
  if (attachments.length === 0) return text;
  const lines = attachments.map(({ path, mediaType, bytes }) => `${path} (${mediaType}, ${grouped(bytes)} bytes)`);
  return `${text}\n\nAttached: ${lines.join(', ')}`;
}

/** A part of an event that is read when it is opened. */
export interface EventBlock {
  readonly label: string;
  readonly text: string;
  readonly isDiff?: boolean;
}

/** One event for a person: a label, a line, whether it is bad news, and what stands behind it. */
export interface EventView {
  readonly label: string;
  readonly line: string;
  readonly isProblem: boolean;
  readonly durationMs: number | undefined;
  readonly blocks: readonly EventBlock[];
  /** Speech is readable at once, without opening anything. */
  readonly isSpeech?: boolean;
}

type EventParts = Partial<EventView> & Pick<EventView, 'label' | 'line'>;
type EventViews = { readonly [Type in TraceEvent['type']]: (event: TraceEventOf<Type>) => EventParts };

const longestLine = 300;

const eventViews: EventViews = {
  message: (event) => ({
    label: event.role,
    line: event.text,
    isSpeech: true,
    blocks: [{ label: '', text: textWithAttachments(event) }],
  }),
  reasoning: ({ text }) => ({ label: 'thinks', line: text, blocks: [{ label: '', text }] }),
  'tool-call': ({ tool, server, input, shellCommand, kind, isRefused, actor }) => ({
    label: kind === undefined || kind === 'other' ? 'call' : kind,
    line: `${present(actor, ': ')}${present(server, ' › ')}${tool} ${shellCommand ?? jsonText(input)}${isRefused ? '  (refused)' : ''}`,
    blocks: [...textBlock('command', shellCommand), { label: 'input', text: valueText(input) }],
  }),
  'tool-result': ({ result, error, exitCode, durationMs }) => ({
    label: 'result',
    line: `${exitCode === undefined || exitCode === null ? '' : `exit ${exitCode}  `}${error?.message ?? jsonText(result)}`,
    isProblem: error !== undefined || (exitCode ?? 0) !== 0,
    durationMs,
    blocks: fieldBlocks({ error, result }),
  }),
  output: ({ channel, text, truncatedBytes }) => ({
    label: channel,
    line: text,
    blocks: [{ label: truncatedBytes > 0 ? `${grouped(truncatedBytes)} bytes were not kept` : '', text }],
  }),
  command: (event) => ({
    label: 'command',
    line: `${event.argv.join(' ')}  ${describeEnd(event)}`,
    isProblem: hasFailed(event),
    durationMs: event.durationMs,
    blocks: [
      { label: 'arguments', text: JSON.stringify(event.argv) },
      { label: 'folder', text: event.cwd },
      ...printedBlocks(event),
    ],
  }),
  script: (event) => ({
    label: event.phase,
    line: `${event.command}  ${event.timedOut ? 'timed out' : describeEnd(event)}`,
    isProblem: event.timedOut || event.exitCode !== 0,
    durationMs: event.durationMs,
    blocks: [{ label: 'command', text: event.command }, ...printedBlocks(event)],
  }),
  usage: ({ model, costUsd, ...others }) => ({
    label: 'tokens',
    line: `${tokensText(others)}${costUsd === undefined ? '' : `, ${costText(costUsd)}`}${present(model, '', ', ')}`,
    blocks: fieldBlocks(others),
  }),
  'model-call': ({ number, model, sentAs, status, error, durationMs, stopReason, tools, files, ...others }) => ({
    label: 'model',
    line: `call ${number} to ${model}${present(sentAs, '', ', sent as ')}  ${error?.message ?? `HTTP ${status}`}${present(stopReason, '', ', ')}${others.isTaped ? ', from the tape' : ''}`,
    isProblem: error !== undefined,
    durationMs,
    blocks: [
      ...textBlock('tools offered', tools.length === 0 ? undefined : tools.join('\n')),
      ...fieldBlocks({ ...others, files }),
    ],
  }),
  'agent-started': ({ agent, version, model, isolation, isScripted, terminal }) => ({
    label: 'agent',
    line: `${agent}${version ? ` ${version}` : ''} starts${model ? ` with ${model}` : ''}, isolation ${isolation}${isScripted ? ', follows a script' : ''}${describeTerminal(terminal)}`,
  }),
  view: (event) => ({ label: 'view', line: describeView(event), blocks: fieldBlocks(event) }),
  'agent-ended': (event) => ({
    label: 'agent',
    line: `ends ${event.completed ? 'completed' : 'without completing'}, ${event.timedOut ? 'timed out' : describeEnd(event)}${event.reason ? `: ${event.reason}` : ''}`,
    isProblem: !event.completed,
  }),
  workspace: ({ folder, tool }) => ({
    label: 'folder',
    line: `${folder}${present(tool?.binary, '', ', tool ')}`,
  }),
  'file-change': ({ path, change, bytes, diff }) => ({
    label: 'file',
    line: `${change} ${path}${bytes === null ? '' : `, ${grouped(bytes)} bytes`}`,
    blocks: diff === null ? [] : [{ label: '', text: diff, isDiff: true }],
  }),
  'page-state': (event) => ({
    label: 'page',
    line: describePage(event),
    blocks: fieldBlocks({
      title: event.title,
      text: event.text,
      elements: event.elements,
      cookies: event.cookies,
      localStorage: event.localStorage,
      screenshot: event.screenshot,
    }),
  }),
  'state-change': (event) => ({
    label: 'state',
    line: `${event.state}: ${describeDifference(event)}`,
    blocks: fieldBlocks({ added: event.added, removed: event.removed, changed: event.changed }),
  }),
  turn: ({ number, messages, latencyMs, timeToFirstTokenMs, usage, costUsd }) => ({
    label: 'turn',
    line: `answer ${number}${usage ? `, ${tokensText(usage)}` : ''}${costUsd === undefined ? '' : `, ${costText(costUsd)}`}`,
    durationMs: latencyMs,
    blocks: [
      ...(timeToFirstTokenMs === undefined ? [] : [{ label: 'first token', text: `${timeToFirstTokenMs} ms` }]),
      { label: 'messages', text: valueText(messages) },
    ],
  }),
  'approval-policy': ({ name, rules }) => ({
    label: 'policy',
    line: `${name === null ? 'approvals' : `approvals ${name}`}: ${rules.length === 1 ? '1 rule' : `${rules.length} rules`}`,
    blocks: textBlock('rules', rules.join('\n')),
  }),
  harness: (event) => ({
    label: 'harness',
    line: describeHarness(event),
    isProblem: Object.values(event.parts).includes(null),
  }),
  approval: (event) => ({
    label: 'approval',
    line: describeApproval(event),
    isProblem: event.answer === 'none',
    durationMs: event.durationMs,
    blocks: fieldBlocks({ request: event.request, content: event.content, reason: event.reason, model: event.model }),
  }),
  'simulated-user': ({ name, model, promptVersion, brief, tools }) => ({
    label: 'user',
    line: `${name} is played by ${model}`,
    blocks: fieldBlocks({ ...brief, tools: tools.length === 0 ? undefined : tools, promptVersion }),
  }),
  'user-call': ({ tool, server, input, result, error, durationMs }) =>
    answered(
      'user call',
      `${present(server, ' › ')}${tool} ${jsonText(input)}  ${error?.message ?? jsonText(result)}`,
      durationMs,
      { input, result, error },
    ),
  'conversation-ended': ({ why, reason }) => ({ label: 'end', line: `${why}: ${reason}` }),
  'mcp-server': (event) => ({
    label: 'server',
    line: `${event.label}: ${event.name} ${event.version} over ${event.transport}, protocol ${event.protocolVersion}, ${toolCountText(event)}`,
    blocks: [{ label: 'tools', text: event.tools.map((tool) => `${tool.name}  sha256 ${tool.sha256}`).join('\n') }],
  }),
  'mcp-exchange': ({ direction, method, params, result, error, durationMs }) =>
    answered(
      direction === 'to-server' ? 'request' : 'server request',
      `${method} ${jsonText(params)}${present(error?.message, '', ' → ')}`,
      durationMs,
      {
        params,
        result,
        error,
      },
    ),
  'surface-call': ({ tool, input, output, error, durationMs }) =>
    answered('tool surface', `${tool} ${jsonText(input)}`, durationMs, { input, output, error }),
  'secret-seen': (event) => ({ label: 'attack', line: describeSent(event), isProblem: true }),
  'request-watch': (event) => ({ label: 'attack', line: describeSent(event) }),
  attack: (event) => ({ label: 'attack', line: describeAttack(event), blocks: fieldBlocks({ planted: event.text }) }),
  'tool-control': (event) => ({
    label: event.kind,
    line: controlText(event),
    isProblem: event.failure !== undefined,
    blocks: fieldBlocks({ 'played by': event.simulation?.model, 'state after it': event.simulation?.state }),
  }),
  'tool-tape': (event) => ({ label: 'replay', line: describeTape(event) }),
  'mcp-notification': ({ direction, method, params }) => ({
    label: direction === 'to-server' ? 'notification' : 'server notification',
    line: `${method} ${jsonText(params)}`,
    blocks: fieldBlocks({ params }),
  }),
  'mcp-test': ({ index, name, attempts, totalMs, timedOut, observed, fault }) => ({
    label: 'test',
    line: `${index + 1}: ${name}, ${counted(attempts, 'attempt')}${timedOut ? ', timed out' : ''}${fault ? `: ${fault.message}` : ''}`,
    isProblem: timedOut || fault !== null,
    durationMs: totalMs,
    blocks: fieldBlocks({ observed, fault: fault ?? undefined }),
  }),
  'server-performance': (event) => ({
    label: 'performance',
    line: describeServerUsage(event),
    isProblem: event.fault !== null,
    durationMs: event.durationMs,
    blocks: fieldBlocks({
      repeated: event.repeated.map(({ tool, latenciesMs, failed }) => ({ tool, calls: latenciesMs.length, failed })),
      fault: event.fault ?? undefined,
    }),
  }),
  instructions: (event) => ({
    label: 'instructions',
    line: describeInstructions(event),
    isProblem: event.arrived === 'no' || event.foreign.length > 0,
    blocks: fieldBlocks({ files: event.files, foreign: event.foreign }),
  }),
  reports: ({ what }) => ({ label: 'reports', line: what.join(', ') }),
  gap: (event) => ({ label: 'not observed', line: describeGap(event), isProblem: true }),
  notice: ({ message }) => ({ label: 'notice', line: message }),
  other: ({ kind, data }) => ({ label: 'other', line: `${kind} ${jsonText(data)}`, blocks: fieldBlocks({ data }) }),
};

/** An event for people; one of a kind that this version does not know is shown as it is. */
export function eventView<Type extends TraceEvent['type']>(
  event: TraceEventOf<Type>,
  longest = longestLine,
): EventView {
  const show = Object.hasOwn(eventViews, event.type) ? eventViews[event.type as Type] : undefined;
  const parts: EventParts = show?.(event as never) ?? {
    label: event.type,
    line: jsonText(event),
    blocks: fieldBlocks(event),
  };
  const line = printable(plainOutput(parts.line.slice(0, 4 * longest))).trim();
  return {
    isProblem: false,
    durationMs: undefined,
    ...parts,
    blocks: (parts.blocks ?? []).map((block) => ({ ...block, text: plainOutput(block.text) })),
    line: shorten(line, longest),
  };
}

/** Of an event that is shown in one line. */
const longestText = 2_000;

/** One event in one line: `command: git status  exit 0 in 12 ms`. */
export function eventText(event: TraceEvent): string {
  const { label, line, durationMs } = eventView(event, longestText);
  return `${label}: ${line}${durationMs === undefined ? '' : ` in ${formatDuration(durationMs)}`}`;
}

/** A question with its answer, or with the error that came instead. */
function answered(
  label: string,
  line: string,
  durationMs: number | undefined,
  fields: { readonly error: unknown; readonly [field: string]: unknown },
): EventParts {
  return { label, line, isProblem: fields.error !== undefined, durationMs, blocks: fieldBlocks(fields) };
}

/** A part of a line with what stands around it; nothing where it is absent. */
function present(text: string | undefined, after: string, before = ''): string {
  return text === undefined ? '' : before + text + after;
}

function jsonText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}

function textBlock(label: string, text: string | undefined): EventBlock[] {
  return text === undefined ? [] : [{ label, text }];
}

function fieldBlocks(fields: Readonly<Record<string, unknown>>): EventBlock[] {
  return Object.entries(fields).flatMap(([label, value]) =>
    value === undefined || label === 'at' || label === 'type' || label === 'seenBy'
      ? []
      : [{ label, text: valueText(value) }],
  );
}
