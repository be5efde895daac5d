import type { Feature } from '../../engine/feature.ts';

/** `--reuse`: judged trials of CLI tools whose inputs are all unchanged are taken over from earlier runs. */
export const reuse: Feature = {
  name: 'reuse',
  async isKnown(trial, place) {
    if (trial.scenario.target.type !== 'cli-tool') return false;
    const { trialReuseIn } = await import('./trial-reuse.ts');
    // A trial whose inputs cannot be read is not reused, which is not a fault here.
    const reusable = await trialReuseIn(place)?.open(trial, () => undefined);
    return reusable?.kept !== undefined;
  },
  async open({ role, scenarios, ...place }) {
    // Workers have no results of earlier runs.
    if (role !== 'alone' || !scenarios.some(({ target }) => target.type === 'cli-tool')) return undefined;
    const { trialReuseIn } = await import('./trial-reuse.ts');
    const kept = trialReuseIn(place);
    const warn = (message: string): void => place.emit({ type: 'warning', message });
    return {
      async around(trial, perform) {
        const reusable = await kept?.open(trial, warn);
        if (reusable?.kept) return reusable.kept;
        const finished = await perform();
        if (finished)
          await reusable?.keep(finished).catch((error: unknown) => {
            warn(`The result of ${trial.trialId} could not be kept for --reuse: ${String(error)}`);
          });
        return finished;
      },
    };
  },
};
