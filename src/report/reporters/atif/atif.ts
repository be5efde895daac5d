import type { Reporter } from '../reporter.ts';

/** Trajectories for tools of other benchmarks: each line is a document. */
export const atifReporter: Reporter = {
  name: 'atif',
  summary: 'trajectories in the Agent Trajectory Interchange Format (ATIF), one trial a line',
  fileName: 'trajectories.jsonl',
  async *render(run) {
    const { trajectoriesOf } = await import('./trial-trajectory.ts');
    yield* trajectoriesOf(run);
  },
};
