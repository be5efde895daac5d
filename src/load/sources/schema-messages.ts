import type * as z from 'zod';
import type { Problem } from '../../domain/problem.ts';
import { counted } from '../../shared/format.ts';
import { suggestion } from '../../shared/suggest.ts';
import { shorten } from '../../shared/text.ts';
import type { DataPath } from './parsed-source.ts';

type Issue = z.core.$ZodIssue;
type Words = Pick<Problem, 'message' | 'hint'>;

/** Message for a failed check; `written` is the value at the path. */
export function issueWords(issue: Issue, path: DataPath, written: unknown): Words {
  const subject = pathText(path);
  if (written === undefined)
    return { message: `${subject} is missing`, hint: isKindMissing(issue) ? kindHint(issue, path) : undefined };
  if (issue.code === 'invalid_type') {
    const words = wrongType(subject, [issue.expected], written);
    return { ...words, hint: words.hint ?? scalarHint(issue.expected, path.at(-1), written) };
  }
  if (issue.code === 'invalid_value') return wrongValue(subject, issue.values.map(String), written);
  if (issue.code === 'invalid_union') return wrongUnion(subject, issue, written);
  if (issue.code === 'too_small') return { message: `${subject} ${tooSmall(issue)}` };
  if (issue.code === 'too_big')
    return { message: `${subject} must be at most ${issue.maximum}, not ${valueText(written)}` };
  return { message: `${subject} is not valid: ${issue.message}` };
}

/** A path as in code: `cases[0].input`. */
export function pathText(path: DataPath): string {
  if (path.length === 0) return 'the content';
  const text = path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`)).join('');
  return `\`${text.replace(/^\./, '')}\``;
}

const typeWords: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
};

function wrongType(subject: string, expected: readonly string[], written: unknown): Words {
  const wanted = expected.map((type) => typeWords[type] ?? type).join(' or ');
  const found = expected.includes('int') && typeof written === 'number' ? String(written) : typeOf(written);
  return {
    message: `${subject} must be ${wanted}, not ${found}`,
    hint: expected.includes('string') ? textHint(written) : undefined,
  };
}

/** Hint for a text in place of a list of cases or criteria, or of a number of seconds. */
function scalarHint(expected: string, key: PropertyKey | undefined, written: unknown): string | undefined {
  if (typeof written !== 'string') return undefined;
  if (expected === 'array' && key === 'cases' && /\.\w+$/.test(written)) return `Write \`dataset: ${written}\`.`;
  if (expected === 'array' && /^(?:cases|\w+Criteria)$/.test(String(key)))
    return `Write a list: \`${String(key)}: [ … ]\`.`;
  if (expected === 'array') return `Write a list: \`[${JSON.stringify(shorten(written, 60))}]\`.`;
  return expected === 'number' || expected === 'int' ? numberHint(String(key), written) : undefined;
}

const timeUnit = /^(?:m?s|secs?|seconds?|m|mins?|minutes?|h|hours?)$/i;

/** Without its unit, a number of another unit would be another time or share. */
function numberHint(key: string, written: string): string | undefined {
  const [, digits, unit = ''] = /^(\d+(?:\.\d+)?)\s*([a-z%]*)$/i.exec(written) ?? [];
  if (digits === undefined || unit === '%') return undefined;
  if (unit === '') return `Write it without quotes: ${digits}.`;
  const bare = `Write the number without a unit: ${digits}.`;
  if (!timeUnit.test(unit)) return bare;
  if (!/secs$/i.test(key)) return undefined;
  return /^s/i.test(unit) ? bare : 'Write a number of seconds.';
}

function textHint(written: unknown): string | undefined {
  if (typeof written === 'number' || typeof written === 'boolean') return `Put it in quotes: "${written}".`;
  const isMapping = typeof written === 'object' && written !== null && !Array.isArray(written);
  return isMapping ? 'Put the whole text in quotes if it contains a `: ` or begins with `{`.' : undefined;
}

function wrongValue(subject: string, allowed: readonly string[], written: unknown): Words {
  if (typeof written === 'string')
    return { message: `${subject} cannot be \`${written}\``, hint: suggestion(written, allowed) };
  return {
    message: `${subject} must be one of ${allowed.map((name) => `\`${name}\``).join(', ')}, not ${typeOf(written)}`,
  };
}

function wrongUnion(subject: string, issue: z.core.$ZodIssueInvalidUnion, written: unknown): Words {
  const kinds = kindsOf(issue);
  if (kinds.length > 0) return wrongValue(subject, kinds, written);
  const inner = issue.errors.flat();
  const expected = new Set(inner.flatMap((each) => (each.code === 'invalid_type' ? [each.expected] : [])));
  const values = inner.flatMap((each) => (each.code === 'invalid_value' ? each.values.map(String) : []));
  return expected.size === 0 ? wrongValue(subject, values, written) : wrongType(subject, [...expected], written);
}

function isKindMissing(issue: Issue): issue is z.core.$ZodIssueInvalidUnion {
  return issue.code === 'invalid_union' && kindsOf(issue).length > 0;
}

function kindHint(issue: z.core.$ZodIssueInvalidUnion, path: DataPath): string {
  const list = kindList(issue);
  return path[0] === 'call' && path.at(-1) === 'transport'
    ? `Add \`command\` of a program, or \`url\` of a server. ${list}`
    : list;
}

function kindList(issue: z.core.$ZodIssueInvalidUnion): string {
  return suggestion('', kindsOf(issue));
}

function kindsOf(issue: z.core.$ZodIssueInvalidUnion): string[] {
  return 'options' in issue && Array.isArray(issue.options) ? issue.options.map(String) : [];
}

function tooSmall({ origin, minimum, inclusive }: z.core.$ZodIssueTooSmall): string {
  if (origin === 'string' && Number(minimum) > 1) return `must have at least ${counted(Number(minimum), 'character')}`;
  if (origin === 'string') return 'must not be empty';
  if (origin === 'array') return `must have at least ${counted(Number(minimum), 'item')}`;
  return `must be ${inclusive ? 'at least' : 'more than'} ${minimum}`;
}

function typeOf(written: unknown): string {
  if (written === null) return 'empty';
  if (Array.isArray(written)) return 'a list';
  return typeWords[typeof written] ?? typeof written;
}

function valueText(written: unknown): string {
  return typeof written === 'number' ? String(written) : typeOf(written);
}
