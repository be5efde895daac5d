import type { OAuthObserved } from '../../../../domain/mcp/oauth-suites.ts';
import type { SuiteTestOf } from '../../../../domain/mcp/suite-tests.ts';
import type { ObservedTest } from './observed-tests.ts';
import { fail, type Judged, pass, timeOf } from './test-verdict.ts';

/** Judges whether a grant ended as expected, and whether every further requirement was met. */
export function judgeOAuth({ test, ended }: ObservedTest<SuiteTestOf<'oauth'>>): Judged {
  const { result, why, checks } = ended.observed as OAuthObserved;
  const expected = test.spec.test.spec.expectedResult === 'success' ? 'success' : 'failure';
  if (result !== expected) return fail(`Expected ${expected}, got ${result}: ${why}`);
  const [broken] = checks.filter(({ isMet }) => !isMet);
  if (broken) return fail(`${broken.check}: ${broken.details}`);
  const also = checks.length === 0 ? '' : `; ${checks.map(({ check }) => check).join(', ')}`;
  return pass(`${why}${also} (${timeOf(ended)})`);
}
