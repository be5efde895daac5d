import { cutMiddle } from '../shared/text.ts';
import { AssayError, type ErrorCode, type FilePosition, formatPosition } from './errors.ts';

/** One thing that is wrong in a user's file. */
export interface Problem {
  readonly at: FilePosition;
  readonly message: string;
  readonly hint?: string | undefined;
}

const longestMessage = 300;
/** Hints list what there is to choose from. */
const longestHint = 1_000;

/** `file:line:column: message` and, on its own line, what to do. */
export function formatProblem(problem: Problem): string {
  const hint = problem.hint ? `\n    ${messageLine(problem.hint, longestHint)}` : '';
  return `${messageLine(formatPosition(problem.at))}: ${messageLine(problem.message)}${hint}`;
}

/** Problems in the order in which a reader goes through the files, without duplicates. */
export function inReadingOrder(problems: readonly Problem[]): Problem[] {
  const reported = new Set<string>();
  return [...problems].sort(byPosition).filter((problem) => {
    const text = formatProblem(problem);
    return !reported.has(text) && reported.add(text);
  });
}

/** Problems of one file with the same text, in the order of the first of them. */
export type ProblemGroup = readonly [Problem, ...Problem[]];

export function alikeProblems(problems: readonly Problem[]): ProblemGroup[] {
  const groups = new Map<string, [Problem, ...Problem[]]>();
  for (const problem of problems) {
    const key = JSON.stringify([problem.at.file, problem.message, problem.hint]);
    const group = groups.get(key);
    if (group) group.push(problem);
    else groups.set(key, [problem]);
  }
  return [...groups.values()];
}

/** All that is wrong in a set of files, thrown before anything is run. */
export class ProblemsError extends AssayError {
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[], code: ErrorCode = 'FILE_INVALID') {
    const ordered = inReadingOrder(problems);
    super(code, ordered.map(formatProblem).join('\n'), { hint: '' });
    this.name = 'ProblemsError';
    this.problems = ordered;
  }
}

function byPosition({ at: a }: Problem, { at: b }: Problem): number {
  if (a.file !== b.file) return a.file < b.file ? -1 : 1;
  return a.line - b.line || a.column - b.column;
}

/** Values from a file may be long, span lines or contain terminal control codes; a message must not. */
function messageLine(text: string, mostCharacters = longestMessage): string {
  const flat = text.replace(/\s*[\r\n]\s*/g, ' ').replace(/[\u0000-\u001F\u007F-\u009F\u2028\u2029]/g, escaped);
  return cutMiddle(flat, mostCharacters);
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
