import type { ExpectedCount } from '../../../../domain/mcp/feature-suites.ts';
import { differenceOfValues } from '../../../../domain/tools/tool-meaning.ts';
import { counted } from '../../../../shared/format.ts';
import { suggestion } from '../../../../shared/suggest.ts';
import { exchangesOf, listedItems, type ObservedTest } from './observed-tests.ts';
import { type Expectations, judgeError, judgeLatency, judgeSuccess } from './reply-checks.ts';
import { fail, type Judged, jsonText, pass, timeOf } from './test-verdict.ts';

interface ListExpectations extends Expectations {
  readonly expectedCount?: ExpectedCount | undefined;
}

/** Judges a list of what a server has: how many there are, and whether those that are expected are among them. */
export function judgeList(
  observed: ObservedTest,
  spec: ListExpectations,
  list: {
    readonly method: string;
    /** Where the items are in an answer, and what they are called. */
    readonly items: 'resources' | 'prompts';
    readonly expected: readonly (string | Record<string, unknown>)[] | undefined;
  },
): Judged {
  const { ended } = observed;
  const pages = exchangesOf(observed, list.method);
  const last = pages.at(-1);
  if (!last) return fail('No answer is on record');
  const items = listedItems(pages, list.items);
  const names = items.flatMap(({ uri, name }) => [uri, name].filter((one) => typeof one === 'string'));
  return (
    judgeError(spec, last, ended) ??
    judgeLatency(spec, ended) ??
    judgeSuccess(spec, names, ended) ??
    judgeCount(spec.expectedCount, items.length, list.items) ??
    judgeItems(list.expected ?? [], items, names) ??
    pass(`${counted(items.length, list.items.slice(0, -1))} in ${timeOf(ended)}`)
  );
}

/** Fails where there are fewer or more than expected. */
export function judgeCount(expected: ExpectedCount | undefined, count: number, items: string): Judged | undefined {
  if (expected === undefined) return undefined;
  const exact = typeof expected === 'number' ? expected : expected.exact;
  const { min = 0, max = Number.POSITIVE_INFINITY } =
    exact === undefined ? (expected as Exclude<ExpectedCount, number>) : { min: exact, max: exact };
  if (count >= min && count <= max) return undefined;
  const wanted = min === max ? String(min) : max === Number.POSITIVE_INFINITY ? `${min} or more` : `${min} to ${max}`;
  return fail(`Expected ${wanted} ${items}, got ${count}`);
}

function judgeItems(
  expected: readonly (string | Record<string, unknown>)[],
  items: readonly Record<string, unknown>[],
  names: readonly string[],
): Judged | undefined {
  const missing = expected.find((one) =>
    typeof one === 'string'
      ? !names.includes(one)
      : !items.some((item) => differenceOfValues(one, item, 'subset') === undefined),
  );
  if (missing === undefined) return undefined;
  const hint = typeof missing === 'string' && names.length > 0 ? `. ${suggestion(missing, names)}` : '';
  return fail(`The server does not list ${jsonText(missing)}${hint}`);
}
