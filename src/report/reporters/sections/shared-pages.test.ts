import { expect, it } from 'vitest';
import { summarizeRun } from '../../../domain/run.ts';
import { openStore } from '../../../keep/store/open-store.ts';
import type { Section } from '../../../shared/blocks/block.ts';
import { fillStore } from '../../../testing/support/drawn-run.ts';
import { readRunFigures } from '../run-figures.ts';
import { readRunBreakdown } from './breakdown.ts';
import { detailSections } from './details.ts';

it('all tables of a run are made of one reading of its trials, as they are one after the other', async () => {
  await using store = await openStore('sqlite::memory:', '.');
  const drawn = await fillStore(store, 'r-1', 1_200);
  const scenarios = drawn.scenarios.map((one) => ({ ...one, isAgentDriven: true, isConversation: true }));
  const run = { ...drawn, scenarios };
  const summary = summarizeRun(run, await store.countTrials(run.runId), run.startedAt);
  const stored = { store, summary, judgeShare: null };
  const expected: Section[] = [];
  for await (const section of detailSections(stored, await readRunFigures(stored), 'page')) expected.push(section);
  const read: number[] = [];
  const { readTrials } = store;
  store.readTrials = async (...given) => {
    const page = await readTrials(...given);
    read.push(...page.map(({ ordinal }) => ordinal));
    return page;
  };
  const { sections } = await readRunBreakdown(store, run);
  expect(read).toEqual(Array.from({ length: 1_200 }, (_, ordinal) => ordinal));
  expect(sections).toEqual(expect.arrayContaining(expected.filter(({ blocks }) => blocks.length > 0)));
});
