import { parseExactJson } from '../../../../shared/exact-json.ts';
import { problemOfPattern } from '../../../../shared/patterns.ts';

export type Comparison = '==' | '!=' | '>' | '>=' | '<' | '<=';

/** What must hold of the value at a JSONPath. */
export type Assertion =
  | { readonly kind: 'exists' }
  | { readonly kind: 'equals'; readonly value: unknown }
  | { readonly kind: 'contains'; readonly substring: string }
  | { readonly kind: 'matches'; readonly pattern: string }
  | { readonly kind: 'len'; readonly comparison: Comparison; readonly length: number }
  | { readonly kind: 'number'; readonly comparison: Comparison; readonly value: number | bigint };

/** An assertion that cannot be used; says why. */
export class InvalidAssertion extends Error {}

const forms = 'exists, equals <value>, contains <text>, matches <regex>, len >= <n>, or >= <number>';
const comparison = '(==|!=|>=|<=|>|<)';
const withOperand = /^(equals|contains|matches)\s(.*)$/s;
const lenForm = new RegExp(`^len\\s*${comparison}\\s*(\\d+)$`);
const numberForm = new RegExp(`^${comparison}\\s*(-?\\d+(?:\\.\\d+)?(?:[eE][+-]?\\d+)?)$`);

/** Reads the assertion of a `command_json_path` gate, or throws an `InvalidAssertion`. */
export function parseAssertion(text: string): Assertion {
  const trimmed = text.trim();
  if (trimmed === 'exists') return { kind: 'exists' };
  const [, word, operand = ''] = withOperand.exec(trimmed) ?? [];
  if (word === 'equals') return { kind: 'equals', value: jsonOrText(operand.trim()) };
  if (word === 'contains') return { kind: 'contains', substring: operand };
  if (word === 'matches') return matchesOf(operand.trim());
  const [, lenComparison, length] = lenForm.exec(trimmed) ?? [];
  if (length !== undefined) {
    return { kind: 'len', comparison: lenComparison as Comparison, length: Number(length) };
  }
  const [, numberComparison, number] = numberForm.exec(trimmed) ?? [];
  if (number === undefined) throw new InvalidAssertion(whyInvalid(trimmed));
  return { kind: 'number', comparison: numberComparison as Comparison, value: numberOf(number) };
}

/** Says what is wrong with an assertion; undefined for one that can be used. */
export function problemOfAssertion(text: string): string | undefined {
  try {
    parseAssertion(text);
    return undefined;
  } catch (error) {
    if (error instanceof InvalidAssertion) return error.message;
    throw error;
  }
}

function matchesOf(pattern: string): Assertion {
  const problem = problemOfPattern(pattern);
  if (problem) throw new InvalidAssertion(`the regular expression cannot be used: ${problem}`);
  return { kind: 'matches', pattern };
}

/** What is no JSON stands for itself. */
function jsonOrText(text: string): unknown {
  try {
    return parseExactJson(text);
  } catch {
    return text;
  }
}

/** Leading zeros are no JSON, and no mistake either. */
function numberOf(digits: string): number | bigint {
  return parseExactJson(digits.replace(/^(-?)0+(?=\d)/, '$1')) as number | bigint;
}

function whyInvalid(text: string): string {
  if (text === '') return `it is empty; write ${forms}`;
  const [, path, rest] = /^(\$\S*)\s+(.+)$/s.exec(text) ?? [];
  if (path !== undefined) return `the path goes into \`path\` ("${path}") and only "${rest}" into \`assertion\``;
  if (text.startsWith('$')) return `a path goes into \`path\`; write ${forms}`;
  if (/^(equals|contains|matches)$/.test(text)) return `"${text}" must be followed by what is wanted`;
  if (/^len\b/.test(text)) return '"len" is followed by one of == != > >= < <= and a whole number, as in "len >= 3"';
  if (new RegExp(`^${comparison}`).test(text))
    return 'only numbers are compared like that; for anything else write "equals <value>"';
  return `write ${forms}`;
}
