import type { TrialRecord } from '../../domain/record.ts';
import { canonicalJson } from '../../shared/json.ts';
import type { CiCase, CiVerdict } from '../compare/ci-verdict.ts';

type Place = Pick<TrialRecord, 'file' | 'scenario' | 'caseId' | 'variant'>;

/** The case of a verdict that a trial belongs to; undefined where nothing is to be said about it. */
export type FindCiCase = (place: Place) => CiCase | undefined;

/** Finds the cases of a verdict; without one, none is found. */
export function ciCaseFinder(ci: CiVerdict | undefined): FindCiCase {
  const cases = new Map(ci?.cases.map((one) => [keyOf(one), one]));
  return (place) => (cases.size === 0 ? undefined : cases.get(keyOf(place)));
}

function keyOf({ file, scenario, caseId, variant }: Place): string {
  return canonicalJson([file, scenario, caseId, variant]);
}
