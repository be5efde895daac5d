import type { Case, PartSpec, Scenario } from '../../domain/scenario.ts';
import { sha256 } from '../../shared/ids.ts';
import { canonicalJson } from '../../shared/json.ts';
import type { Plugins } from './load-plugins.ts';

/** The scenario with the evaluators that plug-ins want to be asked about every scenario, where it does not name them. */
export function withAutoEvaluators<Kind extends Scenario>(
  scenario: Kind,
  plugins: Pick<Plugins, 'autoEvaluators'>,
): Kind {
  const { autoEvaluators } = plugins;
  if (autoEvaluators.length === 0) return scenario;
  // Cases that share their evaluators go on sharing them, so that each is prepared once.
  const extended = new WeakMap<readonly PartSpec[], readonly PartSpec[]>();
  const extend = (named: readonly PartSpec[]): readonly PartSpec[] => {
    const added = autoEvaluators.filter(({ type }) => !named.some((spec) => spec.type === type));
    const all = extended.get(named) ?? [...named, ...added];
    extended.set(named, all);
    return all;
  };
  return {
    ...scenario,
    contentHash: sha256(canonicalJson([scenario.contentHash, autoEvaluators])),
    async *cases(): AsyncIterable<Case> {
      for await (const each of scenario.cases()) yield { ...each, evaluators: extend(each.evaluators) };
    },
  };
}
