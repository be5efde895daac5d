import type { OwnError } from '../conclude.ts';
import { contentText, type JsonObject, numberOf, objectOf, textOf } from '../json-shapes.ts';

const subtypeWords: ReadonlyMap<string, string> = new Map([
  ['error_max_turns', 'reached the limit of turns'],
  ['error_max_budget_usd', 'reached the limit of cost'],
  ['error_during_execution', 'failed during execution'],
]);

/** The error that a `result` line tells; `is_error` counts, because `subtype` says success beside it. */
export function closingError(line: JsonObject): OwnError | undefined {
  const subtype = textOf(line.subtype) ?? '';
  if (line.is_error === true || subtype.startsWith('error')) {
    const said = textOf(line.result) ?? textOf(objectOf(line.error).message) ?? textOf(contentText(line.errors));
    const kind = subtypeWords.get(subtype);
    const message = [kind, said].filter((part) => part !== undefined).join(': ') || subtype || 'it reported an error';
    return { message, status: numberOf(line.api_error_status) };
  }
  return line.stop_reason === 'refusal' ? { message: 'the model refused to go on' } : undefined;
}
