import { ciOfCase } from '../../domain/ci.ts';
import { AssayError } from '../../domain/errors.ts';
import type { CaseSplit, SplitCase } from '../../domain/improvement.ts';
import type { Case, Scenario } from '../../domain/scenario.ts';
import { counted } from '../../shared/format.ts';
import { sha256 } from '../../shared/ids.ts';
import { textLeaves } from './leak-check.ts';

/** A case with its scenario. */
interface FoundCase {
  readonly scenario: Scenario;
  readonly case: Case;
}

/** Tasks that share so many of their words are one task in several wordings. */
const alike = 0.6;
const familyTag = 'family:';

/** All cases of the scenarios, in order. */
export async function casesOf(scenarios: readonly Scenario[]): Promise<FoundCase[]> {
  const found: FoundCase[] = [];
  for (const scenario of scenarios)
    for await (const testCase of scenario.cases()) found.push({ scenario, case: testCase });
  return found;
}

/**
 * Holds out a share of the case families. A near copy of a training case would show nothing about cases that were never
 * seen, so a family is never divided: cases of scenarios with the same tag `family:…`, or whose tasks are nearly the
 * same text. Families with a case of the role `holdout` are always held out. The order of the files does not matter, and
 * the same seed always gives the same split.
 */
export function splitCases(cases: readonly FoundCase[], share: number, seed: number): CaseSplit {
  const families = familiesOf(cases);
  const names = [...new Set(families.map(({ family }) => family))];
  if (names.length < 2) {
    throw new AssayError(
      'USAGE',
      `${counted(cases.length, 'case')} in one family: nothing can be held out, so no idea could be checked.`,
      {
        hint: 'Add cases with other tasks, or give scenarios tags such as `family:export` to say which belong together.',
      },
    );
  }
  const marked = new Set(families.flatMap(({ family }, index) => (isMarked(cases[index]) ? [family] : [])));
  if (marked.size === names.length) {
    throw new AssayError('USAGE', 'All cases are held out by `ci.role: holdout`, so none is left to learn from.', {
      hint: 'Add cases with another role.',
    });
  }
  const heldOutCount = Math.min(names.length - 1, Math.max(1, marked.size, Math.round(share * names.length)));
  const drawn = names.map((name) => ({ name, rank: `${marked.has(name) ? 0 : 1}${sha256(`${seed}\n${name}`)}` }));
  const ranked = drawn.sort((a, b) => (a.rank < b.rank ? -1 : 1)).map(({ name }) => name);
  const heldOut = new Set(ranked.slice(0, heldOutCount));
  return {
    training: families.filter(({ family }) => !heldOut.has(family)),
    heldOut: families.filter(({ family }) => heldOut.has(family)),
  };
}

function isMarked(found: FoundCase | undefined): boolean {
  return found !== undefined && ciOfCase(found.scenario.ci, found.case.caseId).role === 'holdout';
}

/** The families are named by their tags, or by the first of their tasks in alphabetical order. */
function familiesOf(cases: readonly FoundCase[]): SplitCase[] {
  const tasks = cases.map(({ scenario, case: { caseId, input } }) => {
    const text = textLeaves(input).join(' ');
    const tag = scenario.tags.find((each) => each.startsWith(familyTag));
    return { scenario: scenario.name, caseId, text, tag, words: wordsOf(text) };
  });
  const roots = tasks.map((_, index) => index);
  const rootOf = (index: number): number => {
    let root = index;
    while (roots[root] !== root) root = roots[root] ?? root;
    return root;
  };
  for (const [index, one] of tasks.entries()) {
    for (const [earlier, other] of tasks.slice(0, index).entries()) {
      if (isOneFamily(one, other)) roots[rootOf(index)] = rootOf(earlier);
    }
  }
  const names = new Map<number, string>();
  for (const [index, { tag, scenario, caseId }] of tasks.entries()) {
    const [root, name] = [rootOf(index), tag ?? `${scenario} › ${caseId}`];
    const earlier = names.get(root);
    if (earlier === undefined || name < earlier) names.set(root, name);
  }
  return tasks.map(({ scenario, caseId }, index) => ({ scenario, caseId, family: names.get(rootOf(index)) ?? caseId }));
}

interface Task {
  readonly tag: string | undefined;
  readonly words: ReadonlySet<string>;
}

function isOneFamily(one: Task, other: Task): boolean {
  if (one.tag !== undefined || other.tag !== undefined) return one.tag === other.tag;
  const shared = [...one.words].filter((word) => other.words.has(word)).length;
  const all = one.words.size + other.words.size - shared;
  return all === 0 || shared / all >= alike;
}

/** Without numbers: the same task with other figures is the same task. */
function wordsOf(text: string): ReadonlySet<string> {
  return new Set(text.toLowerCase().match(/\p{L}+/gu) ?? []);
}
