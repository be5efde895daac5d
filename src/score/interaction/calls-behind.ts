import type { Trace, TraceEventOf } from '../../domain/trace.ts';
import { canonicalJson } from '../../shared/json.ts';
import { normalisedLine, programName } from './command-line.ts';
import { findInvocations } from './shell/shell-commands.ts';

/** A call that the agent reported, and when it ended. */
interface ReportedCall {
  readonly index: number;
  readonly call: TraceEventOf<'tool-call'>;
  /** Infinity where no result was reported. */
  readonly endMs: number;
}

/** Something that the recorder saw, under the key by which reported calls are found. */
interface RecordedCall {
  readonly index: number;
  readonly key: string;
  readonly startMs: number;
  readonly endMs: number;
}

/**
 * For each command and MCP call that the recorder saw, the call of the agent that made it, by their places in the trace.
 * One is named only where nothing else is possible: as many reported calls hold exactly this command (or MCP call) as
 * were recorded, and none had ended before; or the command ran while a single shell call was open that names its program.
 */
export function callsBehind(trace: Trace): ReadonlyMap<number, number> {
  const calls = reportedCalls(trace);
  if (calls.length === 0) return new Map();
  const shellCalls = calls.filter(({ call }) => call.shellCommand !== undefined);
  const commands = recordedCommands(trace);
  const programs = [...new Set(commands.map(({ program }) => program))];
  const found = new Map([
    ...inTurn(commands, writtenCommands(shellCalls, programs)),
    ...inTurn(recordedMcpCalls(trace), reportedMcpCalls(calls)),
  ]);
  for (const command of commands) {
    const only = found.has(command.index) ? undefined : onlyOpenCall(command, shellCalls);
    if (only) found.set(command.index, only.index);
  }
  return found;
}

function reportedCalls(trace: Trace): ReportedCall[] {
  const open = new Map<string, { index: number; call: TraceEventOf<'tool-call'>; endMs: number }[]>();
  const calls: ReportedCall[] = [];
  for (const [index, event] of trace.entries()) {
    if (event.seenBy !== 'agent') continue;
    if (event.type === 'tool-call') {
      const reported = { index, call: event, endMs: Number.POSITIVE_INFINITY };
      calls.push(reported);
      open.set(event.callId, [...(open.get(event.callId) ?? []), reported]);
    }
    // Ids may be used again: a result belongs to the first open call with its id.
    const ended = event.type === 'tool-result' ? open.get(event.callId)?.shift() : undefined;
    if (ended) ended.endMs = event.at;
  }
  return calls;
}

function recordedCommands(trace: Trace): (RecordedCall & { readonly program: string })[] {
  return trace.flatMap((event, index) => {
    if (event.type !== 'command' || event.seenBy !== 'recorder') return [];
    const { argv, at, durationMs } = event;
    const times = { startMs: at - durationMs, endMs: at };
    return [{ index, key: normalisedLine(argv), program: programName(argv[0] ?? ''), ...times }];
  });
}

function recordedMcpCalls(trace: Trace): RecordedCall[] {
  return trace.flatMap((event, index) =>
    event.type === 'tool-call' && event.seenBy === 'recorder'
      ? [{ index, key: mcpKey(event), startMs: event.at, endMs: event.at }]
      : [],
  );
}

/** The reported calls by the commands that are written in them; those that the shell still expands are left out. */
function writtenCommands(
  calls: readonly ReportedCall[],
  programs: readonly string[],
): ReadonlyMap<string, readonly ReportedCall[]> {
  const unknown = { exit: undefined, isCertain: false } as const;
  return byKey(
    calls.flatMap((call) =>
      programs.flatMap((program) =>
        findInvocations(call.call.shellCommand ?? '', program, unknown)
          .filter(({ isExact }) => isExact)
          .map(({ line }) => [line, call] as const),
      ),
    ),
  );
}

function reportedMcpCalls(calls: readonly ReportedCall[]): ReadonlyMap<string, readonly ReportedCall[]> {
  return byKey(calls.filter(({ call }) => call.server !== undefined).map((call) => [mcpKey(call.call), call] as const));
}

function mcpKey({ server, tool, input }: TraceEventOf<'tool-call'>): string {
  return canonicalJson([server, tool, input ?? {}]);
}

function byKey(pairs: readonly (readonly [string, ReportedCall])[]): Map<string, ReportedCall[]> {
  const found = new Map<string, ReportedCall[]>();
  for (const [key, call] of pairs) found.set(key, [...(found.get(key) ?? []), call]);
  return found;
}

/** Pairs what was recorded with what was reported in order, where there is as much of both and no pair is impossible. */
function inTurn(
  recorded: readonly RecordedCall[],
  reported: ReadonlyMap<string, readonly ReportedCall[]>,
): [number, number][] {
  const groups = new Map<string, RecordedCall[]>();
  for (const each of recorded) groups.set(each.key, [...(groups.get(each.key) ?? []), each]);
  return [...groups].flatMap(([key, group]) => {
    const calls = reported.get(key) ?? [];
    const began = group.toSorted((a, b) => a.startMs - b.startMs || a.index - b.index);
    const isPossible =
      calls.length === group.length && began.every(({ startMs }, place) => startMs <= (calls[place]?.endMs ?? -1));
    return isPossible ? began.map(({ index }, place): [number, number] => [index, calls[place]?.index ?? -1]) : [];
  });
}

/** The only shell call that was open from the start to the end of a command, where its line names the program. */
function onlyOpenCall(
  { startMs, endMs, program }: RecordedCall & { readonly program: string },
  calls: readonly ReportedCall[],
): ReportedCall | undefined {
  const open = calls.filter((each) => each.call.at <= endMs && each.endMs >= startMs);
  const [only, ...others] = open;
  if (!only || others.length > 0 || only.call.at > startMs || only.endMs < endMs) return undefined;
  return program !== '' && only.call.shellCommand?.includes(program) ? only : undefined;
}
