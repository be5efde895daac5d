import { type JudgeInput, type ReportedResult, readActualResult } from '../../domain/judge-protocol.ts';
import { toolErrorSchema } from '../../domain/tool-error.ts';
import { lastAnswer, type Trace } from '../../domain/trace.ts';
import { templateOf } from '../../drive/models/prompting/template.ts';
import { isRecord } from '../../shared/json.ts';
import type { JudgeSubject } from './judge.ts';
import errorText from './prompts/protocol-error.v1.md?raw';
import successText from './prompts/protocol-success.v1.md?raw';

const errorPrompt = templateOf(errorText);
const successPrompt = templateOf(successText);

/** Renders the prompt that asks a model to judge an input: one for results, one for errors. */
export function renderProtocolPrompt(input: JudgeInput): string {
  const { result, error } = readActualResult(input.actualResult);
  const failed = result === undefined;
  const prompt = failed ? errorPrompt : successPrompt;
  return prompt({
    input: layOutJson(input.testScenario.input),
    actualResult: failed ? `Error: ${messageOf(error)}` : layOutJson(result),
    passCriteria: numberLines(input.passCriteria),
    failCriteria: numberLines(input.failCriteria),
  });
}

function messageOf(error: unknown): string {
  const hasMessage = typeof error === 'object' && error !== null && 'message' in error;
  return hasMessage ? String(error.message) : inlineJson(error);
}

function numberLines(criteria: readonly string[]): string {
  if (criteria.length === 0) return '(none)';
  return criteria.map((criterion, position) => `${position + 1}. ${criterion}`).join('\n');
}

/** Puts each field of an object on its own line, with its value beside it. */
function layOutJson(value: unknown): string {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return inlineJson(value);
  const lines = fieldsOf(value).map((field) => `  ${field}`);
  return lines.length === 0 ? '{}' : `{\n${lines.join(',\n')}\n}`;
}

function inlineJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(inlineJson).join(', ')}]`;
  if (typeof value === 'object' && value !== null) return `{${fieldsOf(value).join(', ')}}`;
  return JSON.stringify(value) ?? 'null';
}

function fieldsOf(value: object): string[] {
  return Object.entries(value).flatMap(([key, field]) =>
    field === undefined ? [] : [`${JSON.stringify(key)}: ${inlineJson(field)}`],
  );
}

const callId = 'call';

/** An input of the boolean judge protocol as a subject for any mode: one call and its answer. */
export function protocolSubject({ testScenario, actualResult }: JudgeInput): JudgeSubject {
  const { result, error } = readActualResult(actualResult);
  const { expectedBehavior } = testScenario;
  const toolError = toolErrorSchema.safeParse(error);
  const observed = { at: 0, seenBy: 'engine' } as const;
  return {
    name: testScenario.name,
    task: testScenario.name,
    references: expectedBehavior === undefined ? [] : [{ name: 'expectedBehavior', text: expectedBehavior }],
    failedGates: [],
    trace: [
      { type: 'tool-call', ...observed, callId, tool: testScenario.name, input: testScenario.input },
      {
        type: 'tool-result',
        ...observed,
        callId,
        durationMs: 0,
        result,
        ...(toolError.success ? { error: toolError.data } : {}),
      },
    ],
  };
}

/** The last call of a trace as the variables that criteria use. */
export function protocolAnswerOf(trace: Trace): ReportedResult & { readonly input?: Record<string, unknown> } {
  const answered = trace.findLast((event) => event.type === 'tool-result');
  const call = trace.findLast(
    (event) => event.type === 'tool-call' && answered?.type === 'tool-result' && event.callId === answered.callId,
  );
  const input = call?.type === 'tool-call' && isRecord(call.input) ? { input: call.input } : {};
  const answer = lastAnswer(trace);
  return { result: answer?.result, error: answer?.error, ...input };
}
