import { describeView } from '../../domain/agent-view.ts';
import { describeAttack, describeSent } from '../../domain/attacks/describe-attack.ts';
import { describeGap } from '../../domain/coverage-text.ts';
import { describeInstructions } from '../../domain/instructions.ts';
import { describeServerUsage, toolCountText } from '../../domain/mcp/server-usage-text.ts';
import { describeEnd } from '../../domain/process-end.ts';
import { describeTerminal } from '../../domain/terminal-text.ts';
import { describeControl, describeTape } from '../../domain/tool-control/describe-control.ts';
import type { TraceEvent, TraceEventOf } from '../../domain/trace.ts';
import { tokensText } from '../../domain/usage.ts';
import { formatDuration } from '../../shared/format.ts';
import { printable } from '../../shared/text.ts';

type EventTexts = { readonly [Type in TraceEvent['type']]: (event: TraceEventOf<Type>) => string };

const longestValue = 2_000;

const texts: EventTexts = {
  message: ({ role, text }) => `${role}: ${printable(text)}`,
  reasoning: ({ text }) => `thinks: ${printable(text)}`,
  'tool-call': ({ tool, input, shellCommand, kind, isRefused, actor }) =>
    `${actor === undefined ? '' : `${printable(actor)}: `}${shellCommand === undefined ? `${kind === undefined || kind === 'other' ? 'call' : kind} ${tool} ${preview(input)}` : `${tool} $ ${printable(shellCommand)}`}${isRefused ? '  (refused)' : ''}`,
  'tool-result': ({ result, error, exitCode }) => `${resultText(result, error)}${exitText(exitCode)}`,
  output: ({ channel, text }) => `${channel}: ${printable(text.trimEnd())}`,
  command: (event) =>
    `$ ${printable(event.argv.join(' '))}  ${describeEnd(event)} in ${formatDuration(event.durationMs)}`,
  script: (event) =>
    `${event.phase} $ ${printable(event.command)}  ${event.timedOut ? 'timed out' : describeEnd(event)}`,
  usage: (event) => `${tokensText(event)}${event.costUsd === undefined ? '' : `, $${event.costUsd.toFixed(4)}`}`,
  'model-call': ({ number, model, sentAs, status, error, durationMs }) =>
    `model call ${number} to ${printable(model)}${sentAs === undefined ? '' : `, sent as ${printable(sentAs)}`}  ${error ? printable(error.message) : `HTTP ${status}`} in ${formatDuration(durationMs)}`,
  'agent-started': ({ agent, version, model, isolation, isScripted, terminal }) =>
    `${agent}${version ? ` ${version}` : ''} starts${model ? ` with ${model}` : ''}, isolation ${isolation}${isScripted ? ', scripted' : ''}${describeTerminal(terminal)}`,
  view: (event) => `view: ${printable(describeView(event))}`,
  'agent-ended': (event) =>
    `agent ends: ${event.completed ? 'completed' : 'not completed'}, ${event.timedOut ? 'timed out' : describeEnd(event)}${event.reason ? `: ${printable(event.reason)}` : ''}`,
  workspace: ({ folder }) => `work directory in ${folder}`,
  'file-change': ({ change, path, bytes }) => `${change} ${printable(path)}${bytes === null ? '' : `, ${bytes} bytes`}`,
  turn: ({ number, latencyMs }) =>
    `turn ${number} answered${latencyMs === undefined ? '' : ` in ${formatDuration(latencyMs)}`}`,
  'simulated-user': ({ name, model }) => `simulated user ${printable(name)}, played by ${printable(model)}`,
  'user-call': ({ tool, input, result, error }) =>
    `the user calls ${tool} ${preview(input)} → ${resultText(result, error)}`,
  'conversation-ended': ({ why, reason }) => `conversation ended, ${why}: ${printable(reason)}`,
  'mcp-server': (event) =>
    `MCP server ${printable(event.name)} ${printable(event.version)} over ${event.transport}, protocol ${printable(event.protocolVersion)}, ${toolCountText(event)}`,
  'mcp-exchange': ({ direction, method, params, result, error }) =>
    `${direction === 'to-server' ? 'request' : 'server request'} ${printable(method)} ${preview(params)} → ${resultText(result, error)}`,
  'surface-call': ({ tool, input, output }) => `${printable(tool)} ${preview(input)} → ${preview(output)}`,
  'secret-seen': (event) => printable(describeSent(event)),
  'request-watch': (event) => printable(describeSent(event)),
  attack: (event) => printable(describeAttack(event)),
  'tool-control': (event) => printable(describeControl(event)),
  'tool-tape': (event) => printable(describeTape(event)),
  'mcp-notification': ({ direction, method, params }) =>
    `${direction === 'to-server' ? 'notification' : 'server notification'} ${printable(method)} ${preview(params)}`,
  'mcp-test': ({ index, name, attempts, totalMs, fault }) =>
    `test ${index + 1} of ${printable(name)}: ${attempts} ${attempts === 1 ? 'attempt' : 'attempts'} in ${formatDuration(totalMs)}${fault ? `, ${printable(fault.message)}` : ''}`,
  'server-performance': (event) => `server: ${printable(describeServerUsage(event))}`,
  instructions: (event) => `instructions: ${printable(describeInstructions(event))}`,
  reports: ({ what }) => `the file reports ${what.join(', ')}`,
  gap: (event) => `not observed: ${printable(describeGap(event))}`,
  notice: ({ message }) => `notice: ${printable(message)}`,
  other: ({ kind, data }) => `${kind} ${preview(data)}`,
};

/** One event in one line, for a person. */
export function eventText<Type extends TraceEvent['type']>(event: TraceEventOf<Type>): string {
  return (texts[event.type as Type] as (event: TraceEventOf<Type>) => string)(event);
}

function exitText(exitCode: number | null | undefined): string {
  return exitCode === undefined || exitCode === null ? '' : `  exit ${exitCode}`;
}

function resultText(result: unknown, error: unknown): string {
  return error === undefined ? `result ${preview(result)}` : `error ${preview(error)}`;
}

function preview(value: unknown): string {
  const text = JSON.stringify(value) ?? 'undefined';
  if (text.length <= longestValue) return printable(text);
  return `${printable(text.slice(0, longestValue))}… (${text.length} characters; --json shows all)`;
}
