import { ciOfCase, countsInCi, isQuarantined, type ScenarioCi } from '../../domain/ci.ts';
import { filteredRows, someRow } from '../../shared/rows.ts';
import type { CollectedSide, SideRun } from './collected-side.ts';

interface PlaceOfCase {
  readonly scenario: string;
  readonly caseId: string;
}

/** Whether the failures of a case fail the build, by what the files said when a run began. */
export function countingIn(run: SideRun): (place: PlaceOfCase) => boolean {
  const rules = rulesOf(run);
  return ({ scenario, caseId }) => countsInCi(ciOfCase(rules.get(scenario), caseId), run.startedAt);
}

/** Whether some of the cases have the role `capability`, and are not quarantined. */
export function isAnyCapability(run: SideRun, places: Iterable<PlaceOfCase>): boolean {
  const rules = rulesOf(run);
  return someRow(places, ({ scenario, caseId }) => {
    const { role, quarantine } = ciOfCase(rules.get(scenario), caseId);
    return role === 'capability' && !(quarantine && isQuarantined(quarantine, run.startedAt));
  });
}

function rulesOf({ scenarios }: SideRun): ReadonlyMap<string, ScenarioCi> {
  return new Map(scenarios?.flatMap(({ name, ci }) => (ci ? [[name, ci] as const] : [])));
}

/** A side without the cases that do not count. */
export function onlyCounting(side: CollectedSide, counts: (place: PlaceOfCase) => boolean): CollectedSide {
  const cases = filteredRows(side.cases, counts);
  return cases.length === side.cases.length ? side : { ...side, cases };
}
