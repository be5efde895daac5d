import type { ScenarioItem } from '../../../../src/entry/server/api/project.ts';

interface ScenarioFilter {
  readonly text?: string | undefined;
  readonly tag?: string | undefined;
  readonly target?: string | undefined;
  readonly order?: string | undefined;
  readonly direction?: string | undefined;
}

/** Those that hold every word that is looked for, and have the tag and the kind of target. */
export function filteredScenarios(items: readonly ScenarioItem[], filter: ScenarioFilter): readonly ScenarioItem[] {
  const words = (filter.text ?? '').toLowerCase().split(/\s+/);
  return items.filter(({ name, file, description, tags, target, evaluators }) => {
    const all = [name, file, description, ...tags, ...evaluators].join(' ').toLowerCase();
    const isTagged = filter.tag === undefined || tags.includes(filter.tag);
    return (
      isTagged && (filter.target === undefined || filter.target === target) && words.every((word) => all.includes(word))
    );
  });
}

/** By name by default; scenarios that never ran come last. */
export function sortedScenarios(
  items: readonly ScenarioItem[],
  { order, direction }: ScenarioFilter,
): readonly ScenarioItem[] {
  const sign = direction === 'desc' ? -1 : 1;
  return items.toSorted((a, b) => {
    if (order === 'trials') return sign * (a.trials - b.trials);
    if (order === 'last') return sign * ((b.last?.startedAt ?? 0) - (a.last?.startedAt ?? 0));
    return sign * a.name.localeCompare(b.name);
  });
}
