import type { Feature } from '../../engine/feature.ts';

/**
 * A trial whose process ended goes on where the run is resumed: its agent works again from the beginning, and gets the
 * replies that its model has given before. Workers have no file that the next of them would find.
 */
export const continuedTrials: Feature = {
  name: 'continued-trials',
  async open({ role, header, project }) {
    if (role !== 'alone' || !header.scenarios.some(({ isAgentDriven }) => isAgentDriven)) return undefined;
    const { ContinuedTrials } = await import('./continued-trials.ts');
    return new ContinuedTrials(project.folder, header.runId);
  },
};
