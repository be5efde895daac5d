import type { Feature } from '../../engine/feature.ts';

/** `--from`, `--failed`, `--flaky`, and a trial again: the options of an earlier run, and some of its cases. */
export const again: Feature = {
  name: 'again',
  async complete(given, { project: { folder }, withStore }) {
    const { from, failed, flaky, trial } = given;
    if (from === undefined && !failed && !flaky && trial === undefined) return given;
    const { requestAgain } = await import('./run-again.ts');
    const earlier = await withStore((store) => requestAgain(given, { store, folder }));
    const set = Object.entries(given).filter(([, value]) => value !== undefined);
    return { ...earlier, ...Object.fromEntries(set) };
  },
  async scenarios(scenarios, { options: { only }, warn }) {
    if (!only) return scenarios;
    const { withChosenCases } = await import('./chosen-cases.ts');
    return withChosenCases(scenarios, only, warn);
  },
};
