import { type JudgeInput, readActualResult } from '../../domain/judge-protocol.ts';
import { templateOf } from '../../drive/models/prompting/template.ts';
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

/** Puts each field of an object on a line of its own and what it holds beside it. */
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
