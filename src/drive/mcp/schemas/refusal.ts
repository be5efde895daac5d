import type { z } from 'zod';

/** Why official clients do not take a message of a server. */
export interface Refusal {
  /** Where in the message, such as `result.content[0].type`. */
  readonly path: string;
  /** The rule of the specification that is broken there. */
  readonly problem: string;
}

type Issue = z.core.$ZodIssue;

/** The first problem that a schema found; `within` is the part of the message that it looked at. */
export function refusalOf({ issues }: z.core.$ZodError, within: string): Refusal {
  const issue = closest(issues);
  return { path: pathOf(within, issue?.path ?? []), problem: issue ? problemOf(issue) : 'it has another form' };
}

/** One sentence part for messages. */
export function refusalText({ path, problem }: Refusal): string {
  return `\`${path}\`: ${problem}`;
}

/** In a union, the first problem of the branch whose kind fits; otherwise that the kind is unknown. */
function closest(issues: readonly Issue[]): Issue | undefined {
  const [issue] = issues;
  if (issue?.code !== 'invalid_union' || issue.errors.length === 0) return issue;
  const meant = issue.errors.find((branch) => !branch.some(isOfOtherKind));
  const inner = meant ? closest(meant) : noSuchKind(issue.errors.flat().filter(isOfOtherKind));
  return inner && { ...inner, path: [...issue.path, ...inner.path] };
}

type OtherKind = Extract<Issue, { code: 'invalid_value' }>;

function isOfOtherKind(issue: Issue): issue is OtherKind {
  return issue.code === 'invalid_value' && issue.path.length === 1;
}

function noSuchKind(issues: readonly OtherKind[]): Issue | undefined {
  const [first] = issues;
  const same = issues.filter(({ path }) => path[0] === first?.path[0]);
  const values = [...new Set(same.flatMap((issue) => issue.values))];
  return (
    first && { ...first, values, message: `expected one of ${values.map((value) => `"${String(value)}"`).join(', ')}` }
  );
}

function problemOf({ message }: Issue): string {
  const text = message.replace(/^Invalid input(?:: )?/, '');
  const [, expected] = /^expected (.+), received undefined$/.exec(text) ?? [];
  if (expected !== undefined) return `missing, and must be ${withArticle(expected)}`;
  return text === '' ? 'it has another form' : text;
}

function withArticle(type: string): string {
  return `${/^[aeio]/.test(type) ? 'an' : 'a'} ${type}`;
}

function pathOf(within: string, path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, key) => {
    if (typeof key === 'number') return `${text}[${key}]`;
    const name = String(key);
    return /^[A-Za-z_]\w*$/.test(name) ? `${text}.${name}` : `${text}[${JSON.stringify(name)}]`;
  }, within);
}
