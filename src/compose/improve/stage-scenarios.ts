import type { SplitCase } from '../../domain/improvement.ts';
import type { Case, Scenario } from '../../domain/scenario.ts';
import { sha256 } from '../../shared/ids.ts';
import { canonicalJson } from '../../shared/json.ts';
import type { Improvable } from './improvable.ts';

/** A run of an improvement: some cases, under some versions of the text. */
interface Stage {
  readonly cases: readonly SplitCase[];
  /** The texts by the names of their variants. */
  readonly versions: ReadonlyMap<string, string>;
  readonly repeat: number;
}

/**
 * The scenarios of a run, changed in memory: the files of the user stay as they are. Everything that changes the
 * verdicts is in the hash, so a run is resumed only with the same cases and versions.
 */
export async function stageScenarios(
  improvable: Improvable,
  { cases, versions, repeat }: Stage,
): Promise<readonly Scenario[]> {
  const staged: Scenario[] = [];
  for (const scenario of improvable.scenarios) {
    const ids = new Set(cases.filter((one) => one.scenario === scenario.name).map(({ caseId }) => caseId));
    if (ids.size === 0) continue;
    const contentHash = sha256(canonicalJson([scenario.contentHash, [...ids].sort(), [...versions]]));
    staged.push({
      ...scenario,
      ...(scenario.identity && { identity: { ...scenario.identity, task: contentHash } }),
      target: await improvable.withVersions(scenario, versions),
      variants: variantsOf(scenario, improvable, [...versions.keys()]),
      repeat,
      caseCount: ids.size,
      contentHash,
      cases: () => onlyCases(scenario, ids),
    });
  }
  return staged;
}

/** The variants of the reference, once for each version. */
function variantsOf({ variants }: Scenario, { part, reference }: Improvable, arms: readonly string[]) {
  const own = variants.filter((variant) => variant[part] === reference);
  return own.flatMap((variant) => arms.map((arm) => ({ ...variant, [part]: arm })));
}

async function* onlyCases(scenario: Scenario, ids: ReadonlySet<string>): AsyncGenerator<Case, void> {
  for await (const testCase of scenario.cases()) if (ids.has(testCase.caseId)) yield testCase;
}
