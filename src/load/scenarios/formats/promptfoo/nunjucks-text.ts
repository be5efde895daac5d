import { isRecord } from '../../../../shared/json.ts';
import { valueAt } from '../../../sources/parsed-source.ts';

/** An expression in a text, such as `{{ user.name | upper }}`. */
export interface Expression {
  readonly path: readonly (string | number)[];
  readonly filters: readonly string[];
  /** Of its first brace, from 1. */
  readonly column: number;
}

interface TextProblem {
  readonly column: number;
  readonly message: string;
}

/** A text in the part of Nunjucks that is supported: values, their parts, and filters without arguments. */
export interface NunjucksText {
  readonly parts: readonly (string | Expression)[];
  readonly problems: readonly TextProblem[];
}

export type Vars = Readonly<Record<string, unknown>>;

const filters: Readonly<Record<string, (value: unknown) => unknown>> = {
  capitalize: (value) =>
    textOf(value).replace(/^(.)(.*)$/s, (_, first, rest) => first.toUpperCase() + rest.toLowerCase()),
  dump: (value) => JSON.stringify(value) ?? '',
  first: (value) => (Array.isArray(value) ? value[0] : textOf(value)[0]),
  last: (value) => (Array.isArray(value) ? value.at(-1) : textOf(value).at(-1)),
  length: (value) => (Array.isArray(value) ? value.length : textOf(value).length),
  lower: (value) => textOf(value).toLowerCase(),
  safe: (value) => value,
  string: (value) => textOf(value),
  trim: (value) => textOf(value).trim(),
  upper: (value) => textOf(value).toUpperCase(),
};

const token = /\{#[\s\S]*?#\}|\{\{-?([\s\S]*?)-?\}\}|\{%[\s\S]*?%\}/g;
const place = /^([A-Za-z_]\w*)((?:\.\w+|\[\d+\]|\[(?:"[^"]*"|'[^']*')\])*)$/;

/** Parses a text. */
export function parseNunjucks(text: string): NunjucksText {
  const parts: (string | Expression)[] = [];
  const problems: TextProblem[] = [];
  let end = 0;
  for (const match of text.matchAll(token)) {
    parts.push(text.slice(end, match.index));
    end = match.index + match[0].length;
    if (match[0].startsWith('{#')) continue;
    const column = match.index + 1;
    const expression = match[1] === undefined ? undefined : expressionIn(match[1], column);
    if (expression) parts.push(expression);
    else problems.push({ column, message: `\`${match[0].replace(/\s+/g, ' ')}\` has no equal in Assay` });
  }
  parts.push(text.slice(end));
  return { parts: parts.filter((part) => part !== ''), problems };
}

function expressionIn(inside: string, column: number): Expression | undefined {
  const [written = '', ...names] = inside.split('|').map((part) => part.trim());
  const match = place.exec(written);
  if (!match || names.some((name) => !Object.hasOwn(filters, name))) return undefined;
  const [, root = '', rest = ''] = match;
  const steps = [...rest.matchAll(/\.(\w+)|\[(\d+)\]|\["([^"]*)"\]|\['([^']*)'\]/g)].map(
    ([, name, index, double, single]) => (index === undefined ? (name ?? double ?? single ?? '') : Number(index)),
  );
  return { path: [root, ...steps], filters: names, column };
}

/** The value of an expression; undefined where the vars have none. */
export function valueOfExpression({ path, filters: names }: Expression, vars: Vars): unknown {
  const value = isRecord(vars) ? valueAt(vars, path) : undefined;
  if (value === undefined) return undefined;
  return names.reduce<unknown>((current, name) => filters[name]?.(current), value);
}

/** The text with the values of its expressions; a missing one is empty, as in promptfoo. */
export function fillNunjucks({ parts }: NunjucksText, vars: Vars): string {
  return parts.map((part) => (typeof part === 'string' ? part : textOf(valueOfExpression(part, vars) ?? ''))).join('');
}

/** Expressions of a text. */
export function expressionsOf({ parts }: NunjucksText): Expression[] {
  return parts.filter((part) => typeof part !== 'string');
}

/** A value as it is written into a text. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}
