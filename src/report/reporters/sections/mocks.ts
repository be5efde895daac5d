import { isReused } from '../../../domain/marks.ts';
import { eachTrial } from '../../../keep/store/store.ts';
import { code, firstOf, list, type Section, text } from '../../../shared/blocks/block.ts';
import { counted } from '../../../shared/format.ts';
import type { StoredRun } from '../reporter.ts';

const mostListed = 20;

/** Mocks that answered no call of the whole run: a mistake in a condition looks like a tool that was not called. */
export async function mockSections({ store, summary }: StoredRun): Promise<Section[]> {
  const trials = new Map<string, number>();
  const unused = new Map<string, number>();
  for await (const trial of eachTrial(store, summary.run.runId)) {
    const { scenario, file, control, outcome, unusedMocks = [] } = trial;
    if (control?.mock === undefined || outcome === 'error' || isReused(trial)) continue;
    const key = JSON.stringify([file, scenario]);
    trials.set(key, (trials.get(key) ?? 0) + 1);
    for (const place of unusedMocks) {
      const placed = JSON.stringify([key, place]);
      unused.set(placed, (unused.get(placed) ?? 0) + 1);
    }
  }
  const places = [...unused].flatMap(([placed, count]) => {
    const [key, place] = JSON.parse(placed) as [string, string];
    return trials.get(key) === count ? [place] : [];
  });
  if (places.length === 0) return [];
  const { listed, more } = firstOf([...new Set(places)], mostListed, (hidden) => counted(hidden, 'more mock'));
  return [
    {
      title: 'Mocks that answered no call',
      level: 3,
      blocks: [
        list(listed.map((place) => ({ mark: 'note', words: [code(place)] }))),
        ...more.map((words) => text(words)),
      ],
    },
  ];
}
