import { type ObservedCall, observedCalls } from '../../../domain/tools/tool-calls.ts';
import { eventsOf, type Trace } from '../../../domain/trace.ts';
import { type AttributeValues, jsonDocument, type SpanDraft, shortText, spanKind } from './attributes.ts';

/** One `execute_tool` span for each tool call. */
export function toolSpans(trace: Trace): SpanDraft[] {
  return observedCalls(trace).map((call) => callSpan(call, trace));
}

function callSpan(call: ObservedCall, trace: Trace): SpanDraft {
  const { tool, server, input, isAnswered, isRefused, result, error, exitCode, durationMs = 0, seenBy, turn } = call;
  const event = trace[call.eventIndex];
  const startMs = event?.at ?? 0;
  const isFailed = error !== undefined || (exitCode !== undefined && exitCode !== 0);
  return {
    name: `execute_tool ${tool}`,
    startMs,
    endMs: startMs + durationMs,
    attributes: {
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': tool,
      'gen_ai.tool.call.id': event?.type === 'tool-call' ? event.callId : undefined,
      'gen_ai.tool.type': server === undefined ? 'function' : 'extension',
      'gen_ai.tool.call.arguments': jsonDocument(input),
      'gen_ai.tool.call.result': error === undefined && isAnswered ? jsonDocument(result) : undefined,
      ...ofProcess({ 'exit.code': exitCode }),
      'assay.mcp.server': server,
      'assay.seen_by': seenBy,
      'assay.refused': isRefused,
      'assay.turn': turn,
    },
    error: isFailed ? { type: 'tool_error', message: error?.message ?? `exit code ${exitCode}` } : undefined,
  };
}

/** A span for each recorded invocation of the tool under test, and for each script of the scenario. */
export function processSpans(trace: Trace): SpanDraft[] {
  const commands = eventsOf(trace, 'command').map(
    ({ argv, cwd, at, durationMs, exitCode, signal, isNested }): SpanDraft => ({
      name: `command ${argv[0] ?? ''}`.trim(),
      ...lasting(at, durationMs),
      attributes: {
        ...ofProcess({
          'executable.name': argv[0],
          command_args: argv.map((argument) => shortText(argument, 2_000)),
          working_directory: cwd,
          'exit.code': exitCode,
        }),
        'assay.seen_by': 'recorder',
        'assay.is_nested': isNested,
      },
      error: endError(exitCode, signal, false),
    }),
  );
  const scripts = eventsOf(trace, 'script').map(
    ({ phase, command, at, durationMs = 0, exitCode, signal, timedOut }): SpanDraft => ({
      name: `script ${phase}`,
      ...lasting(at, durationMs),
      attributes: ofProcess({ command_line: command, 'exit.code': exitCode }),
      error: endError(exitCode, signal, timedOut),
    }),
  );
  return [...commands, ...scripts];
}

/** The attributes that the conventions have for processes. */
function ofProcess(values: AttributeValues): AttributeValues {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [`process.${name}`, value]));
}

/** An event with a duration is recorded when it ends. */
function lasting(endMs: number, durationMs: number): Pick<SpanDraft, 'startMs' | 'endMs'> {
  return { startMs: Math.max(0, endMs - durationMs), endMs };
}

function endError(exitCode: number | null, signal: string | null, timedOut: boolean): SpanDraft['error'] {
  if (timedOut) return { type: 'timeout', message: 'timed out' };
  if (signal !== null) return { type: signal, message: `ended by ${signal}` };
  return exitCode === null || exitCode === 0 ? undefined : { type: 'exit_code', message: `exit code ${exitCode}` };
}

/** A span for each request other than a tool call to or from an MCP server, and for each test of a suite. */
export function serverSpans(trace: Trace): SpanDraft[] {
  const exchanges = eventsOf(trace, 'mcp-exchange').map(
    ({ method, direction, at, durationMs, error }): SpanDraft => ({
      name: method,
      kind: direction === 'to-server' ? spanKind.client : spanKind.internal,
      ...lasting(at, durationMs),
      attributes: { 'mcp.method.name': method, 'assay.mcp.direction': direction },
      error: error && { type: 'mcp_error', message: error.message },
    }),
  );
  const tests = eventsOf(trace, 'mcp-test').map(
    ({ name, kind, at, totalMs, attempts, fault }): SpanDraft => ({
      name: `test ${name}`,
      ...lasting(at, totalMs),
      attributes: { 'assay.test.name': name, 'assay.test.kind': kind, 'assay.test.attempts': attempts },
      error: fault ? { type: fault.code, message: fault.message } : undefined,
    }),
  );
  return [...exchanges, ...tests];
}
