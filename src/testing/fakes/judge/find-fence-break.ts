import type { Question } from '../../../score/judge/judge.ts';

interface Regions {
  /** Everything outside of the fences, with a mark where each fence stood and without the name of the fence. */
  readonly rules: string;
  readonly data: readonly string[];
}

/** Problem with the border between rules and data of a prompt, compared with the same prompt about benign data. */
export function findFenceBreak(question: Question<unknown>, benign: Question<unknown>): string | undefined {
  const name = fenceName(question);
  const { rules, data } = split(question, name);
  const expected = split(benign, fenceName(benign));
  if (rules !== expected.rules) return `the rules differ: ${rules}`;
  const leak = data.find((line) => line.includes(name.slice('data-'.length)));
  if (leak !== undefined) return `the nonce is in the data: ${leak}`;
  return data.find((line) => !isJson(line));
}

/** Data has no angle brackets, so the first line with a tag alone opens the fence. */
function fenceName({ user }: Question<unknown>): string {
  return /^<(data-[a-z0-9]+)>$/m.exec(user)?.[1] ?? 'missing';
}

function split({ system, user }: Question<unknown>, name: string): Regions {
  const outside: string[] = [];
  const data: string[] = [];
  let isInside = false;
  for (const line of user.split('\n')) {
    if (line === `<${name}>`) isInside = true;
    else if (line === `</${name}>`) {
      isInside = false;
      outside.push('(data)');
    } else (isInside ? data : outside).push(line);
  }
  return { rules: [system.replaceAll(name, '(fence)'), ...outside].join('\n'), data };
}

function isJson(line: string): boolean {
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false;
  }
}
