import { onlyInput } from '../../domain/only-case.ts';
import { counted } from '../../shared/format.ts';
import type { CiLimit } from '../compare/ci-limits.ts';
import type { CiCase, CiVerdict } from '../compare/ci-verdict.ts';
import { caseTitle } from './trial-text.ts';

/** One line about what counts in CI; `fail` lines are why a build fails. */
interface CiLine {
  readonly mark: 'fail' | 'unknown' | 'note';
  readonly text: string;
}

/** Findings by the rules of the files and the baseline, the reasons for a failure first. */
export function ciLines({ cases, limits, roles }: CiVerdict): CiLine[] {
  const lines = [...cases.flatMap(caseLine), ...limits.map(limitLine), ...capabilityLine(roles)];
  return (['fail', 'unknown', 'note'] as const).flatMap((mark) => lines.filter((line) => line.mark === mark));
}

/** Why the failures of a case do not fail the build; undefined where they do. */
export function excuseText(one: CiCase): string | undefined {
  switch (one.excuse) {
    case 'quarantined':
      return quarantineText(one);
    case 'capability':
      return 'capability: failures do not fail the build';
    case 'flaky':
      return `flaky: ${comparedText(one)}`;
    case 'chance':
      return `passes less often: ${comparedText(one)}; chance may explain it in a suite as flaky as this one: run it again with --flaky`;
    case 'limit':
      return `within its limits: passed ${passedText(one)}`;
    case 'min-pass-rate':
      return 'within --min-pass-rate';
    case null:
      return undefined;
  }
}

/** Describes a failure that fails the build: `broken: passed 5 of 5 before, 0 of 5 now`; undefined without more to say. */
export function failureText(one: CiCase): string | undefined {
  const expired = one.quarantine?.isExpired ? [quarantineText(one)] : [];
  const compared = one.kind === null ? [] : [`${kindWords[one.kind]}: ${comparedText(one)}`];
  const parts = [...expired, ...compared];
  return parts.length === 0 ? undefined : parts.join('; ');
}

const kindWords = { broken: 'broken', flaky: 'flaky', unclear: 'unclear', failing: 'failing' } as const;

/** Ordinary failures are listed with their trials. */
function caseLine(one: CiCase): CiLine[] {
  const title = caseTitle(one);
  if (one.excuse === 'capability' || one.excuse === 'limit' || one.excuse === 'min-pass-rate') return [];
  const excuse = excuseText(one);
  if (excuse !== undefined) {
    const result = one.excuse === 'quarantined' ? ` (${quarantinedResult(one)})` : '';
    return [{ mark: 'note', text: `${title}: ${excuse}${result}` }];
  }
  const failure = failureText(one);
  if (failure === undefined) return [];
  return [{ mark: one.failed > 0 ? 'fail' : 'note', text: `${title}: ${failure}` }];
}

function quarantinedResult(one: CiCase): string {
  if (one.passed > 0 && one.failed + one.unjudged === 0) return `passed ${passedText(one)}: it may count again`;
  return `passed ${passedText(one)}`;
}

function quarantineText({ quarantine }: CiCase): string {
  if (!quarantine) return '';
  const { until, owner, reason, isExpired } = quarantine;
  const why = reason === undefined ? '' : `: ${reason}`;
  return isExpired
    ? `quarantine expired on ${until}, so it counts again (owner ${owner}${why})`
    : `quarantined until ${until} (owner ${owner}${why})`;
}

function comparedText({ before, passed, failed }: CiCase): string {
  const now = `${passed} of ${passed + failed} now`;
  return before ? `passed ${before.passed} of ${before.passed + before.failed} before, ${now}` : `passed ${now}`;
}

function passedText({ passed, failed, unjudged }: CiCase): string {
  return `${passed} of ${passed + failed + unjudged}`;
}

const limitMarks: Readonly<Record<CiLimit['state'], CiLine['mark']>> = {
  missed: 'fail',
  unknown: 'unknown',
  met: 'note',
  unclear: 'note',
  'not-checked': 'note',
};

function limitLine(limit: CiLimit): CiLine {
  const { scenario, caseId, variant, state, counts, message } = limit;
  const title = caseTitle({ scenario, caseId: caseId ?? onlyInput, variant });
  return { mark: counts ? limitMarks[state] : 'note', text: `${title}: ${message}` };
}

function capabilityLine({ capability: { cases, passed } }: CiVerdict['roles']): CiLine[] {
  if (cases === 0) return [];
  const more = passed === cases ? ': make them `role: regression`' : '';
  return [{ mark: 'note', text: `capability: ${passed} of ${counted(cases, 'case')} passed in every trial${more}` }];
}
